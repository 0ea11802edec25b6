"""Calibration of a detector: rejected rows below all that passed, later exits higher.

Rows that pass all T steps are read as a (f - theta), a by ``platt``. Rows that are rejected after
step t have scores in [low_t, 0]. Their log-odds are

    b_t + WIDTH x f / |low_t|,        b_t = min(log-odds of the rejected rows of the exits about t,
                                                what keeps them below every later exit)

so scores rank as the contract of a detector wants, and no winning class is changed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.calibration.by_exit import exit_groups
from mddag.calibration.calibration import Calibration
from mddag.calibration.platt import fit_factor

WIDTH = 1e-3  # of the log-odds of one exit: with 500 exits the last and the first differ by one
Vector = NDArray[np.float64]


def reject_calibration(
    scores: Vector,
    exit_step: NDArray[np.integer[Any]],
    labels: NDArray[Any],
    lows: Vector,
    length: int,
    mass: Vector | None = None,
) -> Calibration:
    """What scores (n, 1) stand for, with labels (n,), 1 for positives.

    lows   : (N + 1,), the lowest score that a row can leave with at each exit
    length : T, the exit of rows that pass
    mass   : (n,), of the rows; 1 by default
    """
    n_steps = len(lows) - 1
    mass = np.ones(len(labels)) if mass is None else mass
    passed = np.flatnonzero(exit_step == length)
    factors, offsets = np.ones(n_steps + 1), np.zeros(n_steps + 1)
    if len(passed):
        factors[length:] = fit_factor(scores[passed], labels[passed], mass[passed])
    known = _log_odds(exit_step, labels, mass, n_steps)
    highest = min(factors[length] * lows[length], 0.0)
    for t in range(length - 1, -1, -1):
        offsets[t] = min(known[t], highest - WIDTH)
        factors[t] = WIDTH / max(-lows[t], WIDTH)
        highest = offsets[t] + factors[t] * min(lows[t], 0.0)
    return Calibration(np.arange(n_steps + 1), factors, offsets)


def _log_odds(
    exit_step: NDArray[np.integer[Any]], labels: NDArray[Any], mass: Vector, n_steps: int
) -> Vector:
    """Of positives among the rows that leave about each exit, (N + 1,), smoothed by one row."""
    groups = exit_groups(exit_step, n_steps, mass=mass)
    found = np.bincount(groups[exit_step], mass * labels, groups[-1] + 1) + 0.5
    lost = np.bincount(groups[exit_step], mass * (1 - labels), groups[-1] + 1) + 0.5
    return np.asarray(np.log(found / lost)[groups])
