"""Calibration: what scores stand for, by the exit at which a row left.

The scores of a prefix of a shrunken ensemble are too small, so each group of exits has its own
factor a and, for regressors, offset b: p = sigmoid(a f) or softmax(a f), and E[y] = link(a f + b).
Classifiers have a > 0 and b = 0, which leaves the winning class alone; the probabilities of a row
are the same, to the last bit, in any batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.arrays import ReadOnlyArrays, read_only


@dataclass(frozen=True, eq=False)
class Calibration(ReadOnlyArrays):
    """What scores at each exit stand for: factor * f + offset."""

    groups: NDArray[np.intp]  # (N + 1,), group of each exit step 0 … N
    factors: NDArray[np.float64]  # (n_groups,), positive factors
    # (n_groups,), offsets; 0 for classifiers. Detectors may have offsets below 0 where no score
    # is above 0
    offsets: NDArray[np.float64]

    def __post_init__(self) -> None:
        groups = np.asarray(self.groups)
        factors, offsets = (read_only(a, np.float64) for a in (self.factors, self.offsets))
        if factors.ndim != 1 or offsets.shape != factors.shape:
            raise ValueError(
                f"factors and offsets have shapes {factors.shape} and {offsets.shape}; "
                "wanted one of each for every group, (n_groups,)"
            )
        if groups.ndim != 1 or groups.dtype.kind not in "iu":
            raise ValueError(
                f"groups are {groups.dtype} {groups.shape}; wanted the number of a group for each "
                "exit step, (N + 1,)"
            )
        bad = np.flatnonzero((groups < 0) | (groups >= len(factors)))
        if len(bad):
            raise ValueError(
                f"exit step {bad[0]} is in group {groups[bad[0]]}; groups are numbered "
                f"0..{len(factors) - 1}"
            )
        if not (np.isfinite(factors) & (factors > 0)).all() or not np.isfinite(offsets).all():
            raise ValueError(
                "factors hold others than positive numbers, or offsets others than finite ones"
            )
        object.__setattr__(self, "groups", read_only(groups, np.intp))
        object.__setattr__(self, "factors", factors)
        object.__setattr__(self, "offsets", offsets)

    def __repr__(self) -> str:
        return f"<Calibration of {len(self.factors)} group(s) of {len(self.groups)} exits>"

    @classmethod
    def one_group(cls, factor: float, n_steps: int) -> Calibration:
        """Return the calibration with the same factor at every exit."""
        return cls(np.zeros(n_steps + 1, np.intp), np.array([factor]), np.zeros(1))

    def calibrated(
        self, scores: NDArray[np.float64], exit_step: NDArray[np.integer[Any]]
    ) -> NDArray[np.float64]:
        """Return log-odds (K = 1), logits, or means for scores (n, K) that left at steps (n,)."""
        group = self.groups[exit_step]
        value: NDArray[np.float64] = self.factors[group][:, None] * scores
        value += self.offsets[group][:, None]
        return value

    def log_odds(
        self, scores: NDArray[np.float64], exit_step: NDArray[np.integer[Any]]
    ) -> NDArray[np.float64]:
        """Return log-odds (n,) of binary scores, or logits (n, n_classes) up to a constant."""
        if scores.shape[1] == 2:  # binary, with one score per class
            scores = scores[:, 1:] - scores[:, :1]
        calibrated = self.calibrated(scores, exit_step)
        return calibrated.ravel() if calibrated.shape[1] == 1 else calibrated

    def probabilities(
        self, scores: NDArray[np.float64], exit_step: NDArray[np.integer[Any]]
    ) -> NDArray[np.float64]:
        """Return class probabilities (n, max(K, 2)) for scores (n, K) that left at steps (n,)."""
        group = self.groups[exit_step]
        return probabilities(scores, self.factors[group], self.offsets[group])


def probabilities(
    scores: NDArray[np.float64],
    factor: float | NDArray[np.float64],
    offset: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return class probabilities (n, max(K, 2)) for scores (n, K); the winner's is the largest.

    `factor` is one number or one per row, (n,) or (n, 1); so is the `offset` of a single score.
    """
    p = np.empty((len(scores), max(scores.shape[1], 2)))
    factors = np.ascontiguousarray(np.ravel(factor), np.float64)
    offsets = np.zeros(len(factors)) if offset is None else offset
    _core.probabilities(np.ascontiguousarray(scores, np.float64), factors, offsets, p)
    return p


def sigmoid(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute 1 / (1 + exp(-logits)) without overflow."""
    small = np.exp(-np.abs(logits))
    p: NDArray[np.float64] = np.where(logits >= 0, 1.0, small) / (1.0 + small)
    return p


def softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute exp(logits) (n, K) over its sum in each row."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    p: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
    return p


REACH = 1e4  # largest a, in units of 1 / the largest score


def fit_factor(
    scores: NDArray[np.float64], labels: NDArray[Any], mass: NDArray[np.float64] | None = None
) -> float:
    """Fit the factor of scores (n, K) to labels (n,) or probabilities (n, max(K, 2)).

    The factor maximizes the likelihood of smoothed labels: rows of mass m count as if one row in m
    + 1 had a random class, so that the factor stays finite on rows without error. Platt (1999)
    smooths each class by its own mass; with many small classes that would outweigh the labels.
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
    """Slope of the log-loss in a; the log-loss is convex in it."""

    def __init__(self, unit: NDArray[np.float64], targets: Any, share: NDArray[np.float64]) -> None:
        self.unit, self.targets, self.pull = unit, targets, unit * share[:, None]

    def __call__(self, a: float) -> float:
        p = sigmoid(a * self.unit) if self.unit.shape[1] == 1 else softmax(a * self.unit)
        return float((self.pull * (p - self.targets)).sum())


def _root(slope: _Slope, spread: float) -> float:
    """Find where the slope is 0, in units of 1 / spread, between 1 / REACH and REACH."""
    from scipy.optimize import brentq  # serving, which reads this module, needs no scipy

    # From a = 2, where f would be half the log-odds, walk to where the slope changes its sign
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


def fitted_probabilities(
    scores: NDArray[np.float64], labels: NDArray[Any], mass: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return calibrated probabilities (n, max(K, 2)) of full scores (n, K).

    The factor is fitted to the same rows.
    """
    return probabilities(scores, fit_factor(scores, labels, mass))


def smoothed(
    labels: NDArray[np.intp], n_classes: int, mass: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return smoothed labels, float64 (n, n_classes), rows summing to 1."""
    share = 1 / (mass.sum() + 1)
    targets = np.full((len(labels), n_classes), share / n_classes)
    targets[np.arange(len(labels)), labels] += 1 - share
    return targets
