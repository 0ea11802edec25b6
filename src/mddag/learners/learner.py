"""The contract of a base learner: the method that AdaBoost.MH calls in every round.

A learner reads the columns as codes, targets y_ik in {+1, -1} and weights w_ik, and returns a tree
h whose edge, sum_ik w_ik y_ik h_k(x_i), is as large as possible. It does not set alpha.

Columns are those of X, or, for a learner with its ``OwnColumns``, computed from X once per fit.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.nodes import Nodes
from mddag.features.patches import PatchFeatures
from mddag.features.rows import Patches
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


class OwnColumns(Learner, Protocol):
    """A learner that computes the columns it reads from patches, instead of reading X."""

    def features(self, X: Any, seed: int) -> PatchFeatures:
        """All columns that trees may read; the fitted ensemble keeps those that they do.

        seed : decides on what is random where the learner has no seed of its own
        """
        ...

    def columns(
        self, patches: Patches, features: PatchFeatures, max_bins: int | None, n_threads: int
    ) -> Columns:
        """Those columns of patches uint8 (n, h, w) as codes, once per fit."""
        ...


def own_columns(learner: Any) -> OwnColumns | None:
    """The learner, if it makes its own columns."""
    own = callable(getattr(learner, "columns", None)) and callable(
        getattr(learner, "features", None)
    )
    return learner if own else None
