"""Readings, fitted: the regression of the full score on the sums of blocks, at each check point.

    (weights, level) = argmin  sum_i w_i (F_i - level - sum_b weight_b B_ib)^2 + ridge

Documents near the top count most. A line through the result takes back what the ridge shrinks. The
spread is the residual deviation, by the quantile of the reading. Labels only set the gains: an
isotonic regression of 2^label - 1 on F. Without labels a ranker's exp(F) is assumed, the odds that
its pairwise loss fits, for a regressor 2^F - 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_between
from mddag.mdp.readings import Readings
from mddag.solvers.ranking.problem import RankingProblem

FOCUS = 1.0
RIDGE = 1e-3
SPREAD_CELLS = 8
LEAST_SPREAD = 1e-9
KNOTS = 64  # of the gain curve
GainCurve = tuple[NDArray[np.float64], NDArray[np.float64]]
GROWTH = 0.2  # check points lie so much of their step apart, at least `every`


def check_points(n_steps: int, every: int, growth: float = GROWTH) -> NDArray[np.int64]:
    """Steps before which documents may quit, multiples of `every`, and the end, (C,)."""
    check_between("growth", growth, 0.0, np.inf, "a finite number, 0 or more")
    found, j = [], every
    while j < n_steps:
        found.append(j)
        j += every * max(1, round(growth * j / every))
    return np.array([*found, n_steps], np.int64)


def block_sums(
    problem: RankingProblem, order: NDArray[np.intp], checks: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Sums of votes between check points, (n, C)."""
    tables, votes = problem.votes.tables, problem.votes
    block = np.empty(problem.n_steps, np.intp)
    block[order] = np.searchsorted(checks, np.arange(problem.n_steps), side="right")
    sums = np.zeros((len(checks), len(votes)))
    for j in order.tolist():
        for t in range(tables.rounds[j], tables.rounds[j + 1]):
            sums[block[j]] += tables.table(t)[:, 0][votes.codes[:, t]]
    return np.ascontiguousarray(sums.T)


def fitted_readings(
    problem: RankingProblem,
    blocks: NDArray[np.float64],
    checks: NDArray[np.int64],
    curve: GainCurve,
) -> Readings:
    """The readings of documents whose sums of blocks (n, C) are given."""
    full, n_checks = problem.full, len(checks)
    weight = problem.closeness(FOCUS)
    weights, level = np.zeros((n_checks, n_checks)), np.zeros(n_checks)
    edges, spread = np.zeros((n_checks, SPREAD_CELLS - 1)), np.zeros((n_checks, SPREAD_CELLS))
    for c in range(n_checks):
        known = blocks[:, : c + 1]
        if c < n_checks - 1:
            weights[c, : c + 1], level[c] = _regression(known, full, weight)
        else:  # all is known
            weights[c], level[c] = 1.0, problem.votes.tables.bias[0]
        reading = level[c] + known @ weights[c, : c + 1]
        edges[c], spread[c] = _spreads(reading, full - reading)
    gain_at, gain = curve
    slope = _slope(np.interp(full, gain_at, gain), full)
    return Readings(checks, weights, level, edges, spread, gain_at, gain, slope)


def _regression(
    known: NDArray[np.float64], full: NDArray[np.float64], weight: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    root, n = np.sqrt(weight), known.shape[1]
    design = np.column_stack([known, np.ones(len(full))]) * root[:, None]
    gram = design.T @ design
    gram[np.arange(n), np.arange(n)] += RIDGE * np.trace(gram[:n, :n]) / n + LEAST_SPREAD
    found = np.linalg.solve(gram, design.T @ (full * root))[:n]
    about = known @ found
    slope = _slope(full, about)
    return slope * found, float(full.mean() - slope * about.mean())


def _spreads(
    reading: NDArray[np.float64], rest: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    edges = np.quantile(reading, np.linspace(0, 1, SPREAD_CELLS + 1)[1:-1])
    cell = np.searchsorted(edges, reading)
    n = np.bincount(cell, minlength=SPREAD_CELLS)
    squares = np.bincount(cell, rest**2, SPREAD_CELLS)
    everywhere = squares.sum() / max(n.sum(), 1)
    found = np.where(n > 0, squares / np.maximum(n, 1), everywhere)
    return edges, np.sqrt(found) + LEAST_SPREAD


def gain_curve(problem: RankingProblem, odds: bool) -> GainCurve:
    """Knots of E[gain | F], and its values, which do not fall.

    odds : whether, without labels, exp(F) is the gain; else 2^F - 1
    """
    full = problem.full
    at = np.unique(np.quantile(full, np.linspace(0, 1, KNOTS)))
    if problem.labels is None:
        centred = np.clip(at - full.mean(), -30.0, 30.0)
        gain = np.exp(centred) if odds else np.exp2(np.clip(at, 0.0, 30.0)) - 1.0
        return at, gain
    from sklearn.isotonic import IsotonicRegression

    curve = IsotonicRegression(out_of_bounds="clip")
    curve.fit(full, problem.metric.gains(problem.labels))
    return at, np.maximum.accumulate(np.maximum(curve.predict(at), 0.0))


def _slope(y: NDArray[np.float64], x: NDArray[np.float64]) -> float:
    variance = float(x.var())
    return max(float(np.mean((x - x.mean()) * (y - y.mean()))) / variance, 0.0) if variance else 0.0
