"""OpenCV's cascade files: Haar features, stumps or trees, as `cv2.CascadeClassifier` read them.

Both formats are read: that of opencv_traincascade (type_id opencv-cascade-classifier, and all
files that OpenCV 4 shipped) and the older one (opencv-haar-classifier). Windows, scales, steps and
normalization are those of OpenCV 4: the deviation leaves out one pixel at each side, windows of a
deviation of 10 gray levels or less are rejected, and a window that the first stage rejects hides
its neighbor. LBP and HOG features, tilted rectangles and trees of stages raise ModelFileError.

Files may be hostile: their size, numbers and rectangles are checked, and entities are an error.
"""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass, field
from typing import NoReturn
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from mddag._utils.checks import checked_path
from mddag.detection.windows import LEAF, WindowClassifier
from mddag.serving.model_file import ModelFileError

MOST_BYTES = 1 << 23  # the largest cascade of OpenCV has 2.7 MB
MOST_TAGS = 300_000  # it has 122,046, and a parsed element takes some 300 bytes
MOST_SIDE = 1000  # of a window
MOST_TEXT = 1 << 13  # characters of a list of numbers
THRESHOLD_SLACK = np.float32(1e-5)  # that OpenCV takes off the threshold of a stage
MIN_DEVIATION = 10.0


def read_cascade(path: str | os.PathLike[str]) -> WindowClassifier:
    """Read the classifier in a cascade file of OpenCV; it scans as OpenCV does."""
    name = os.fspath(checked_path(path))
    size = os.path.getsize(name)
    if size > MOST_BYTES:
        raise ModelFileError(
            f"cannot read {name!r}: it has {size} bytes; wanted at most {MOST_BYTES}, since "
            "cascades have few million"
        )
    with open(name, "rb") as file:
        content = file.read(MOST_BYTES)
    try:
        return _classifier(_root(content))
    except (ValueError, OverflowError) as fault:
        raise ModelFileError(f"cannot read {name!r}: {fault}") from None


def _refuse(what: str) -> NoReturn:
    """Raise for a fault of the file, whose name the message gets later."""
    raise ValueError(what)


@dataclass
class _Nodes:
    """The lists that become the arrays of a WindowClassifier."""

    features: list[list[list[int]]] = field(default_factory=list)
    feature: list[int] = field(default_factory=list)
    threshold: list[np.float32] = field(default_factory=list)
    next: list[list[int]] = field(default_factory=list)
    votes: list[list[float]] = field(default_factory=list)
    tree_starts: list[int] = field(default_factory=lambda: [0])
    stage_starts: list[int] = field(default_factory=lambda: [0])
    stage_reject: list[float] = field(default_factory=list)

    def add_stage(self, threshold: float) -> None:
        """Make one stage of the trees since the last."""
        self.stage_starts.append(len(self.tree_starts) - 1)
        self.stage_reject.append(float(np.float32(threshold) - THRESHOLD_SLACK))

    def add_node(self, feature: int, threshold: float, sides: list[tuple[int, float]]) -> None:
        """Add a split whose sides are nodes, or leaves with a vote."""
        self.feature.append(feature)
        # OpenCV's value < threshold is our value <= the float32 before it.
        self.threshold.append(np.nextafter(np.float32(threshold), np.float32(-np.inf)))
        self.next.append([side[0] for side in sides])
        self.votes.append([float(np.float32(side[1])) for side in sides])


def _root(content: bytes) -> Element:
    """Return the element of the cascade."""
    if content.count(b"<") + content.count(b"=") > MOST_TAGS:
        _refuse(f"it has more than {MOST_TAGS} tags and attributes; no cascade has that many")
    if b"\0" in content or re.search(rb"<!(DOCTYPE|ENTITY)", content, re.IGNORECASE):
        _refuse("it declares entities or is not plain text; OpenCV writes neither")
    try:
        storage = ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError, RecursionError, LookupError) as error:
        _refuse(f"it is no sound XML ({error})")
    if storage.tag != "opencv_storage" or len(storage) == 0:
        _refuse("it is no cascade file of OpenCV: wanted an <opencv_storage> with a cascade")
    return storage[0]


def _classifier(root: Element) -> WindowClassifier:
    nodes = _Nodes()
    is_new = root.find("stageType") is not None
    window = _read_new(root, nodes) if is_new else _read_old(root, nodes)
    return WindowClassifier(
        window=window,
        features=np.reshape(nodes.features, (-1, 3, 5)),
        node_feature=np.array(nodes.feature),
        node_threshold=np.array(nodes.threshold),
        node_next=np.reshape(nodes.next, (-1, 2)),
        node_votes=np.reshape(nodes.votes, (-1, 2)),
        tree_starts=np.array(nodes.tree_starts),
        stage_starts=np.array(nodes.stage_starts),
        stage_fresh=np.ones(len(nodes.stage_reject), np.bool_),
        stage_reject=np.array(nodes.stage_reject),
        margin=1,
        min_deviation=MIN_DEVIATION,
        skips=True,
    )


