"""Targets of a portfolio under log-loss: a mixture of partial scores, fitted to labels.

The full score alone is a poor target where boosting has gone on for too long, since every step
towards it looks like a gain. So z = w_1 a_8 f^(8) + w_2 a_32 f^(32) + w_3 a_128 f^(128) + w_4 a_N
F, where a_m f^(m) are log-odds and the weights w are fitted by penalized likelihood. For other
losses a condensation follows z with non-negative weights: an ensemble that was stopped early would
have targets beyond F, which few base classifiers do not reach.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from mddag.ensemble.votes import Votes, partial_sums
from mddag.policy.calibration import fit_factor, probabilities, sigmoid, smoothed, softmax
from mddag.policy.condensation import Condensation
from mddag.policy.mdp import MDP

LENGTHS = (8, 32, 128)  # and N
PRIOR = 10.0  # rows that the penalty counts for

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


def mixture_shares(learning: MDP, selection: MDP) -> tuple[Matrix, Matrix]:
    """Return the probabilities of z, (n, n_classes), of both; z is fitted to the first alone."""
    stages = _stages(learning.votes)
    weights, factors = _fitted(learning, stages)
    scale = weights * factors
    learned, selected = (
        probabilities(np.tensordot(scale, s, axes=1), 1.0)
        for s in (stages, _stages(selection.votes))
    )
    return learned, selected


def mixture_scores(mdp: MDP, votes: Votes | None = None) -> Matrix:
    """Return z in units of the full scores, (n, K), with non-negative weights.

    `votes` are those of other rows whose z is wanted; by default those of the MDP, which fit the
    weights.
    """
    stages = _stages(mdp.votes)
    weights, factors = _fitted(mdp, stages, lowest=0.0)
    stages = stages if votes is None else _stages(votes)
    scores: Matrix = np.tensordot(weights * factors / factors[-1], stages, axes=1)
    return scores


def _fitted(mdp: MDP, stages: Matrix, lowest: float | None = None) -> tuple[Vector, Vector]:
    """Fit w and a (n_stages,) to the rows that count."""
    counting = np.flatnonzero(mdp.weight)
    labels, mass = mdp.labels[counting], mdp.mass[counting]
    factors = np.array([fit_factor(scores[counting], labels, mass) for scores in stages])
    shares = labels if labels.ndim == 2 else smoothed(labels, max(mdp.n_scores, 2), mass)
    logits = np.stack([a * f[counting] for a, f in zip(factors, stages, strict=True)])
    return _weights(logits, shares[:, -mdp.n_scores :], mass, lowest), factors


def _stages(votes: Votes) -> Matrix:
    """Return the scores after few, some, many and all votes, (n_stages, n, K)."""
    n_steps = votes.tables.n_classifiers
    lengths = [n for n in LENGTHS if n < n_steps] + [n_steps]
    return np.stack([f.copy() for j, f in enumerate(partial_sums(votes)) if j in lengths])


def _weights(logits: Matrix, targets: Matrix, mass: Vector, lowest: float | None) -> Vector:
    """Fit w (n_stages,) for logits (n_stages, n, K) to targets (n, K) by penalized likelihood."""
    alone = np.zeros(len(logits))
    alone[-1] = 1.0
    share, pull = mass / mass.sum(), PRIOR / mass.sum()

    def loss_and_slope(w: Vector) -> tuple[float, Vector]:
        z = np.tensordot(w, logits, axes=1)
        single = z.shape[1] == 1
        p = sigmoid(z) if single else softmax(z)
        total = np.logaddexp(0.0, z[:, 0]) if single else np.logaddexp.reduce(z, axis=1)
        off = w - alone
        loss = share @ (total - (targets * z).sum(axis=1)) + pull / 2 * (off @ off)
        slope = np.einsum("mnk,nk->m", logits, share[:, None] * (p - targets)) + pull * off
        return float(loss), slope

    bounds = [(lowest, None)] * len(alone)
    found: Vector = minimize(loss_and_slope, alone, jac=True, bounds=bounds, tol=1e-10).x
    return found


MAX_ROWS = 3_000  # that a factor is fitted to: one number, and targets without noise


def exit_factors(mdp: MDP) -> NDArray[np.float64]:
    """Return a_0 … a_N by the targets of the MDP, in units of its logistic loss, float64 (N + 1,).

    A calibration by exit reads the score of a row that quits after m votes as a_m f, and the
    log-loss of QUIT must be computed from the same reading: a prefix of a shrunken ensemble has
    small scores, but its probabilities need not be near 1/2. They are fitted to soft targets:
    labels are too noisy to fit that many numbers to.
    """
    few = mdp.rows(mdp.counting(MAX_ROWS))
    mass = few.mass
    factors = [fit_factor(scores, few.labels, mass) for scores in partial_sums(few.votes)]
    return np.array(factors) / mdp.loss.scale


RIDGE = 8.0  # rows that the penalty on large weights stands for
SURE = 0.01  # weight of a row whose p (1 - p) is 0; the largest is 1/4
TINY = 1e-12  # a share: its logarithm is finite


def applies_to(mdp: MDP) -> bool:
    """Return whether condensed arrangements of this MDP follow log-odds."""
    return mdp.loss.of_probabilities and mdp.n_scores == 1


def are_coded_alike(one: Votes, other: Votes) -> bool:
    """Return whether the rows of both can be joined: plain arrays each have their own coding."""
    return all(
        np.array_equal(getattr(one.tables, name), getattr(other.tables, name))
        for name in ("starts", "values")
    )


def joined_rows(learning: MDP, selection: MDP) -> MDP:
    """Concatenate the rows of both."""
    one, other = learning.votes, selection.votes
    return MDP(
        Votes(np.concatenate([one.codes, other.codes]), one.tables),
        np.concatenate([learning.labels, selection.labels]),
        loss=learning.loss,
        costs=learning.costs,
        weight=np.concatenate([learning.weight, selection.weight]),
        grid=learning.grid,
    )


def condensed(mdp: MDP, most: int, n_rows: float) -> Condensation:
    """Choose `most` base classifiers whose sum follows the log-odds z of the soft targets (n, 2).

    Near its optimum log-loss is a square: with p the probabilities of z,

        log-loss of f  ~  log-loss of z  +  1/2 p (1 - p) (f - z)^2,

    so rows are weighted by p (1 - p) + SURE: a sum of few base classifiers is not near the optimum,
    and loses most on rows with a large z whose sign it does not have. Targets are z's, so rows for
    selection are used without their labels. For multiclass z gained nothing. `n_rows` is the
    effective number of rows.
    """
    variance = mdp.labels.prod(axis=1)
    return Condensation.of(
        mdp.votes,
        most,
        mdp.costs,
        mdp.weight * (variance + SURE),
        focus=0.0,
        wanted=log_odds(mdp.labels) / mdp.loss.scale,
        ridge=RIDGE / n_rows,
    )


def log_odds(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scores (n, 1) with these probabilities (n, 2)."""
    logs: NDArray[np.float64] = np.log(np.maximum(shares, TINY))
    return logs[:, 1:] - logs[:, :1]
