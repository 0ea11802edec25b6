"""Haar features of a window: differences of sums over rectangles (Viola & Jones 2004).

A feature is up to three upright rectangles (x, y, w, h, weight); its value is the sum of weight *
pixels over them, divided by area * deviation of the window (native/haar/normalization.hpp), and
weights * areas sum to 0. `PatchFeatures` computes these columns from grayscale patches, so that
votes, policies, executors and model files need not know where columns come from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isqrt
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.arrays import read_only
from mddag._utils.checks import typed
from mddag.ensemble.features import Features, Patches, Rows

Window = tuple[int, int]  # height, width
HaarFeatures = NDArray[np.int32]  # (m, 3, 5)

MOST_PIXELS = 1 << 20  # of a window


def haar_values(
    patches: NDArray[np.uint8], features: HaarFeatures, n_jobs: int = 1
) -> NDArray[np.float32]:
    """Compute the normalized values of features on grayscale patches (n, h, w), float32 (n, m)."""
    values = np.empty((len(patches), len(features)), np.float32)
    rectangles = np.ascontiguousarray(features, np.int32)
    _core.haar_values(np.ascontiguousarray(patches), rectangles, values, n_jobs)
    return values


GRAY = "gray levels, uint8 (n, height, width) or (n, height * width)"
LEAST_SIDE = 2


@dataclass(frozen=True, eq=False)
class PatchFeatures(Features):
    """Haar features of patches of one size; made by ``of``, which checks them.

    Patches are uint8 (n, h, w), or their pixels as rows (n, h w); floats and colors raise
    ValueError.
    """

    window: Window = (LEAST_SIDE, LEAST_SIDE)  # height and width of the patches
    # (n, 3, 5), x, y, w, h and weight of the rectangles of each feature
    rectangles: HaarFeatures = field(default_factory=lambda: np.zeros((0, 3, 5), np.int32))

    @classmethod
    def of(cls, window: Window, rectangles: Any) -> PatchFeatures:
        """Make features from int32 (m, 3, 5) and a window (height, width)."""
        window = checked_window(window)
        features = np.asarray(rectangles)
        if features.dtype != np.int32 or features.shape[1:] != (3, 5):
            raise ValueError(
                f"rectangles are {features.dtype} {features.shape}; wanted int32 (m, 3, 5): x, y, "
                "w, h, weight of up to three rectangles"
            )
        features = read_only(features, np.int32)
        at, fault = _core.haar_fault(features, *window)
        if at >= 0:
            raise ValueError(f"feature {at} of a window of {window} {fault}")
        return cls(len(features), window=window, rectangles=features)

    @property
    def n_given(self) -> int:
        """Number of pixels of a patch."""
        return self.window[0] * self.window[1]

    def rows(self, X: Any) -> Rows:
        """Compute the features of patches X, float32 (n_patches, n)."""
        if isinstance(X, Rows) and X.passed(self):
            return X
        return Rows.of(haar_values(self.patches(X), self.rectangles), self)

    def read(self, X: Any) -> Rows | Patches:
        """Check the patches X; Rows that were computed from patches before stay as they are."""
        return X if isinstance(X, Rows) and X.passed(self) else self.patches(X)

    def patches(self, X: Any) -> Patches:
        """Return X as uint8 (n, height, width), C-contiguous, or raise a precise error."""
        return checked_patches(X, self.window)

    def one_patch(self, x: Any) -> Patches:
        """Return one patch, (height, width) or its pixels in a row, as (1, height, width)."""
        array = np.asarray(x)
        if array.shape not in (self.window, (1, *self.window), (self.n_given,), (1, self.n_given)):
            raise ValueError(
                f"x is {typed(x)} of shape {array.shape}; wanted one patch, uint8 {self.window}"
            )
        return self.patches(array.reshape(1, *self.window))

    def taken(self, columns: NDArray[np.intp]) -> PatchFeatures:
        """Select columns."""
        return PatchFeatures.of(self.window, self.rectangles[columns])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PatchFeatures):
            return False
        return self.window == other.window and np.array_equal(self.rectangles, other.rectangles)

    def __hash__(self) -> int:
        return hash((self.window, self.rectangles.tobytes()))


def checked_window(window: Any) -> Window:
    """Return (height, width) as whole numbers of at least two pixels."""
    sides = tuple(window) if isinstance(window, (tuple, list)) else ()
    whole = all(isinstance(s, Integral) and not isinstance(s, bool) for s in sides)
    if len(sides) != 2 or not whole:
        raise ValueError(f"window is {window!r}; wanted (height, width) in pixels")
    height, width = map(int, sides)
    if min(height, width) < LEAST_SIDE or height * width > MOST_PIXELS:
        raise ValueError(
            f"window is {(height, width)}; wanted at least {LEAST_SIDE} x {LEAST_SIDE} pixels and "
            f"at most {MOST_PIXELS} in all"
        )
    return height, width


def window_of(X: Any, window: Window | None = None) -> Window:
    """Return the size of the patches X, which must be `window` if given.

    Rows of pixels are square by default.
    """
    shape = np.shape(X)
    if len(shape) == 3:
        found = checked_window(tuple(shape[1:]))
        if window is not None and found != window:
            raise ValueError(f"X holds patches of {found} pixels; wanted {window}: resize them")
        return found
    if len(shape) != 2:
        advice = ""
        if len(shape) == 4 and shape[-1] == 1:
            advice = "; drop the last axis"
        elif len(shape) == 4 and shape[-1] in (3, 4):
            advice = "; these look like color images: average the channels"
        raise ValueError(f"X has shape {shape}; wanted {GRAY}{advice}")
    side = isqrt(shape[1])
    if window is None and side * side != shape[1]:
        raise ValueError(
            f"X has rows of {shape[1]} pixels, which is not the square of a number; say how they "
            "lie by Haar(window=(height, width)), or pass patches (n, height, width)"
        )
    window = checked_window((side, side)) if window is None else window
    if shape[1] != window[0] * window[1]:
        raise ValueError(
            f"X has rows of {shape[1]} pixels; wanted {window[0] * window[1]}, patches of {window}"
        )
    return window


def checked_patches(X: Any, window: Window | None = None, name: str = "X") -> Patches:
    """Return X as uint8 (n, height, width), C-contiguous; messages call it `name`."""
    array = np.asarray(X)
    window = window_of(array, window)
    if len(array) == 0:
        raise ValueError(f"{name} has 0 patches (shape {array.shape}); a minimum of 1 is required")
    if array.dtype.kind not in "iu":
        advice = ""
        if array.dtype.kind == "f" and np.isnan(array).any():
            advice = "; it contains NaN, which is no gray level: leave such patches out"
        elif array.dtype.kind == "f":
            advice = "; convert them: np.rint(255 * X).astype(np.uint8) if X is from 0 to 1"
        raise ValueError(f"{name} is {array.dtype}; wanted {GRAY}{advice}")
    if array.dtype != np.uint8 and (array.min() < 0 or array.max() > 255):
        raise ValueError(
            f"{name} holds numbers from {array.min()} to {array.max()}; wanted gray levels from 0 "
            "to 255"
        )
    return np.ascontiguousarray(array.reshape(-1, *window), np.uint8)


def pixel_rows(X: Any) -> Any:
    """Return patches (n, h, w) as rows of pixels (n, h w), whose columns scikit-learn counts."""
    return np.asarray(X).reshape(len(X), -1) if np.ndim(X) == 3 else X
