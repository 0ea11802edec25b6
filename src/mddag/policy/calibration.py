"""Calibration: what scores stand for, by the exit at which a row left.

The scores of a prefix of a shrunken ensemble are too small, so each group of exits has its own
factor a and, for regressors, offset b: p = sigmoid(a f) or softmax(a f), and E[y] = link(a f + b).
Classifiers have a > 0 and b = 0, which leaves the winning class alone; the probabilities of a row
are the same, to the last bit, in any batch. Adjacent exits are merged until every group has LEAST
rows. A classifier's factor is best fitted to the full ensemble's probabilities, not to labels: of
the confident rows of an early exit one in hundreds is wrong, and whether a group holds none or two
of them would decide its factor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.arrays import ReadOnlyArrays, part, read_only
from mddag._utils.arrays import mass as mass_of
from mddag.ensemble.ensemble import Ensemble
from mddag.losses import Loss, OfMeans, RegressionLoss, Squared
from mddag.policy.rollout import Rollout


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
    """Return probabilities (n, max(K, 2)) of full scores (n, K), calibrated on the same rows."""
    return probabilities(scores, fit_factor(scores, labels, mass))


def smoothed(
    labels: NDArray[np.intp], n_classes: int, mass: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return smoothed labels, float64 (n, n_classes), rows summing to 1."""
    share = 1 / (mass.sum() + 1)
    targets = np.full((len(labels), n_classes), share / n_classes)
    targets[np.arange(len(labels)), labels] += 1 - share
    return targets


LEAST = 100
PRIOR = 100.0
ROUNDING = 1e-9  # of the largest score: what varies less does not vary
SLOPES = (0.2, 8.0)  # of lines fitted by another loss than the squared error

Exits = NDArray[np.integer[Any]]
Vector = NDArray[np.float64]
Line = Callable[[Vector, Vector, Vector], tuple[float, float]]


def exit_groups(
    exit_step: Exits, n_steps: int, least: int = LEAST, mass: Vector | None = None
) -> NDArray[np.intp]:
    """Return the group of each exit step 0 … N, merging neighbors until each holds `least` mass."""
    counts = np.bincount(exit_step, mass, n_steps + 1)
    groups = np.zeros(n_steps + 1, np.intp)
    group, held = 0, 0.0
    for step, count in enumerate(counts):
        groups[step] = group
        held += count
        if held >= least:
            group, held = group + 1, 0.0
    return np.minimum(groups, max(group - 1, 0))  # what is left over joins the last full group


def exit_calibration(
    ensemble: Ensemble,
    scores: Vector,
    exit_step: Exits,
    targets: NDArray[Any],
    weight: Vector | None = None,
    loss: Loss | None = None,
) -> Calibration:
    """Fit what the scores (n, K) of each exit stand for, by the task of the ensemble.

    `targets` are numbers (n,) for regressors, whose `loss` is to be small (the squared error by
    default); for classifiers the probabilities (n, n_classes) of the full ensemble, or labels (n,).
    """
    n_steps = ensemble.n_classifiers
    rows_mass = None if weight is None else mass_of(weight)
    if ensemble.task.calibrated == "probabilities":
        return class_calibration(scores, exit_step, targets, n_steps, rows_mass)
    fit = mean_calibration if ensemble.task.calibrated == "means" else log_mean_calibration
    return fit(scores, exit_step, targets, n_steps, rows_mass, loss)


def calibrated(
    ensemble: Ensemble,
    found: Rollout,
    full: Vector,
    labels: NDArray[Any],
    weight: Vector | None,
    loss: Loss | None = None,
) -> Calibration:
    """Fit the calibration of a model that is shipped, to rows as they left its policy.

    `full` are the scores (n, K) of the full ensemble, whose probabilities classifiers are fitted
    to; `labels` are targets as an MDP has them.
    """
    if ensemble.task.calibrated == "probabilities":
        labels = fitted_probabilities(full, labels, None if weight is None else mass_of(weight))
    return exit_calibration(ensemble, found.scores, found.exit_step, labels, weight, loss)


def class_calibration(
    scores: Vector,
    exit_step: Exits,
    labels: NDArray[Any],
    n_steps: int,
    mass: Vector | None = None,
) -> Calibration:
    """Fit factors, which never change the winning class, to labels (n,) or soft targets."""
    groups = exit_groups(exit_step, n_steps, mass=mass)
    factors = np.empty(groups[-1] + 1)
    for g in range(len(factors)):
        rows = np.flatnonzero(groups[exit_step] == g)
        factors[g] = fit_factor(scores[rows], labels[rows], part(mass, rows))
    return Calibration(groups, factors, np.zeros(len(factors)))


