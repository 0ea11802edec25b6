"""The contract of a base learner: the method that AdaBoost.MH calls in every round.

A learner reads the columns as codes, targets y_ik in {+1, -1} and weights w_ik, and returns a tree
h whose edge, sum_ik w_ik y_ik h_k(x_i), is as large as possible. It does not set alpha.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.nodes import Nodes
from mddag.learners.columns import Columns


class Learner(Protocol):
    """Anything with this method learns base classifiers; there is nothing to inherit."""

    def fit(
        self, columns: Columns, targets: NDArray[np.int8], weights: NDArray[np.float64]
    ) -> Nodes:
        """A tree whose leaves vote ±1 for each class; one leaf alone is a constant vote.

        targets : int8 (n, K) in {+1, -1}, C-contiguous; K = 1 for two classes
        weights : float64 (n, K), >= 0, summing to 1, C-contiguous
        """
        ...
