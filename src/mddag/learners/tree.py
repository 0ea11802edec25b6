"""Tree: a decision tree grown best-first, its leaves voting ±1 for each class.

With q_k the summed signed weights of a leaf's rows, a leaf adds sum_k |q_k| to the edge when it
votes sign(q_k). The leaf whose best split raises that sum most is split next. One alpha weighs
the whole tree; there is no pruning.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from mddag._internal.parameters import Parameters
from mddag.ensemble.nodes import Nodes
from mddag.learners._splits import best_first_tree
from mddag.learners.columns import Columns


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
