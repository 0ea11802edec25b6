"""Pictures in the manner of scikit-learn's Display objects: ``from_*``, then ``plot``.

    DagDisplay          the decision DAG as arcs over the base classifiers (Figure 1, lower panel)
    DetectionDisplay    TPR at a fixed FPR against evaluations on negatives (Figure 2)
    ExplanationDisplay  the score of one instance behind each step
    PathDisplay         evaluations over the plane, use of each base classifier (Figure 1 b, c)
    TradeoffDisplay     loss against evaluations, one point per beta

matplotlib is imported when something is drawn, not before; ``pip install 'mddag[plot]'`` gets it.
"""

from mddag.inspection.plotting.dag import DagDisplay as DagDisplay
from mddag.inspection.plotting.detection import DetectionDisplay as DetectionDisplay
from mddag.inspection.plotting.explanation import ExplanationDisplay as ExplanationDisplay
from mddag.inspection.plotting.path import PathDisplay as PathDisplay
from mddag.inspection.plotting.tradeoff import TradeoffDisplay as TradeoffDisplay

__all__ = ["DagDisplay", "DetectionDisplay", "ExplanationDisplay", "PathDisplay", "TradeoffDisplay"]
