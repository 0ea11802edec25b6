"""Exact translations of foreign split rules into ``x <= threshold``.

Some libraries test ``x < t``; some first round x to float32 (to nearest, ties to even) or to zero,
and compare what is left. Each function returns the largest double that still goes left, so that the
one rule of this package decides every float64 and every float32 x as the source does. NaN is not a
matter of thresholds (see ``Nodes.missing_left``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

# To the rounding of doubles, the float32 behind the largest finite one is 2^128, not infinity.
_BEYOND = 2.0**128

NEARLY_ZERO = float(np.float32(1e-35))  # LightGBM's kZeroThreshold


def less(t: ArrayLike) -> NDArray[np.float64]:
    """Thresholds of ``x < t``."""
    t = _sending_some_left(np.asarray(t, np.float64))
    return _before(t)


def less_float32(t: ArrayLike) -> NDArray[np.float64]:
    """Thresholds of ``float32(x) < t``, t float32 (XGBoost)."""
    t = _sending_some_left(np.asarray(t, np.float32))
    return _last_rounding_to(_before(t))


def at_most_float32(t: ArrayLike) -> NDArray[np.float64]:
    """Thresholds of ``float32(x) <= t``, t float64 (scikit-learn's trees, CatBoost)."""
    t = np.asarray(t, np.float64)
    with np.errstate(over="ignore"):  # a finite t may lie beyond float32
        nearest = t.astype(np.float32)
    return _last_rounding_to(np.where(nearest > t, _before(nearest), nearest))


def at_most_past_zero(t: ArrayLike) -> NDArray[np.float64]:
    """Thresholds of ``x <= t`` where every x within 1e-35 of zero is read as zero (LightGBM)."""
    t = np.asarray(t, np.float64)
    below = _before(np.array(-NEARLY_ZERO))
    return np.where(np.abs(t) > NEARLY_ZERO, t, np.where(t < 0, below, NEARLY_ZERO))


def _last_rounding_to(value: NDArray[np.float32]) -> NDArray[np.float64]:
    """The largest double that rounds to the float32 `value` or to a smaller one.

    Doubles between two neighbouring float32 go to the nearer; the midpoint, exact as a double,
    goes to the one whose last bit is even.
    """
    above = -_before(-value)
    middle = (_as_rounding_sees(value) + _as_rounding_sees(above)) / 2
    even = value.view(np.uint32) % 2 == 0
    last = np.where(even, middle, _before(middle))
    return np.where(value == np.inf, np.inf, last)


def _before(value: NDArray[Any]) -> NDArray[Any]:
    with np.errstate(over="ignore"):  # -inf comes before the smallest finite number
        return np.asarray(np.nextafter(value, value.dtype.type(-np.inf)))


def _as_rounding_sees(value: NDArray[np.float32]) -> NDArray[np.float64]:
    return np.clip(value.astype(np.float64), -_BEYOND, _BEYOND)


def _sending_some_left(t: NDArray[Any]) -> NDArray[Any]:
    if (t == -np.inf).any():
        raise ValueError("a split `x < -inf` sends nothing left; wanted thresholds above -inf")
    return t
