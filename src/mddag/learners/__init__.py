"""Base learners of AdaBoost.MH: `Stump` is the paper's choice, `Tree` captures interactions.

`mddag.detection.Haar` fits either to rectangle features of grayscale patches.
"""

from mddag.learners.learner import Learner as Learner
from mddag.learners.trees import Stump as Stump
from mddag.learners.trees import Tree as Tree

__all__ = ["Learner", "Stump", "Tree"]