def mean_calibration(
    scores: Vector,
    exit_step: Exits,
    targets: Vector,
    n_steps: int,
    mass: Vector | None = None,
    loss: Loss | None = None,
) -> Calibration:
    """Fit lines a f + b to the targets (n,) of scores (n, 1) in each group, by least squares.

    They are drawn towards a = 1, b = 0, which is what the full ensemble was trained for: a line
    through m rows counts m / (m + PRIOR). Losses other than the squared error have the line with
    the smallest mean loss.
    """
    fit: Line = _line
    if isinstance(loss, RegressionLoss) and not isinstance(loss, Squared):
        fit = partial(_line_by_loss, loss)
    return _by_group(scores[:, 0], exit_step, targets, n_steps, fit, mass)


def log_mean_calibration(
    scores: Vector,
    exit_step: Exits,
    targets: Vector,
    n_steps: int,
    mass: Vector | None = None,
    loss: Loss | None = None,
) -> Calibration:
    """Fit offsets b of exp(f + b) in each group, for scores of a log link."""
    of_means = loss.loss if isinstance(loss, OfMeans) else loss
    fit: Line = _log_shift
    if isinstance(of_means, RegressionLoss) and not isinstance(of_means, Squared):
        fit = partial(_log_shift_by_loss, of_means)
    return _by_group(scores[:, 0], exit_step, targets, n_steps, fit, mass)


def _by_group(
    scores: Vector,
    exit_step: Exits,
    targets: Vector,
    n_steps: int,
    fit: Line,
    mass: Vector | None,
) -> Calibration:
    if (exit_step == n_steps).all():  # the full ensemble needs no line
        return Calibration.one_group(1.0, n_steps)
    mass = np.ones(len(scores)) if mass is None else mass
    groups = exit_groups(exit_step, n_steps, mass=mass)
    fitted = np.tile([1.0, 0.0], (groups[-1] + 1, 1))
    for g in range(len(fitted)):
        rows = np.flatnonzero(groups[exit_step] == g)
        held = float(mass[rows].sum())
        if held >= LEAST:
            trust = held / (held + PRIOR)
            line = np.array(fit(scores[rows], targets[rows], mass[rows]))
            fitted[g] += trust * (line - [1.0, 0.0])
    return Calibration(groups, fitted[:, 0], fitted[:, 1])


def _line(scores: Vector, targets: Vector, mass: Vector) -> tuple[float, float]:
    center, mean = (float(np.average(v, weights=mass)) for v in (scores, targets))
    apart, rounding = scores - center, ROUNDING * np.abs(scores).max()
    spread = (mass * np.square(apart)).sum()
    slope = 1.0
    if spread > mass.sum() * rounding**2:  # the mean of equal scores need not be one of them
        slope = (mass * apart * (targets - mean)).sum() / spread
    slope = slope if slope > 0 else 1.0
    return slope, mean - slope * center


def _line_by_loss(
    loss: RegressionLoss, scores: Vector, targets: Vector, mass: Vector
) -> tuple[float, float]:
    """Return slope and offset with the smallest mean loss; the best offset is known by slope."""
    from scipy.optimize import minimize_scalar  # serving, which reads this module, needs no scipy

    def mean_loss(slope: float) -> float:
        line = slope * scores
        line += loss.shift(line, targets, mass)
        return float(np.average(loss.of(line, targets), weights=mass))

    slope = 1.0
    if np.ptp(scores) > ROUNDING * np.abs(scores).max(initial=0.0):
        slope = float(minimize_scalar(mean_loss, bounds=SLOPES, options={"xatol": 1e-3}).x)
    return slope, loss.shift(slope * scores, targets, mass)


def _log_shift_by_loss(
    loss: RegressionLoss, scores: Vector, targets: Vector, mass: Vector
) -> tuple[float, float]:
    factor = loss.factor(np.exp(scores), targets, mass)
    return 1.0, float(np.log(factor)) if factor > 0 else 0.0


def _log_shift(scores: Vector, targets: Vector, mass: Vector) -> tuple[float, float]:
    mean, predicted = (float(np.average(v, weights=mass)) for v in (targets, np.exp(scores)))
    return 1.0, float(np.log(mean / predicted)) if mean > 0 else 0.0
