"""Calibration: probabilities from scores by positive factors a, inverse temperatures.

A prefix of a shrunken ensemble is less sure than the whole of it, so each group of exits may have
its own factor.

Two classes: p_1 = 1 / (1 + exp(-a f)); more: p = softmax(a f). Since a > 0 the winning class is
that of the scores. The factor maximises the likelihood of smoothed labels: a row of class k counts
as (m_k + 1) / (m_k + K) class k and 1 / (m_k + K) each other class, m_k being the mass of class k
(Platt 1999 for K = 2), so that a stays finite on rows without error. Nothing is shifted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag._read_only import ReadOnlyArrays, read_only


@dataclass(frozen=True, eq=False)
class Calibration(ReadOnlyArrays):
    """What scores at each exit stand for: factor x f + offset, one pair per group of exits.

    groups  : intp (N + 1,), the group of each exit step 0 .. N
    factors : float64 (n_groups,), above 0
    offsets : float64 (n_groups,); 0 for classifiers, whose winning class must not change
    """

    groups: NDArray[np.intp]
    factors: NDArray[np.float64]
    offsets: NDArray[np.float64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", read_only(self.groups, np.intp))
        object.__setattr__(self, "factors", read_only(self.factors, np.float64))
        object.__setattr__(self, "offsets", read_only(self.offsets, np.float64))

    @classmethod
    def one_group(cls, factor: float, n_steps: int) -> Calibration:
        """The same factor at every exit."""
        return cls(np.zeros(n_steps + 1, np.intp), np.array([factor]), np.zeros(1))

    def calibrated(
        self, scores: NDArray[np.float64], exit_step: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """Log-odds (K = 1), logits, or means of scores (n, K) that left at steps (n,)."""
        group = self.groups[exit_step]
        return scores * self.factors[group][:, None] + self.offsets[group][:, None]

    def probabilities(
        self, scores: NDArray[np.float64], exit_step: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """Class probabilities (n, max(K, 2)) of scores (n, K) that left at steps (n,)."""
        return probabilities(scores, self.factors[self.groups[exit_step]][:, None])


REACH = 1e4  # largest a, in units of 1 / the largest score


def fit_factor(
    scores: NDArray[np.float64], labels: NDArray[np.intp], mass: NDArray[np.float64]
) -> float:
    """The factor a > 0 for scores (n, K), labels (n,) in 0..K-1 and row masses (n,) > 0."""
    spread = float(np.abs(scores).max(initial=0.0))
    if spread == 0:
        return 1.0
    from scipy.optimize import brentq  # loaded models calibrate without scipy

    unit = scores / spread
    n_classes = max(scores.shape[1], 2)
    targets = smoothed(labels, n_classes, mass)[:, -scores.shape[1] :]
    pull = unit * (mass / mass.sum())[:, None]

    def slope(a: float) -> float:  # of the log-loss, which is convex in a
        p = sigmoid(a * unit) if unit.shape[1] == 1 else softmax(a * unit)
        return float((pull * (p - targets)).sum())

    # From a = 2, where f would be half the log-odds, walk to where the slope changes its sign.
    low = high = min(max(2 * spread, 1 / REACH), REACH)
    while slope(high) < 0:
        if high >= REACH:
            return REACH / spread
        low, high = high, 4 * high
    while slope(low) > 0:
        if low <= 1 / REACH:  # scores that mislead on these rows: as unsure as can be
            return 1 / (REACH * spread)
        low, high = low / 4, low
    return float(brentq(slope, low, high, xtol=1e-10, rtol=1e-10)) / spread


def smoothed(
    labels: NDArray[np.intp], n_classes: int, mass: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Smoothed labels, float64 (n, n_classes), rows summing to 1."""
    of_class = np.bincount(labels, mass, n_classes)[labels]
    targets = np.repeat(1 / (of_class + n_classes)[:, None], n_classes, axis=1)
    targets[np.arange(len(labels)), labels] *= of_class + 1
    return targets


def probabilities(
    scores: NDArray[np.float64], factor: float | NDArray[np.float64]
) -> NDArray[np.float64]:
    """Class probabilities (n, max(K, 2)) of scores (n, K); the largest is that of the winner."""
    if scores.shape[1] == 1:
        p = sigmoid(factor * scores * [[-1.0, 1.0]])
        winner = (scores[:, 0] > 0).astype(np.intp)
    else:
        p = softmax(factor * scores)
        winner = scores.argmax(axis=1)
    # Scores that differ by less than probabilities can show would let another class win.
    rows = np.flatnonzero(p.argmax(axis=1) != winner)
    p[rows, winner[rows]] = np.nextafter(p[rows].max(axis=1), 1.0)
    return p


def sigmoid(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 / (1 + exp(-logits)), which overflows nowhere."""
    small = np.exp(-np.abs(logits))
    p: NDArray[np.float64] = np.where(logits >= 0, 1.0, small) / (1.0 + small)
    return p


def softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """exp(logits) (n, K) over its sum in each row."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    p: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
    return p
