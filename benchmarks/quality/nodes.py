"""Nodes visited, exactly: the comparisons that a row makes on its way to the leaves it reaches.

A tree whose leaf lies at depth d costs d nodes. A policy is walked step by
step in numpy, so that nothing of the library's own counting is relied on.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mddag import Ensemble, Policy, Votes
from mddag.ensemble.votes import partial_sums, top_and_margin


@dataclass(frozen=True)
class Walked:
    """What became of n rows: winning classes, base classifiers evaluated and nodes, each (n,)."""

    winners: np.ndarray
    evaluations: np.ndarray
    nodes: np.ndarray


def depths(nodes: np.ndarray, starts: np.ndarray) -> list[np.ndarray]:
    """Of each tree the depths of its leaves by code."""
    roots = np.repeat(starts[:-1], np.diff(starts))
    depth = np.zeros(len(nodes), np.int32)
    level = starts[:-1][np.diff(starts) > 0]
    while len(level):
        level = level[nodes["feature"][level] >= 0]
        for side in ("left", "right"):
            depth[roots[level] + nodes[side][level]] = depth[level] + 1
        level = np.concatenate([roots[level] + nodes[side][level] for side in ("left", "right")])
    found = []
    for first, last in pairwise(starts):
        leaves = first + np.flatnonzero(nodes["feature"][first:last] < 0)
        by_code = np.empty(len(leaves), np.int32)
        by_code[nodes["left"][leaves]] = depth[leaves]
        found.append(by_code)
    return found


def depths_of(ensemble: Ensemble) -> list[np.ndarray]:
    """The same of all trees of an ensemble."""
    return depths(ensemble.nodes, ensemble.starts)


def mean_nodes(votes: Votes, leaf_depths: list[np.ndarray]) -> np.ndarray:
    """The mean nodes of each base classifier on these rows, (N,)."""
    of_trees = [leaf_depths[t][votes.codes[:, t]].mean() for t in range(votes.tables.n_trees)]
    return np.add.reduceat(of_trees, votes.tables.rounds[:-1])


def walked(policy: Policy, votes: Votes, leaf_depths: list[np.ndarray]) -> Walked:
    """What a policy does with rows whose votes are known."""
    votes = Votes(votes.codes, policy.tables(votes.tables))
    tables, n = votes.tables, len(votes)
    scores = np.tile(tables.bias, (n, 1))
    evaluations, nodes = np.zeros(n, np.int32), np.zeros(n, np.int64)
    at = policy.native[0][0].take(policy.grid.cells(scores))
    for step, j in enumerate(policy.order):
        rows = np.flatnonzero(at == step)
        if not len(rows):
            continue
        for t in range(tables.rounds[j], tables.rounds[j + 1]):
            codes, k = votes.codes[rows, t], tables.score[t]
            if k >= 0:
                scores[rows, k] += tables.values[tables.starts[t] + codes.astype(np.int64)]
            else:
                scores[rows] += tables.table(t)[codes]
            nodes[rows] += leaf_depths[t][codes]
        evaluations[rows] += 1
        at[rows] = policy.native[0][step + 1].take(policy.grid.cells(scores[rows]))
    return Walked(winners(scores), evaluations, nodes)


def winners(scores: np.ndarray) -> np.ndarray:
    """The class that scores (n, K) decide for, (n,)."""
    return (scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1)


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
