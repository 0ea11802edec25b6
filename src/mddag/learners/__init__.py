"""Base learners of AdaBoost.MH: columns, targets, weights come in, one tree (``Nodes``) goes out.

| learner | h |
|---|---|
| Stump | one cut of one column; the paper's choice |
| Tree | a tree grown best-first, for interactions of columns |

`mddag.detection.Haar` fits either to rectangle features of grey patches. ``learner`` has the
contract: start there. ``columns`` is X as learners read it.
"""

from mddag.learners.learner import Learner as Learner
from mddag.learners.trees import Stump as Stump
from mddag.learners.trees import Tree as Tree

__all__ = ["Learner", "Stump", "Tree"]
