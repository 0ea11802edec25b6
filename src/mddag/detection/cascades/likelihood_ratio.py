"""Wald's test on scores: reject where a positive is too unlikely to have come so far with them.

With p(s, survived | class) the density of the scores of a class among rows that survive so far,

    reject up to the largest r such that  p(s | positive) <= miss x p(s | negative)  for all s <= r.

miss is Wald's bound for a test that accepts nothing early: of the positives at most the share
miss x (share of the negatives that is rejected) is lost.
Densities are Parzen windows (Gaussian, on BINS bins), which fill the gaps between few rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

BINS = 256
NORMAL_RULE = 1.06  # the deviation times this times n^(-1/5) fits a normal density best
NOTHING = 1e-12  # a density of no row

Vector = NDArray[np.float64]


def wald_reject(
    positives: Vector, negatives: Vector, shares: tuple[float, float], miss: float, smoothing: float
) -> float:
    """The threshold r for surviving rows with these scores (n,) of each class; -inf if none.

    shares    : what one row of each class stands for, 1 / rows of the class at the start
    smoothing : width of the Parzen window, in units of the width that fits a normal density
    """
    if len(positives) == 0 or len(negatives) == 0:
        return -np.inf
    low = min(positives.min(), negatives.min())
    high = max(positives.max(), negatives.max())
    width = smoothing * NORMAL_RULE * float(positives.std()) * len(positives) ** -0.2
    width = max(width, (high - low) / BINS, 1e-9)
    low, high = low - 3 * width, high + 3 * width
    step = (high - low) / BINS
    density = [
        share * gaussian_filter1d(_counts(scores, low, step), width / step, mode="constant")
        for scores, share in zip((positives, negatives), shares, strict=True)
    ]
    likely = (density[0] > miss * density[1]) & (density[0] > NOTHING)
    first = int(likely.argmax()) if likely.any() else BINS
    return low + first * step if first else -np.inf


def _counts(scores: Vector, low: float, step: float) -> Vector:
    bins = ((scores - low) / step).astype(np.intp)
    return np.bincount(bins, minlength=BINS).astype(float)
