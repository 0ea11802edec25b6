"""Pictures in the manner of scikit-learn's Display objects: ``from_*``, then ``plot``.

    DagDisplay        the decision DAG as arcs over the base classifiers (Figure 1, lower panel)
    PathDisplay       evaluations over the plane, use of each base classifier (Figure 1 b, c)
    TradeoffDisplay   loss against evaluations, one point per beta

matplotlib is imported when something is drawn, not before; ``pip install 'mddag[plot]'`` gets it.
"""

from mddag.inspection.plotting.dag import DagDisplay as DagDisplay
from mddag.inspection.plotting.path import PathDisplay as PathDisplay
from mddag.inspection.plotting.tradeoff import TradeoffDisplay as TradeoffDisplay

__all__ = ["DagDisplay", "PathDisplay", "TradeoffDisplay"]