def _read_new(root: Element, nodes: _Nodes) -> tuple[int, int]:
    """Read the format of opencv_traincascade; return height and width of the window."""
    kinds = [(_child(root, of).text or "").strip()[:40] for of in ("stageType", "featureType")]
    if kinds != ["BOOST", "HAAR"]:
        _refuse(f"it has {kinds[1]} features in {kinds[0]} stages; wanted HAAR and BOOST")
    window = _side(_numbers(root, "height")[0]), _side(_numbers(root, "width")[0])
    for stage in _items(root, "stages"):
        for tree in _items(stage, "weakClassifiers"):
            _add_tree(nodes, _numbers(tree, "internalNodes"), _numbers(tree, "leafValues"))
        nodes.add_stage(_numbers(stage, "stageThreshold")[0])
    nodes.features = [_feature(item) for item in _items(root, "features")]
    return window


def _add_tree(nodes: _Nodes, splits: list[float], leaves: list[float]) -> None:
    """Read a tree, of left, right, feature and threshold for each node."""
    first = len(nodes.feature)
    if len(splits) % 4 or len(leaves) != len(splits) // 4 + 1:
        _refuse(f"a tree has {len(splits)} numbers for its nodes and {len(leaves)} leaves")
    for left, right, feature, threshold in zip(*[iter(splits)] * 4, strict=True):
        sides = []
        for side in map(_whole, (left, right)):  # above 0 a node, else a leaf
            if -side >= len(leaves):
                _refuse(f"a node leads to leaf {-side} of {len(leaves)}")
            sides.append((first + side, 0.0) if side > 0 else (LEAF, leaves[-side]))
        nodes.add_node(_whole(feature), threshold, sides)
    nodes.tree_starts.append(len(nodes.feature))


def _read_old(root: Element, nodes: _Nodes) -> tuple[int, int]:
    """Read the format of opencv_haartraining: nodes have their features in them."""
    size = _numbers(root, "size")
    if len(size) != 2:
        _refuse(f"its size is {len(size)} numbers; wanted width and height")
    for number, stage in enumerate(_items(root, "stages")):
        parent = stage.find("parent")
        if parent is not None and _whole(_numbers(stage, "parent")[0]) != number - 1:
            _refuse("its stages are a tree; wanted one stage after the other")
        for tree in _items(stage, "trees"):
            first = len(nodes.feature)
            for node in tree:
                nodes.features.append(_feature(_child(node, "feature")))
                sides = []
                for side in ("left", "right"):
                    if node.find(f"{side}_node") is not None:
                        sides.append((first + _whole(_numbers(node, f"{side}_node")[0]), 0.0))
                    else:
                        sides.append((LEAF, _numbers(node, f"{side}_val")[0]))
                threshold = _numbers(node, "threshold")[0]
                nodes.add_node(len(nodes.features) - 1, threshold, sides)
            nodes.tree_starts.append(len(nodes.feature))
        nodes.add_stage(_numbers(stage, "stage_threshold")[0])
    return _side(size[1]), _side(size[0])


def _feature(item: Element) -> list[list[int]]:
    """Return three rectangles of x, y, w, h and weight."""
    tilted = item.find("tilted")
    if tilted is not None and (tilted.text or "").strip() not in ("", "0"):
        _refuse("it has tilted rectangles, which are not supported; wanted upright ones")
    rectangles = []
    for rectangle in _items(item, "rects"):
        numbers = _listed(rectangle)
        if len(numbers) != 5:
            _refuse(f"a rectangle has {len(numbers)} numbers; wanted x, y, width, height, weight")
        rectangles.append([_whole(number) for number in numbers])
    if len(rectangles) > 3:
        _refuse(f"a feature has {len(rectangles)} rectangles; wanted up to 3")
    return rectangles + [[0] * 5] * (3 - len(rectangles))


def _child(element: Element, name: str) -> Element:
    child = element.find(name)
    if child is None:
        _refuse(f"a <{element.tag}> has no <{name}>: the file is cut off or of another kind")
    return child


def _items(element: Element, name: str) -> Element:
    items = _child(element, name)
    if len(items) == 0:
        _refuse(f"its <{name}> are empty")
    return items


def _numbers(element: Element, name: str) -> list[float]:
    numbers = _listed(_child(element, name))
    if not numbers:
        _refuse(f"a <{name}> holds no number")
    return numbers


def _listed(element: Element) -> list[float]:
    text = element.text or ""
    if len(text) > MOST_TEXT:
        _refuse(f"a <{element.tag}> holds {len(text)} characters; no cascade has that many")
    try:
        numbers = [float(word) for word in text.split()]
    except ValueError:
        _refuse(f"a <{element.tag}> holds {text.strip()[:40]!r}; wanted numbers")
    if not all(math.isfinite(number) and abs(number) < 3e38 for number in numbers):
        _refuse(f"a <{element.tag}> holds a number that is not finite in 32 bits")
    return numbers


def _whole(number: float) -> int:
    if number != int(number) or abs(number) >= 1 << 31:
        _refuse(f"it holds {number:g} where a whole number is wanted")
    return int(number)


def _side(number: float) -> int:
    if not 3 <= number <= MOST_SIDE:
        _refuse(f"a side of its window is {number:g} pixels; wanted 3 to {MOST_SIDE}")
    return _whole(number)
