"""Base learners of AdaBoost.MH: decision stumps, trees, products of stumps."""

from mddag.learners.learner import Learner as Learner
from mddag.learners.stump import Stump as Stump

__all__ = ["Learner", "Stump"]
