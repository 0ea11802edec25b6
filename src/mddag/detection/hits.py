"""Hits: the windows that a scan accepted, in pixels of the picture and of the level scanned."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag.detection.levels import Levels


@dataclass(frozen=True, eq=False)
class Hits:
    """Accepted windows, ordered by level, row and column.

    boxes : int64 (m, 4), xmin, ymin, xmax, ymax in the picture; the last two are exclusive
    scores : float64 (m,)
    levels : int64 (m,), the number of the scale, 0 the smallest
    places : int64 (m, 2), x and y of the window in the picture of that scale
    n_windows : windows looked at
    n_evaluated : base classifiers evaluated, over all windows
    scales : float32 (L,), of the levels
    """

    boxes: NDArray[np.int64]
    scores: NDArray[np.float64]
    levels: NDArray[np.int64]
    places: NDArray[np.int64]
    n_windows: int
    n_evaluated: int
    scales: NDArray[np.float32]
    shapes: NDArray[np.int64]
    window: tuple[int, int]

    def __len__(self) -> int:
        return len(self.scores)

    def taken(self, chosen: NDArray[np.intp]) -> Hits:
        """Some of the hits, by number."""
        return replace(
            self,
            boxes=self.boxes[chosen],
            scores=self.scores[chosen],
            levels=self.levels[chosen],
            places=self.places[chosen],
        )

    def patches(self, grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The windows as the scan saw them, cut from the scaled pictures: uint8 (m, h, w).

        grey : the picture that was scanned, as `as_grey` gives it
        """
        height, width = self.window
        out = np.empty((len(self), height, width), np.uint8)
        for level in np.unique(self.levels):
            scaled = resized(grey, *self.shapes[level, :2])
            windows = np.lib.stride_tricks.sliding_window_view(scaled, self.window)
            here = self.levels == level
            x, y = self.places[here].T
            out[here] = windows[y, x]
        return out


def resized(grey: NDArray[np.uint8], height: int, width: int) -> NDArray[np.uint8]:
    """A picture made smaller as a scan does it: see native/scan/resize.hpp."""
    out = np.empty((height, width), np.uint8)
    _core.resize(np.ascontiguousarray(grey), out)
    return out


def boxes_of(
    levels: Levels, level: NDArray[np.int64], places: NDArray[np.int64], shape: tuple[int, int]
) -> NDArray[np.int64]:
    """Windows of the levels as boxes of the picture of that shape, cut off at its edges."""
    scales = levels.scales[level, None]
    corners = np.rint(places.astype(np.float32) * scales).astype(np.int64)
    sizes = np.rint(np.array(levels.window[::-1], np.float32) * scales).astype(np.int64)
    ends = np.minimum(corners + sizes, np.array(shape[::-1]))
    return np.concatenate([corners, ends], axis=1)
