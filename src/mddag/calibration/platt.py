"""The factor a > 0 that makes probabilities of scores: p = sigmoid(a f) or softmax(a f).

It maximises the likelihood of smoothed labels: rows of mass m count as if among m + 1 one had been
of any class alike, so that a stays finite on rows without error. Platt (1999) smooths each class by
its own mass; with many classes, each of them small, that would outweigh the labels. Soft targets
are taken as they are. Nothing is shifted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from mddag.calibration.calibration import probabilities, sigmoid, softmax

REACH = 1e4  # largest a, in units of 1 / the largest score


def fit_factor(
    scores: NDArray[np.float64], labels: NDArray[Any], mass: NDArray[np.float64] | None = None
) -> float:
    """The factor for scores (n, K), labels (n,) in 0..K-1 and row masses (n,) > 0, 1 by default.

    `labels` may be probabilities (n, max(K, 2)) instead.
    """
    mass = np.ones(len(scores)) if mass is None else mass
    spread = float(np.abs(scores).max(initial=0.0))
    if spread == 0:
        return 1.0
    unit = scores / spread
    shares = labels if labels.ndim == 2 else smoothed(labels, max(scores.shape[1], 2), mass)
    slope = _Slope(unit, shares[:, -scores.shape[1] :], mass / mass.sum())
    try:
        return _root(slope, spread) / spread
    finally:
        # brentq leaves a cycle of references to it: arrays would wait for the next collection
        vars(slope).clear()


class _Slope:
    """The slope of the log-loss in a, which is convex in it."""

    def __init__(self, unit: NDArray[np.float64], targets: Any, share: NDArray[np.float64]) -> None:
        self.unit, self.targets, self.pull = unit, targets, unit * share[:, None]

    def __call__(self, a: float) -> float:
        p = sigmoid(a * self.unit) if self.unit.shape[1] == 1 else softmax(a * self.unit)
        return float((self.pull * (p - self.targets)).sum())


def _root(slope: _Slope, spread: float) -> float:
    """Where the slope is 0, in units of 1 / spread; at most REACH, at least 1 / REACH."""
    # From a = 2, where f would be half the log-odds, walk to where the slope changes its sign.
    low = high = min(max(2 * spread, 1 / REACH), REACH)
    while slope(high) < 0:
        if high >= REACH:
            return REACH
        low, high = high, 4 * high
    while slope(low) > 0:
        if low <= 1 / REACH:  # scores of the wrong sign on these rows: probabilities near 1/2
            return 1 / REACH
        low, high = low / 4, low
    return float(brentq(slope, low, high, xtol=1e-10, rtol=1e-10))


def opinion(
    scores: NDArray[np.float64], labels: NDArray[Any], mass: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """The probabilities (n, max(K, 2)) of full scores (n, K), by the factor of their own rows."""
    return probabilities(scores, fit_factor(scores, labels, mass))


def smoothed(
    labels: NDArray[np.intp], n_classes: int, mass: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Smoothed labels, float64 (n, n_classes), rows summing to 1."""
    share = 1 / (mass.sum() + 1)
    targets = np.full((len(labels), n_classes), share / n_classes)
    targets[np.arange(len(labels)), labels] += 1 - share
    return targets
