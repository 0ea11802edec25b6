"""Refitted arrangements: few base classifiers whose leaves are fitted anew to rows for learning.

The leaf values of a booster are those of the rows that it was trained on; the labels of the rows
for learning, which it has not seen, correct them (``refitting``). A few trees then err as little as
many more did before. The targets are the mean of label and teacher.

The full ensemble, corrected likewise, is also a better teacher than it was, and less biased in
favour of its own errors: a second opinion, by which candidates are judged.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.votes import Votes
from mddag.mdp.mdp import MDP
from mddag.ordering.arrangement import Arrangement
from mddag.solvers.portfolio.refitting import Refitting, refitted_tables
from mddag.solvers.teacher import with_teacher

SIZES = (5, 10, 20, 40)  # base classifiers
MOST_VOTES = 2_000_000  # rows x trees that are fitted: this bounds the time
MOST_OPINION = 8_000_000  # the same of the full ensemble, which is fitted once

Vector = NDArray[np.float64]


def are_refitted(learning: MDP, selection: MDP) -> bool:
    """Whether leaves are fitted: of trees, the same for both, to two classes that are counted.

    With more classes there are as many trees for each base classifier, which takes long, and where
    it was tried nothing was gained.
    """
    if learning.n_scores > 1 or learning.of_numbers or learning.loss.prices(2) is None:
        return False
    tables = learning.votes.tables
    return tables is selection.votes.tables and tables.of_trees


def refitted_sizes(mdp: MDP, n_rows: int, every: int = 1) -> list[int]:
    """Numbers of base classifiers, in whole decisions, that are not too many for their time."""
    each = mdp.votes.tables.n_trees / mdp.n_steps
    whole = dict.fromkeys(-(-size // every) * every for size in SIZES)
    return [m for m in whole if m < mdp.n_steps and m * each * n_rows <= MOST_VOTES]


def refitted(before: Arrangement, mdp: MDP) -> tuple[Arrangement, Votes]:
    """The arrangement with leaf values fitted to the rows of an MDP, and the votes of these rows,
    each by values that it did not fit."""
    fitted = Refitting.of(before.votes(mdp.votes), targets(mdp), mdp.mass)
    return fitted.arrangement(before, mdp.votes.tables), fitted.crossed()


def targets(mdp: MDP) -> Vector:
    """Probabilities (n, max(K, 2)): the mean of label and teacher, or soft targets as they are."""
    if mdp.labels.ndim == 2:
        return np.asarray(mdp.labels, np.float64)
    taught = np.asarray(with_teacher(mdp).labels, np.float64)
    taught[np.arange(len(taught)), mdp.labels] += 1.0
    return taught / 2


def second_opinion(learning: MDP, votes: Votes) -> Vector | None:
    """Scores (n, K) of other rows: those of the full ensemble and of the corrected one, added.

    None where the ensemble is too large to be corrected, and where targets are a teacher's already.
    """
    if learning.labels.ndim == 2 or learning.votes.codes.size > MOST_OPINION:
        return None
    labels = np.eye(max(learning.n_scores, 2))[learning.labels]
    tables = refitted_tables(learning.votes, labels, learning.mass)
    scores: Vector = votes.scores() + Votes(votes.codes, tables).scores()
    return scores
