"""Haar features of a window: differences of sums over rectangles (Viola & Jones 2004).

A feature is up to three rectangles (x, y, w, h, weight); its value is the sum of weight x pixels
over them, with weights x areas summing to 0. Two neighbours a, b are -(a + b) + 2 a; three are
-(a + b + c) + 3 b; four in a chessboard are -(all) + 2 a + 2 d. Upright rectangles only.

Values are divided by area x deviation of the window: see native/haar/normalisation.hpp.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag import _core

Window = tuple[int, int]  # height, width
HaarFeatures = NDArray[np.int32]  # (m, 3, 5)

# Columns and rows of equal parts, the weight of the chosen parts, and their places.
SHAPES = (
    (2, 1, 2, ((0, 0),)),
    (1, 2, 2, ((0, 0),)),
    (3, 1, 3, ((1, 0),)),
    (1, 3, 3, ((0, 1),)),
    (2, 2, 2, ((0, 0), (1, 1))),
)
MOST_PIXELS = 1 << 20  # of a window


def haar_features(window: Window, chosen: NDArray[np.integer[Any]] | None = None) -> HaarFeatures:
    """All features of two, three and four rectangles in a window, int32 (m, 3, 5).

    24 x 24 pixels have 162 336. They are ordered by shape, by the size of a part and by place.
    chosen : some of them by number, (m,); the others are never made, since large windows have too
        many to hold
    """
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
    """How many features a window has."""
    return int(_kinds(window)[-1][-1])


def _kinds(window: Window) -> tuple[NDArray[np.int64], ...]:
    """A kind are the features that differ by place alone: shape, width and height of a part of each
    kind, (k,); the number of its first feature, and that of all, (k + 1,)."""
    kinds = [
        np.stack([np.full(w.shape, s), w, h])
        for s, (columns, rows, *_) in enumerate(SHAPES)
        for w, h in [np.mgrid[1 : window[1] // columns + 1, 1 : window[0] // rows + 1]]
    ]
    shape, w, h = np.concatenate([of.reshape(3, -1) for of in kinds], axis=1)
    columns, rows = np.array([of[:2] for of in SHAPES])[shape].T
    counts = (window[1] - columns * w + 1) * (window[0] - rows * h + 1)
    return shape, w, h, np.append(0, np.cumsum(counts))


def haar_values(
    patches: NDArray[np.uint8], features: HaarFeatures, n_threads: int = 1
) -> NDArray[np.float32]:
    """The normalised values of the features on grey patches (n, h, w), float32 (n, m)."""
    values = np.empty((len(patches), len(features)), np.float32)
    rectangles = np.ascontiguousarray(features, np.int32)
    _core.haar_values(np.ascontiguousarray(patches), rectangles, values, n_threads)
    return values
