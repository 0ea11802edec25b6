"""Mixture: a weighted sum of the scores after few, some, many and all votes, fitted to labels.

The full score alone is a poor target where boosting has gone on for too long, since every step
towards it looks like a gain. With a_m the factors that make log-odds of the sums f^(m) in the order
of the source,

    z = w_1 a_8 f^(8) + w_2 a_32 f^(32) + w_3 a_128 f^(128) + w_4 a_N F,

whose weights w are fitted to labels by penalised likelihood, the penalty being the distance from
the full score alone. For a loss of probabilities those of z are the targets. For other losses a
condensation follows z with weights that are not negative: an ensemble that was stopped early would
have targets beyond F, which few base classifiers do not reach.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from mddag.calibration.calibration import probabilities, sigmoid, softmax
from mddag.calibration.platt import fit_factor, smoothed
from mddag.ensemble.partial_sums import partial_sums
from mddag.ensemble.votes import Votes
from mddag.mdp.mdp import MDP

LENGTHS = (8, 32, 128)  # besides N
PRIOR = 10.0  # rows that the penalty counts for

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


def with_mixture(learning: MDP, selection: MDP) -> tuple[MDP, MDP]:
    """Both with the probabilities of z in place of labels; z is fitted to the first alone."""
    learned, judged = mixture_shares(learning, selection)
    return learning.with_labels(learned), selection.with_labels(judged)


def mixture_shares(learning: MDP, selection: MDP) -> tuple[Matrix, Matrix]:
    """The probabilities of z, (n, n_classes), of both; z is fitted to the first alone."""
    stages = _stages(learning.votes)
    weights, factors = _fitted(learning, stages)
    scale = weights * factors
    learned, judged = (
        probabilities(np.tensordot(scale, s, axes=1), 1.0)
        for s in (stages, _stages(selection.votes))
    )
    return learned, judged


def mixture_scores(mdp: MDP, votes: Votes | None = None) -> Matrix:
    """z in units of the full scores, (n, K), with weights that are not negative.

    votes : of other rows, whose z is wanted; those of the MDP, which fit the weights, by default
    """
    stages = _stages(mdp.votes)
    weights, factors = _fitted(mdp, stages, lowest=0.0)
    stages = stages if votes is None else _stages(votes)
    scores: Matrix = np.tensordot(weights * factors / factors[-1], stages, axes=1)
    return scores


def _fitted(mdp: MDP, stages: Matrix, lowest: float | None = None) -> tuple[Vector, Vector]:
    """w and a (n_stages,), by the rows that count."""
    counting = np.flatnonzero(mdp.weight)
    labels, mass = mdp.labels[counting], mdp.mass[counting]
    factors = np.array([fit_factor(scores[counting], labels, mass) for scores in stages])
    shares = labels if labels.ndim == 2 else smoothed(labels, max(mdp.n_scores, 2), mass)
    logits = np.stack([a * f[counting] for a, f in zip(factors, stages, strict=True)])
    return _weights(logits, shares[:, -mdp.n_scores :], mass, lowest), factors


def _stages(votes: Votes) -> Matrix:
    """The scores after few, some, many and all votes, (n_stages, n, K)."""
    n_steps = votes.tables.n_classifiers
    lengths = [n for n in LENGTHS if n < n_steps] + [n_steps]
    return np.stack([f.copy() for j, f in enumerate(partial_sums(votes)) if j in lengths])


def _weights(logits: Matrix, targets: Matrix, mass: Vector, lowest: float | None) -> Vector:
    """w (n_stages,) of logits (n_stages, n, K) for targets (n, K), by penalised likelihood."""
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
