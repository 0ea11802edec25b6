"""Base learners of AdaBoost.MH: decision stumps, trees, products of stumps."""

from mddag.learners.learner import Learner as Learner
from mddag.learners.product import Product as Product
from mddag.learners.stump import Stump as Stump
from mddag.learners.tree import Tree as Tree

__all__ = ["Learner", "Product", "Stump", "Tree"]
