"""Haar: base classifiers over Haar features of gray patches (Viola & Jones 2004).

A column is coded straight from integral images (native/haar/codes.hpp), in bins of equal width
within mean ± 3.5 deviations. Codes rise with values, so a cut between codes is one between values;
where it lies is computed when a learner has chosen it, from that column alone: the middle between
the largest value on the left and the smallest on the right, rounded down to float32, which is the
type of the values.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.checks import Parameters, check_whole, checked_jobs
from mddag._utils.warnings import doubt
from mddag.ensemble.features import Patches
from mddag.ensemble.nodes import Nodes
from mddag.ensemble.patches import (
    HaarFeatures,
    PatchFeatures,
    Window,
    checked_window,
    window_of,
)
from mddag.learners.columns import Columns
from mddag.learners.learner import Learner
from mddag.learners.trees import Stump

# Columns and rows of equal parts, the weight of the chosen parts, and their places.
SHAPES = (
    (2, 1, 2, ((0, 0),)),
    (1, 2, 2, ((0, 0),)),
    (3, 1, 3, ((1, 0),)),
    (1, 3, 3, ((0, 1),)),
    (2, 2, 2, ((0, 0), (1, 1))),
)
MOST_BINS = 256


@dataclass(frozen=True, eq=False, kw_only=True)
class PatchColumns(Columns):
    """n patches of m Haar features as codes; see ``Columns``."""

    cells: _core.PatchCells  # the integral images of all patches, as the kernels take them
    rectangles: HaarFeatures  # int32 (m, 3, 5)
    found: dict[tuple[int, float], int] = field(default_factory=dict)  # cuts of thresholds

    @classmethod
    def of(
        cls, patches: Patches, features: PatchFeatures, max_bins: int | None, n_jobs: int = 1
    ) -> PatchColumns:
        """Code the features of uint8 patches (n, h, w) in at most `max_bins` (256) bins."""
        n_jobs = checked_jobs(n_jobs)
        n_bins = MOST_BINS if max_bins is None else min(max_bins, MOST_BINS)
        n, height, width = patches.shape
        sums = np.empty(((height + 1) * (width + 1), n), np.uint32)
        cells = sums, np.empty(n, np.float32), height, width
        _core.haar_cells(patches, cells, n_jobs)
        m = features.n
        codes = np.empty((m, n), np.uint8)
        _core.haar_codes(cells, features.rectangles, n_bins, codes, n_jobs)
        none = np.zeros(m, np.bool_)
        return cls(
            codes=codes,
            cuts=(),
            n_codes=np.full(m, n_bins, np.int32),
            nominal=none,
            missing=none,
            candidates=np.arange(m),
            n_jobs=n_jobs,
            cells=cells,
            rectangles=features.rectangles,
        )

    def taken(self, rows: NDArray[np.intp]) -> PatchColumns:
        """Return some of the patches in their codes, with thresholds of their own."""
        cells, scales, height, width = self.cells
        some = (cells.take(rows, axis=1), scales[rows], height, width)
        return replace(self, codes=self.codes.take(rows, axis=1), cells=some, found={})

    def threshold(self, feature: int, cut: int) -> float:
        """Return the number t for which ``code <= cut`` means ``x <= t`` on these patches."""
        values = np.empty((1, self.codes.shape[1]), np.float32)
        _core.haar_columns(self.cells, self.rectangles[feature : feature + 1], values, 1)
        left = self.codes[feature : feature + 1] <= cut
        low = float(values.max(where=left, initial=-np.inf))
        high = float(values.min(where=~left, initial=np.inf))
        threshold = _middle(low, high)
        self.found[feature, threshold] = cut
        return threshold

    def _cut(self, feature: int, threshold: float) -> int:
        cut = self.found.get((feature, threshold))
        if cut is None:
            raise ValueError(
                f"a split of column {feature} has threshold {threshold!r}, which is none of those "
                "found so far; take thresholds from PatchColumns.threshold(feature, cut)"
            )
        return cut


def _middle(low: float, high: float) -> float:
    """Return a float32 number t with low <= t < high, which are float32 numbers, too."""
    if not (np.isfinite(low) and np.isfinite(high)):
        return low if np.isfinite(low) else high
    middle = low / 2 + high / 2
    rounded = np.float32(middle)
    return float(rounded if rounded <= middle else np.nextafter(rounded, np.float32(-np.inf)))


def haar_features(window: Window, chosen: NDArray[np.integer[Any]] | None = None) -> HaarFeatures:
    """Return the features of a window, or those with the chosen numbers (m,), int32 (m, 3, 5)."""
    # The others are not made, since large windows have too many to hold.
    shape, w, h, starts = _kinds(window)
    number = np.arange(starts[-1]) if chosen is None else np.asarray(chosen, np.int64)
    kind = np.searchsorted(starts, number, side="right") - 1
    place = number - starts[kind]
    features = np.zeros((len(number), 3, 5), np.int32)
    for s, (columns, rows, weight, parts) in enumerate(SHAPES):
        here = np.flatnonzero(shape[kind] == s)
        wide, high = w[kind[here]], h[kind[here]]
        y, x = np.divmod(place[here], window[1] - columns * wide + 1)
        features[here, 0] = np.stack([x, y, columns * wide, rows * high, -np.ones_like(x)], 1)
        for r, (column, row) in enumerate(parts, 1):
            corner = x + column * wide, y + row * high
            features[here, r] = np.stack([*corner, wide, high, np.full_like(x, weight)], 1)
    return features


def n_haar_features(window: Window) -> int:
    """Count the features of a window."""
    return int(_kinds(window)[-1][-1])


def _kinds(window: Window) -> tuple[NDArray[np.int64], ...]:
    """Return shape, width and height of a part of each kind, and where kinds, (k + 1,), begin."""
    # The features of a kind differ only by place.
    kinds = [
        np.stack([np.full(w.shape, s), w, h])
        for s, (columns, rows, *_) in enumerate(SHAPES)
        for w, h in [np.mgrid[1 : window[1] // columns + 1, 1 : window[0] // rows + 1]]
    ]
    shape, w, h = np.concatenate([of.reshape(3, -1) for of in kinds], axis=1)
    columns, rows = np.array([of[:2] for of in SHAPES])[shape].T
    counts = (window[1] - columns * w + 1) * (window[0] - rows * h + 1)
    return shape, w, h, np.append(0, np.cumsum(counts))


def drawn_features(window: Window, n: int | None, rng: np.random.Generator) -> PatchFeatures:
    """Return n of the Haar features of the window, drawn at random; all for None."""
    total, chosen = n_haar_features(window), None
    if n is not None and n < total:
        chosen = np.sort(rng.choice(total, n, replace=False))
    return PatchFeatures.of(window, haar_features(window, chosen))


@dataclass
class Haar(Parameters):
    """Learn stumps or trees over Haar features of gray patches.

    Parameters
    ----------
    n_features : int, default=5000
        Features drawn at random, a byte of memory for each and each patch; None means all. 24 x 24
        pixels have 162,336.
    random_state : int, default=None
        Decides the draw; None follows the estimator.
    window : (int, int), default=None
        Height and width of patches that are given as rows of pixels; None means square.
    learner : Learner, default=None
        What is fitted to the features, such as ``Tree(4)``; None means a stump.

    See Also
    --------
    mddag.learners.Stump : The same on the columns of X.

    Examples
    --------
    >>> import numpy as np
    >>> from mddag import AdaBoostMHClassifier
    >>> from mddag.detection import Haar
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.integers(0, 100, (200, 8, 8)), np.arange(200) % 2
    >>> X[y == 1, 2:5, 3:6] += 70
    >>> boost = AdaBoostMHClassifier(Haar(100, random_state=0), n_rounds=10).fit(X, y)
    >>> bool(boost.score(X, y) > 0.9)
    True
    """

    n_features: int | None = 5000
    random_state: int | None = None
    window: Window | None = None
    learner: Learner | None = None

    def features(self, X: Any, seed: int) -> PatchFeatures:
        """Draw the features that may be used.

        Parameters
        ----------
        X : array-like of shape (n, h, w) or (n, h * w)
            Patches, or their pixels as rows.
        seed : int
            Decides the draw if `random_state` is None.

        Returns
        -------
        PatchFeatures
            The window and the rectangles.
        """
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
        window = window_of(X, None if self.window is None else checked_window(self.window))
        n = n_haar_features(window)
        if self.n_features is not None and self.n_features > n:
            doubt(
                f"n_features is {self.n_features}, but patches of {window} have {n} Haar features, "
                "which are all used; say n_features=None"
            )
        random = np.random.default_rng(seed if self.random_state is None else self.random_state)
        return drawn_features(window, self.n_features, random)

    def columns(
        self, patches: Patches, features: PatchFeatures, max_bins: int | None, n_jobs: int
    ) -> PatchColumns:
        """Code the values of the features, once per fit.

        Parameters
        ----------
        patches : uint8 array of shape (n, h, w)
            Gray patches.
        features : PatchFeatures
            What `features` has drawn.
        max_bins : int or None
            Most codes of a column; None means 256.
        n_jobs : int
            Threads, -1 for all cores.

        Returns
        -------
        PatchColumns
            Codes of each feature.
        """
        return PatchColumns.of(patches, features, max_bins, n_jobs)

    def fit(
        self, columns: Columns, targets: NDArray[np.int8], weights: NDArray[np.float64]
    ) -> Nodes:
        """Learn one base classifier.

        Parameters
        ----------
        columns : Columns
            Codes of the features.
        targets : int8 array of shape (n, K)
            +1 or -1 for each class.
        weights : float64 array of shape (n, K)
            Weights that sum to 1.

        Returns
        -------
        Nodes
            The tree with the largest edge.
        """
        if self.learner is None:
            return Stump().fit(columns, targets, weights)
        return self.learner.fit(columns, targets, weights)
