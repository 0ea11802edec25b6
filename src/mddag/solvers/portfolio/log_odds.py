"""Condensed arrangements for a loss of probabilities: few base classifiers follow log-odds.

Near its optimum log-loss is a square: with p the probabilities of a mixture of partial sums
(``mixture``) and z their log-odds,

    log-loss of f  ~  log-loss of z  +  1/2 p (1 - p) (f - z)^2,

so a condensation follows z, not the full score F, with rows weighted by p (1 - p) + SURE: a sum of
few base classifiers is not near the optimum, and loses most on rows with a large z whose sign it
does not have. Since the weights of the mixture are fitted to labels, an ensemble that was stopped
too early or too late is corrected. Targets are z's, so rows for selection are used without their
labels. With more than two classes arrangements are those of other losses: z gained nothing there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.votes import Votes
from mddag.mdp.mdp import MDP
from mddag.ordering.condensation import Condensation

RIDGE = 8.0  # rows that the penalty on large weights stands for
SURE = 0.01  # weight of a row whose p (1 - p) is 0; the largest is 1/4
TINY = 1e-12  # a share: its logarithm is finite


def applies_to(mdp: MDP) -> bool:
    """Whether condensed arrangements of this MDP follow log-odds."""
    return mdp.loss.of_probabilities and mdp.n_scores == 1


def are_coded_alike(one: Votes, other: Votes) -> bool:
    """Whether the rows of both can be joined: plain arrays give each a coding of its own."""
    return all(
        np.array_equal(getattr(one.tables, name), getattr(other.tables, name))
        for name in ("starts", "values")
    )


def joined_rows(learning: MDP, selection: MDP) -> MDP:
    """The rows of both, one behind the other."""
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
    """`most` base classifiers whose sum follows the log-odds of the soft targets (n, 2).

    n_rows : as whose sample the rows of the MDP count
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
    """Scores (n, 1) whose probabilities (n, 2) these are."""
    logs: NDArray[np.float64] = np.log(np.maximum(shares, TINY))
    return logs[:, 1:] - logs[:, :1]
