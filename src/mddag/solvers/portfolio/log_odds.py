"""Log-odds: what arrangements for probabilities are made from, the teacher's log-odds on all rows.

Near its optimum log-loss is a square: with p the teacher's probabilities and z their log-odds,

    log-loss of f  ~  log-loss of z  +  1/2 p (1 - p) (f - z)^2,

so a condensation for probabilities follows z, not the full score F, and rows count by their doubt
and SURE more: few base classifiers are not near the optimum, and lose most where they are wrong.
An ensemble that stopped too early or late is corrected on the way, for the teacher has weighed its
parts by labels. Targets are the teacher's, so rows for selection help without showing their labels.
With more than two classes arrangements are those for labels: a teacher gained nothing there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.votes import Votes
from mddag.mdp.mdp import MDP
from mddag.ordering.condensation import Condensation

RIDGE = 8.0  # rows that the belief in small weights counts for
SURE = 0.01  # of 1/4: what a row counts for that the teacher does not doubt
TINY = 1e-12  # a share: its logarithm is finite


def concerns(mdp: MDP) -> bool:
    """Whether arrangements for these rows for learning are made so."""
    return mdp.loss.of_probabilities and mdp.n_scores == 1


def together(learning: MDP, selection: MDP) -> MDP:
    """The rows of both; those for learning where plain arrays gave each a coding of its own."""
    one, other = learning.votes, selection.votes
    if not all(
        np.array_equal(getattr(one.tables, name), getattr(other.tables, name))
        for name in ("starts", "values")
    ):
        return learning
    return MDP(
        Votes(np.concatenate([one.codes, other.codes]), one.tables),
        np.concatenate([learning.labels, selection.labels]),
        loss=learning.loss,
        costs=learning.costs,
        weight=np.concatenate([learning.weight, selection.weight]),
        grid=learning.grid,
    )


def condensed(mdp: MDP, most: int) -> Condensation:
    """`most` base classifiers whose sum follows the log-odds of the soft targets (n, 2)."""
    doubt = mdp.labels.prod(axis=1)
    return Condensation.of(
        mdp.votes,
        most,
        mdp.costs,
        mdp.weight * (doubt + SURE),
        focus=0.0,
        wanted=log_odds(mdp.labels) / mdp.loss.scale,
        ridge=RIDGE / float(mdp.mass.sum()),
    )


def log_odds(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores (n, 1) whose probabilities (n, 2) these are."""
    logs: NDArray[np.float64] = np.log(np.maximum(shares, TINY))
    return logs[:, 1:] - logs[:, :1]
