"""Base learners of AdaBoost.MH and the method that boosting calls in every round.

A learner reads coded columns, targets y_ik in {+1, -1} and weights w_ik, and returns a tree h whose
edge, sum_ik w_ik y_ik h_k(x_i), is as large as possible. It does not set alpha.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.features import Patches
from mddag.ensemble.nodes import Nodes
from mddag.ensemble.patches import PatchFeatures
from mddag.learners.columns import Columns


class Learner(Protocol):
    """Protocol of base learners: any object with this `fit` method is one.

    Examples
    --------
    >>> from mddag import AdaBoostMHClassifier
    >>> from mddag.learners import Stump
    >>> class SmallColumns:
    ...     def fit(self, columns, targets, weights):
    ...         return Stump().fit(columns.restricted([0, 1]), targets, weights)
    >>> X, y = [[0, 0, 0], [1, 0, 1], [2, 1, 0], [3, 1, 1]], [0, 0, 1, 1]
    >>> AdaBoostMHClassifier(SmallColumns(), n_rounds=1).fit(X, y).predict(X)
    array([0, 0, 1, 1])
    """

    def fit(
        self, columns: Columns, targets: NDArray[np.int8], weights: NDArray[np.float64]
    ) -> Nodes:
        """Learn one tree whose leaves vote ±1 for each class.

        Parameters
        ----------
        columns : Columns
            Coded columns of the training rows.
        targets : ndarray of shape (n, K), int8
            Targets in {+1, -1}, C-contiguous; K = 1 for binary problems.
        weights : ndarray of shape (n, K), float64
            Non-negative weights that sum to 1, C-contiguous.

        Returns
        -------
        Nodes
            The tree; a single leaf is a constant vote.
        """
        ...


class OwnColumns(Learner, Protocol):
    """Protocol of learners that compute the columns they read from image patches."""

    def features(self, X: Any, seed: int) -> PatchFeatures:
        """Return all columns that trees may read; the fitted ensemble keeps those that they do.

        `seed` is used where the learner has no seed of its own.
        """
        ...

    def columns(
        self, patches: Patches, features: PatchFeatures, max_bins: int | None, n_jobs: int
    ) -> Columns:
        """Code those columns of patches uint8 (n, h, w), once per fit."""
        ...


def own_columns(learner: Any) -> OwnColumns | None:
    """Return the learner if it computes its own columns, else None."""
    own = callable(getattr(learner, "columns", None)) and callable(
        getattr(learner, "features", None)
    )
    return learner if own else None
