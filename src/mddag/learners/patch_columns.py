"""PatchColumns: Haar features of patches as byte codes, without their values.

A column is coded straight from integral images (native/haar/codes.hpp), in bins of equal width
within mean ± 3.5 deviations. Codes rise with values, so a cut between codes is one between values;
where it lies is computed when a learner has chosen it, from that column alone: the middle between
the largest value on the left and the smallest on the right, rounded down to float32, which is the
type of the values.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._internal.checks import checked_threads
from mddag.features.features import Patches
from mddag.features.haar import HaarFeatures
from mddag.features.patches import PatchFeatures
from mddag.learners.columns import Columns

MOST_BINS = 256


@dataclass(frozen=True, eq=False, kw_only=True)
class PatchColumns(Columns):
    """n patches of m Haar features as codes; see ``Columns``.

    cells      : the integral images of all patches, as the kernels take them
    rectangles : int32 (m, 3, 5)
    found      : by column and threshold, the cut that it stands for
    """

    cells: _core.PatchCells
    rectangles: HaarFeatures
    found: dict[tuple[int, float], int] = field(default_factory=dict)

    @classmethod
    def of(
        cls, patches: Patches, features: PatchFeatures, max_bins: int | None, n_threads: int = 1
    ) -> PatchColumns:
        """Code the features of uint8 patches (n, h, w) in at most `max_bins` (256) bins."""
        n_threads = checked_threads(n_threads)
        n_bins = MOST_BINS if max_bins is None else min(max_bins, MOST_BINS)
        (height, width), n, m = features.window, len(patches), features.n
        cells = (
            np.empty(((height + 1) * (width + 1), n), np.uint32),
            np.empty(n, np.float32),
            height,
            width,
        )
        _core.haar_cells(patches, cells, n_threads)
        codes = np.empty((m, n), np.uint8)
        _core.haar_codes(cells, features.rectangles, n_bins, codes, n_threads)
        none = np.zeros(m, np.bool_)
        return cls(
            codes=codes,
            cuts=(),
            n_codes=np.full(m, n_bins, np.int32),
            nominal=none,
            missing=none,
            candidates=np.arange(m),
            n_threads=n_threads,
            cells=cells,
            rectangles=features.rectangles,
        )

    def taken(self, rows: NDArray[np.intp]) -> PatchColumns:
        """Some of the patches, in their codes; thresholds found there are those of these alone."""
        cells, scales, height, width = self.cells
        some = (cells.take(rows, axis=1), scales[rows], height, width)
        return replace(self, codes=self.codes.take(rows, axis=1), cells=some, found={})

    def threshold(self, feature: int, cut: int) -> float:
        """The number t for which ``code <= cut`` means ``x <= t`` on these patches."""
        values = np.empty((1, self.n_rows), np.float32)
        _core.haar_columns(self.cells, self.rectangles[feature : feature + 1], values, 1)
        left = self.codes[feature] <= cut
        low = float(values[0].max(where=left, initial=-np.inf))
        high = float(values[0].min(where=~left, initial=np.inf))
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
    """A float32 number t with low <= t < high, which are float32 numbers, too."""
    if not (np.isfinite(low) and np.isfinite(high)):
        return low if np.isfinite(low) else high
    middle = low / 2 + high / 2
    rounded = np.float32(middle)
    return float(rounded if rounded <= middle else np.nextafter(rounded, np.float32(-np.inf)))
