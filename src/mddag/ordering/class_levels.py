"""Levels of an order for several classes: partial sums that come nearest to the full log-odds.

Least squares (``arrangement``) measure how far each class ends from the mean of all. Of 26 classes
most are far from winning a row, and their squares are the largest; the label depends on the first
few alone. So with p = softmax, and S_j the sum of the first j votes, the levels are

    t_j = argmin_t  min_a  sum_i w_i KL( p(F_i) || p(a (S_ij + t)) ),

in a unit of F in which its margins have the root mean square `MARGIN`. Rows with a large margin,
and classes of small probability, have little weight. Newton's method finds t_j from t_{j-1}.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from mddag.ensemble.partial_sums import partial_sums, top_and_margin
from mddag.ensemble.votes import Votes
from mddag.ordering.arrangement import centred, filled, within_reach
from mddag.ordering.covariances import shares

MARGIN = 5.0  # of log-odds
MOST_ITERATIONS = 20  # of the first step; later ones begin near their end
LONGEST = 2.0  # change of a number in one iteration: far from its end Newton's method overshoots
NEAR = 1e-3  # change that ends the iterations
DAMPING = 1e-4
LEAST_FACTOR = 0.05  # of sums with deviation 1; below it they are noise

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


def by_log_odds(votes: Votes, weight: Vector) -> Matrix:
    """The levels t_0 .. t_N of the votes in their order, (N + 1, K), K > 1."""
    weight, bias = shares(weight), votes.tables.bias
    wanted = softmax(_in_unit(votes.scores(), weight), axis=1)
    before = np.log(np.maximum(weight @ wanted, np.finfo(float).tiny))
    constants = np.tile(before - before.mean(), (votes.tables.n_classifiers + 1, 1))
    slope, factor = np.zeros(len(constants)), 1.0
    for j, scores in enumerate(partial_sums(votes)):
        sums = centred(scores - bias)
        constants[j] = constants[max(j - 1, 0)]
        spread = np.sqrt(weight @ np.square(sums - weight @ sums).mean(axis=1))
        if spread > 0:
            factor, constants[j] = _fitted(sums / spread, wanted, weight, factor, constants[j])
            slope[j] = factor / spread
    if not slope.any():  # nothing varies
        return np.tile(bias, (len(constants), 1))
    return within_reach(constants / filled(slope)[:, None], votes)


def _in_unit(scores: Matrix, weight: Vector) -> Matrix:
    rms = np.sqrt(weight @ np.square(top_and_margin(scores)[1]))
    return scores * (MARGIN / rms) if rms > 0 else scores


def _fitted(
    sums: Matrix, wanted: Matrix, weight: Vector, factor: float, constants: Vector
) -> tuple[float, Vector]:
    """The factor and the constants (K,) with which softmax(factor sums + constants) is nearest to
    the wanted probabilities; sums and wanted are (n, K)."""
    for _ in range(MOST_ITERATIONS):
        change = _newton(sums, wanted, weight, factor, constants)
        change *= min(1.0, LONGEST / max(float(np.abs(change).max()), NEAR))
        factor = max(factor - float(change[0]), LEAST_FACTOR)
        constants = constants - change[1:]
        if np.abs(change).max() < NEAR:
            break
    return factor, constants - constants.mean()


def _newton(
    sums: Matrix, wanted: Matrix, weight: Vector, factor: float, constants: Vector
) -> Vector:
    """Newton's step for the factor and the constants, (1 + K,)."""
    share = weight[:, None]
    found = softmax(factor * sums + constants, axis=1)
    wrong, pull = share * (found - wanted), found * sums
    mean = pull.sum(axis=1, keepdims=True)
    gradient = np.append((wrong * sums).sum(), wrong.sum(axis=0))
    curvature = np.empty((len(gradient), len(gradient)))
    curvature[0, 0] = (share * (pull * sums - mean * pull)).sum()
    curvature[0, 1:] = curvature[1:, 0] = (share * (pull - mean * found)).sum(axis=0)
    curvature[1:, 1:] = np.diag(weight @ found) - (share * found).T @ found
    curvature += DAMPING * np.eye(len(gradient))
    return np.linalg.solve(curvature, gradient)
