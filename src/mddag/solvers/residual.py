"""Residual: quit when the full score, as predicted from f^(j), is far enough from a tie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mddag._utils.checks import check_whole
from mddag.ensemble.votes import partial_sums, top_and_margin
from mddag.policy.mdp import MDP
from mddag.solvers.exits import ExitCandidates, OneParameter, check_classes, inner_edges

DEVIATIONS = np.linspace(0.0, 8.0, 129)  # z
FARTHEST = 20.0  # deviations from the tie; beyond, weights would be too small to compute with
Vector = NDArray[np.float64]


@dataclass
class Residual(OneParameter):
    """Quit when the predicted full score is z standard deviations away from a tie.

    At each step j the full score is regressed on the partial one, F = a_j f^(j) + b_j with residual
    deviation s_j, and the lines are smoothed over j. A row quits where ``abs(a_j f + b_j) > z s_j``
    and f already has the sign of the prediction; for K > 1 both are margins of the class that leads
    at j. A line is smooth where counts of rare changes of sign are noisy, but its tails may be
    heavier than normal, so z is tuned by Eq. (8).

    Parameters
    ----------
    every : int, default=1
        Number of steps between two looks at the score.
    width : int, default=15
        Number of steps over which the regression is averaged.

    Examples
    --------
    >>> import mddag
    >>> from mddag.solvers import Residual
    >>> mdp = mddag.MDP([[2.0, 0.1], [-1.5, 0.1], [-0.1, 1.0]], [1, 0, 1], beta=0.05)
    >>> mdp.evaluate(Residual().solve(mdp)).loss
    0.0
    """

    width: int = 15

    linear_levels: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("width", self.width, 1)

    def candidates(self, mdp: MDP) -> ExitCandidates:
        check_classes(self, mdp)
        slope, intercept, deviation = (
            _smoothed(numbers, self.width)[:: self.every, None] for numbers in lines(mdp)
        )
        edges, sign = inner_edges(mdp.grid)
        confidence = slope * edges  # a number per step and cell: changed in place
        confidence += intercept
        confidence *= sign
        with np.errstate(over="ignore"):  # where nothing remains to be said, all is certain
            confidence /= np.maximum(deviation, np.finfo(float).tiny)
        confidence[:, sign == 0] = -np.inf
        return ExitCandidates(mdp, confidence, DEVIATIONS, self.every)


def lines(mdp: MDP) -> tuple[Vector, Vector, Vector]:
    """Return a_j, b_j and s_j of every step but the last, each (N,)."""
    if not mdp.weight.all():  # the nearest row to a tie is one that counts
        mdp = mdp.rows(mdp.counting())
    full = mdp.votes.scores()
    fits = np.empty((mdp.n_steps, 3))
    for j, scores in enumerate(partial_sums(mdp.votes)):
        if j < mdp.n_steps:
            fits[j] = _line(*_now_and_then(scores, full), mdp.weight)
    return fits[:, 0], fits[:, 1], fits[:, 2]


def _now_and_then(scores: Vector, full: Vector) -> tuple[Vector, Vector]:
    """Return the partial and the full score, or margins of the class that leads now if K > 1."""
    if scores.shape[1] == 1:
        return scores[:, 0], full[:, 0]
    top, margin = top_and_margin(scores)
    rows = np.arange(len(full))
    rest = full.copy()
    rest[rows, top] = -np.inf
    return margin, full[rows, top] - rest.max(axis=1)


def _line(now: Vector, then: Vector, weight: Vector) -> tuple[float, float, float]:
    """Fit slope (never negative), intercept and residual deviation, mostly to rows near now = 0."""
    distance, total = np.abs(now), weight.sum()
    center = (weight * now).sum() / total
    spread = np.sqrt((weight * np.square(now - center)).sum() / total)
    if spread > 0:  # measured from the nearest row, or a bias far from 0 would leave no weight
        weight = weight * np.exp(-2 * np.minimum((distance - distance.min()) / spread, FARTHEST))
    total = weight.sum()

    def mean(numbers: Vector) -> float:
        return float((weight * numbers).sum() / total)

    center, level = mean(now), mean(then)
    variance, covariance = mean((now - center) ** 2), mean((now - center) * (then - level))
    slope = max(covariance / variance, 0.0) if variance > 0 else 0.0
    intercept = level - slope * center
    return slope, intercept, mean((then - slope * now - intercept) ** 2) ** 0.5


def _smoothed(numbers: Vector, width: int) -> Vector:
    """Return a moving average from step 1 on, padded with the end values.

    Step 0 is left out: before the first vote all rows are alike, and their line is of another kind.
    """
    if len(numbers) < 2:
        return numbers
    before, after = (width - 1) // 2, width // 2
    padded = np.pad(numbers[1:], (before, after), mode="edge")
    return np.append(numbers[0], np.convolve(padded, np.full(width, 1 / width), "valid"))
