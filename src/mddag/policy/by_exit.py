"""Calibration by exit: a factor (and for regressors an offset) for each group of exits.

Adjacent exits are merged until every group has LEAST rows. A classifier's factor is best fitted to
the full ensemble's probabilities, not to labels: of the confident rows of an early exit one in
hundreds is wrong, and whether a group holds none or two of them would decide its factor.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.arrays import mass as mass_of
from mddag._utils.arrays import part
from mddag.ensemble.ensemble import Ensemble
from mddag.losses import Loss, OfMeans, RegressionLoss, Squared
from mddag.policy.calibration import Calibration, fit_factor, fitted_probabilities
from mddag.policy.rollout import Rollout

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
    """Fit factors that turn scores (n, K) into probabilities; labels (n,) or soft targets.

    They never change the winning class. Drawing the factor of a group towards that of all rows made
    probabilities worse, since exits do differ.
    """
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
    """Fit offsets b of exp(f + b) in each group, for scores of a log link.

    By default the mean prediction becomes the mean target; a `loss` has the offset with the
    smallest mean loss.
    """
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
