"""Haar features of a window: differences of sums over rectangles (Viola & Jones 2004).

A feature is up to three rectangles (x, y, w, h, weight); its value is the sum of weight x pixels
over them, with weights x areas summing to 0. Two neighbours a, b are -(a + b) + 2 a; three are
-(a + b + c) + 3 b; four in a chessboard are -(all) + 2 a + 2 d. Upright rectangles only.

Values are divided by area x deviation of the window: see native/haar/normalisation.hpp.
"""

from __future__ import annotations

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


def haar_features(window: Window) -> HaarFeatures:
    """All features of two, three and four rectangles in a window, int32 (m, 3, 5).

    24 x 24 pixels have 162 336. They are ordered by shape, by the size of a part and by place.
    """
    height, width = window
    found = [
        _placed(window, shape, w, h)
        for shape in SHAPES
        for w in range(1, width // shape[0] + 1)
        for h in range(1, height // shape[1] + 1)
    ]
    return np.concatenate([np.empty((0, 3, 5), np.int32), *found])


def _placed(
    window: Window, shape: tuple[int, int, int, tuple[tuple[int, int], ...]], w: int, h: int
) -> HaarFeatures:
    """One feature at every place of the window; its parts are w x h pixels."""
    columns, rows, weight, parts = shape
    y, x = np.mgrid[: window[0] - rows * h + 1, : window[1] - columns * w + 1].reshape(2, -1)
    features = np.zeros((len(x), 3, 5), np.int32)
    features[:, 0, :2] = np.stack([x, y], axis=1)
    features[:, 0, 2:] = columns * w, rows * h, -1
    for r, (column, row) in enumerate(parts, 1):
        features[:, r, :2] = np.stack([x + column * w, y + row * h], axis=1)
        features[:, r, 2:] = w, h, weight
    return features


def haar_values(
    patches: NDArray[np.uint8], features: HaarFeatures, n_threads: int = 1
) -> NDArray[np.float32]:
    """The normalised values of the features on grey patches (n, h, w), float32 (n, m)."""
    values = np.empty((len(patches), len(features)), np.float32)
    rectangles = np.ascontiguousarray(features, np.int32)
    _core.haar_values(np.ascontiguousarray(patches), rectangles, values, n_threads)
    return values
