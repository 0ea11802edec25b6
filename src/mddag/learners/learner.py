"""Base learners of AdaBoost.MH and the method that boosting calls in every round.

A learner reads coded columns, targets y_ik in {+1, -1} and weights w_ik, and returns a tree h whose
edge, sum_ik w_ik y_ik h_k(x_i), is as large as possible. It does not set alpha.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag.ensemble.features import Patches
from mddag.ensemble.nodes import NODE, Nodes
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


Targets = NDArray[np.int8]
Weights = NDArray[np.float64]


def best_stump(columns: Columns, targets: Targets, weights: Weights) -> Nodes:
    """Return the split with the largest sum_k |edge_k|, leaves voting v and -v, or a constant."""
    return _grown(columns, targets, weights, n_leaves=2, opposite=True)


def best_first_tree(columns: Columns, targets: Targets, weights: Weights, n_leaves: int) -> Nodes:
    """Grow a tree of at most `n_leaves` leaves, each voting for the signs of its own sums."""
    return _grown(columns, targets, weights, n_leaves=n_leaves, opposite=False)


def _grown(
    columns: Columns, targets: Targets, weights: Weights, n_leaves: int, opposite: bool
) -> Nodes:
    _check_shapes(columns, targets, weights)
    n_splits = n_leaves - 1
    records = np.empty(2 * n_splits + 1, NODE)
    cuts = np.empty(len(records), np.int32)
    votes = np.empty((n_leaves, targets.shape[1]))
    set_words = (int(columns.n_codes[columns.nominal].max(initial=0)) + 31) // 32
    words = np.empty(n_splits * set_words, np.uint32)
    n_nodes = _core.grow(
        columns.native,
        targets,
        weights,
        opposite,
        records.view(np.uint8),
        cuts,
        votes,
        words,
        columns.n_jobs,
    )
    if n_nodes < 0:
        _refuse_weights(weights)
    records = records[:n_nodes]
    for record, cut in zip(records, cuts.tolist(), strict=False):
        feature = int(record["feature"])
        if feature >= 0 and not columns.nominal[feature]:
            record["threshold"] = columns.threshold(feature, cut)
    return Nodes(records, votes[: (n_nodes + 1) // 2], words[: records["n_words"].sum()])


def _check_shapes(columns: Columns, targets: Targets, weights: Weights) -> None:
    for name, array, dtype in (("targets", targets, np.int8), ("weights", weights, np.float64)):
        if array.dtype != dtype or not array.flags.c_contiguous or array.ndim != 2:
            order = "C-contiguous" if array.flags.c_contiguous else "not C-contiguous"
            raise ValueError(
                f"{name} is {array.dtype} {array.shape}, {order}; "
                f"wanted C-contiguous {np.dtype(dtype)} (n, K)"
            )
    if targets.shape != weights.shape or len(targets) != columns.n_rows or targets.size == 0:
        raise ValueError(
            f"targets {targets.shape} and weights {weights.shape} do not fit "
            f"{columns.n_rows} rows; wanted both of shape ({columns.n_rows}, K) with K >= 1"
        )


def _refuse_weights(weights: Weights) -> None:
    bad = np.argwhere(~((weights >= 0) & (weights <= 1)))
    if len(bad):
        i, k = bad[0]
        raise ValueError(f"weights[{i}, {k}] is {weights[i, k]}; wanted weights >= 0 that sum to 1")
    raise ValueError(f"weights sum to {weights.sum()}; wanted 1: divide them by their sum")
