"""Haar: base classifiers over Haar features of grey patches (Viola & Jones 2004).

A learner that makes its own columns: ``features`` says which, once per fit, ``columns`` codes them,
and in each round a stump (or `learner`) is fitted to the codes. The fitted ensemble keeps the
rectangles that it uses, and reads patches. How values are normalised: native/haar.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import Parameters, check_whole
from mddag._internal.warnings import doubt
from mddag.ensemble.nodes import Nodes
from mddag.features.features import Patches
from mddag.features.haar import Window, haar_features, n_haar_features
from mddag.features.patches import PatchFeatures, checked_window, window_of
from mddag.learners.columns import Columns
from mddag.learners.learner import Learner, best_stump
from mddag.learners.patch_columns import PatchColumns


@dataclass
class Haar(Parameters):
    """Stumps over `n_features` Haar features, drawn at random from all; None: all of them.

    n_features   : 24 x 24 pixels have 162 336; a byte of memory for each and each patch
    random_state : of the draw, a whole number; None: follows that of the estimator
    window       : (height, width) of patches that are given as rows of pixels; None: square
    learner      : what is fitted to the features, such as ``Tree(4)``; None: a stump
    """

    n_features: int | None = 5000
    random_state: int | None = None
    window: Window | None = None
    learner: Learner | None = None

    def features(self, X: Any, seed: int) -> PatchFeatures:
        """The features that may be used of patches like X; see `OwnColumns.features`."""
        self._check()
        window = window_of(X, None if self.window is None else checked_window(self.window))
        n = n_haar_features(window)
        if self.n_features is None or self.n_features == n:
            return PatchFeatures.of(window, haar_features(window))
        if self.n_features > n:
            doubt(
                f"n_features is {self.n_features}, but patches of {window} have {n} Haar features, "
                "which are all used; say n_features=None"
            )
            return PatchFeatures.of(window, haar_features(window))
        random = np.random.default_rng(seed if self.random_state is None else self.random_state)
        drawn = np.sort(random.choice(n, self.n_features, replace=False))
        return PatchFeatures.of(window, haar_features(window, drawn))

    def columns(
        self, patches: Patches, features: PatchFeatures, max_bins: int | None, n_threads: int
    ) -> PatchColumns:
        """See `OwnColumns.columns`."""
        return PatchColumns.of(patches, features, max_bins, n_threads)

    def fit(
        self, columns: Columns, targets: NDArray[np.int8], weights: NDArray[np.float64]
    ) -> Nodes:
        """See `Learner.fit`."""
        if self.learner is None:
            return best_stump(columns, targets, weights)
        return self.learner.fit(columns, targets, weights)

    def _check(self) -> None:
        if self.n_features is not None:
            check_whole("n_features", self.n_features, 1)
        if self.random_state is not None:
            check_whole("random_state", self.random_state, 0)
        fits = callable(getattr(self.learner, "fit", None))
        if self.learner is not None and (not fits or hasattr(self.learner, "columns")):
            raise TypeError(
                f"learner is {self.learner!r}; wanted one that is fitted to columns, such as "
                "mddag.learners.Tree(4), or None for a stump"
            )
