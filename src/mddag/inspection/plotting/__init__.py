"""Draw, in the manner of scikit-learn's Display objects: ``from_*``, then ``plot``.

matplotlib is imported when something is drawn, not before; ``pip install 'mddag[plot]'`` gets it.
"""

from mddag.inspection.plotting.curves import TradeoffDisplay as TradeoffDisplay
from mddag.inspection.plotting.dag import DagDisplay as DagDisplay
from mddag.inspection.plotting.paths import PathDisplay as PathDisplay

__all__ = [
    "DagDisplay",
    "PathDisplay",
    "TradeoffDisplay",
]
