"""Cascade files of OpenCV, written for tests."""

NEW = """<?xml version="1.0"?>
<opencv_storage>
<cascade type_id="opencv-cascade-classifier"><stageType>{stage_type}</stageType>
  <featureType>{feature_type}</featureType>
  <height>{height}</height>
  <width>{width}</width>
  <stageParams><maxWeakCount>2</maxWeakCount></stageParams>
  <featureParams><maxCatCount>0</maxCatCount></featureParams>
  <stageNum>1</stageNum>
  <stages>{stages}</stages>
  <features>{features}</features></cascade>
</opencv_storage>
"""
STAGE = (
    "<_><stageThreshold>{threshold}</stageThreshold><weakClassifiers>{trees}</weakClassifiers></_>"
)
TREE = "<_><internalNodes>{nodes}</internalNodes><leafValues>{leaves}</leafValues></_>"
FEATURE = "<_><rects>{rects}</rects><tilted>{tilted}</tilted></_>"

OLD = """<?xml version="1.0"?>
<opencv_storage>
<old type_id="opencv-haar-classifier"><size>{width} {height}</size>
  <stages><_><trees>
    <_>
      <_><feature><rects><_>2 3 6 4 -1.</_><_>2 3 3 4 2.</_></rects><tilted>0</tilted></feature>
         <threshold>0.02</threshold><left_val>{left}</left_val><right_node>{right}</right_node></_>
      <_><feature><rects><_>1 1 8 8 -1.</_><_>1 1 8 4 2.</_></rects><tilted>0</tilted></feature>
         <threshold>-0.01</threshold><left_val>0.25</left_val><right_val>1.5</right_val></_>
    </_></trees>
    <stage_threshold>0.2</stage_threshold><parent>{parent}</parent><next>-1</next></_></stages>
</old>
</opencv_storage>
"""


def new_format(
    stage_type="BOOST",
    feature_type="HAAR",
    height="12",
    width="10",
    nodes="0 1 0 2e-02 -1 -2 1 -1e-02",
    leaves="-0.5 0.25 1.5",
    threshold="0.2",
    rects="<_>2 3 6 4 -1.</_><_>2 3 3 4 2.</_>",
    tilted="0",
    stages=None,
    features=None,
):
    """A file of one stage with one tree of two nodes."""
    if stages is None:
        trees = TREE.format(nodes=nodes, leaves=leaves)
        stages = STAGE.format(threshold=threshold, trees=trees)
    if features is None:
        second = FEATURE.format(rects="<_>1 1 8 8 -1.</_><_>1 1 8 4 2.</_>", tilted=tilted)
        features = FEATURE.format(rects=rects, tilted="0") + second
    return NEW.format(
        stage_type=stage_type,
        feature_type=feature_type,
        height=height,
        width=width,
        stages=stages,
        features=features,
    )


def old_format(width="10", height="12", left="-0.5", right="1", parent="-1"):
    return OLD.format(width=width, height=height, left=left, right=right, parent=parent)
