"""Stump: one cut of one column, h_k(x) = v_k phi(x) with phi(x) = +1 if x > theta, else -1.

The cut maximises sum_k |edge_k| with edge_k = sum_i w_ik y_ik phi(x_i), and v_k is the sign of
edge_k. On a nominal column phi is +1 inside a set of categories. Where no split has another
edge than a constant vote, the stump is that constant vote.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from mddag._utils.checks import Parameters
from mddag.ensemble.nodes import Nodes
from mddag.learners.columns import Columns
from mddag.learners.learner import best_first_tree, best_stump


@dataclass
class Stump(Parameters):
    """The best cut of the best column."""

    def fit(
        self, columns: Columns, targets: NDArray[np.int8], weights: NDArray[np.float64]
    ) -> Nodes:
        """See `Learner.fit`."""
        return best_stump(columns, targets, weights)


@dataclass
class Tree(Parameters):
    """A tree of at most `n_leaves` leaves (2 to 256)."""

    n_leaves: int = 8

    def fit(
        self, columns: Columns, targets: NDArray[np.int8], weights: NDArray[np.float64]
    ) -> Nodes:
        """See `Learner.fit`."""
        if not isinstance(self.n_leaves, Integral) or not 2 <= self.n_leaves <= 256:
            raise ValueError(f"n_leaves is {self.n_leaves!r}; wanted a whole number from 2 to 256")
        return best_first_tree(columns, targets, weights, self.n_leaves)
