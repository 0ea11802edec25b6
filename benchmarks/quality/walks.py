"""A walk: what rows are decided for, how surely and at what cost after every round of an ensemble.

Prefixes, margin rules and LightGBM's early stop differ in where they end on this walk, so it is
made once for each model and sample.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.quality.nodes import depths_of, winners
from mddag import Ensemble, Votes
from mddag.ensemble.votes import partial_sums, top_and_margin


@dataclass(frozen=True)
class Walk:
    """After 1 … N rounds of n rows.

    wrong  : bool (N, n), whether the winning class is not the label
    margin : float32 (N, n), |f|, or the distance of the two best scores
    nodes  : int32 (N, n), visited so far
    """

    wrong: np.ndarray
    margin: np.ndarray
    nodes: np.ndarray

    @property
    def n_rounds(self) -> int:
        return len(self.wrong)

    @property
    def errors(self) -> np.ndarray:
        """After every round, (N,)."""
        return self.wrong.mean(axis=1)

    def ended(self, rounds: np.ndarray) -> tuple[float, float, float]:
        """Error, evaluations and nodes of rows that end after these numbers of rounds, (n,)."""
        at = rounds - 1, np.arange(len(rounds))
        return float(self.wrong[at].mean()), float(rounds.mean()), float(self.nodes[at].mean())

    def first_above(self, margin: float, every: int = 1) -> np.ndarray:
        """The first of each `every` rounds after which the margin is exceeded, (n,).

        N where it never is.
        """
        rounds = np.arange(every, self.n_rounds, every)
        looks = np.append(rounds, self.n_rounds)
        above = self.margin[looks - 1] > margin
        above[-1] = True
        return looks[above.argmax(axis=0)]


def walk(ensemble: Ensemble, votes: Votes, labels: np.ndarray) -> Walk:
    """The walk of rows whose votes and labels are known."""
    tables, leaf_depths = votes.tables, depths_of(ensemble)
    shape = tables.n_classifiers, len(votes)
    wrong, margin = np.empty(shape, bool), np.empty(shape, np.float32)
    nodes, columns = np.empty(shape, np.int32), np.ascontiguousarray(votes.codes.T)
    total = np.zeros(len(votes), np.int32)
    for j, scores in enumerate(partial_sums(votes)):
        if j == 0:
            continue
        for t in range(tables.rounds[j - 1], tables.rounds[j]):
            total += leaf_depths[t][columns[t]]
        nodes[j - 1], wrong[j - 1] = total, winners(scores) != labels
        several = tables.n_scores > 1
        margin[j - 1] = top_and_margin(scores)[1] if several else np.abs(scores[:, 0])
    return Walk(wrong, margin, nodes)
