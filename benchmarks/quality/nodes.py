"""Nodes visited, exactly: the comparisons that a row makes on its way to the leaves it reaches.

A tree whose leaf lies at depth d costs d nodes. A policy is walked step by
step in numpy, so that nothing of the library's own counting is relied on.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mddag import Ensemble, Policy, Votes


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
    at = policy.leads_to(0, policy.grid.cells(scores))
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
        at[rows] = policy.leads_to(step + 1, policy.grid.cells(scores[rows]))
    return Walked(winners(scores), evaluations, nodes)


def winners(scores: np.ndarray) -> np.ndarray:
    """The class that scores (n, K) decide for, (n,)."""
    return (scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1)
