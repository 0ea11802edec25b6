"""The sums f^(0) … f^(N) that rows pass through when everything is evaluated, step by step.

Early exits differ in where they stop on this walk, not in the walk itself, so one pass over it
serves a whole family of them. No array of (n, N) numbers is made. Sums are added in the order of
the kernels, tree by tree: the same bits as a rollout's.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.votes import Votes

TREES_AT_ONCE = 64  # codes of so many trees share a cache line of a row


def partial_sums(
    votes: Votes,
    start: int = 0,
    scores: NDArray[np.float64] | None = None,
    rows: NDArray[np.intp] | None = None,
) -> Iterator[NDArray[np.float64]]:
    """f^(0), f^(1), … f^(N), each (n, K): one array, changed in place between the steps.

    start, scores : begin with f^(start), which these are; without them with f^(0)
    rows          : of these rows alone, whose votes are never copied all at once
    """
    tables = votes.tables
    if scores is None:
        scores = np.tile(tables.bias, (len(votes) if rows is None else len(rows), 1))
    else:
        scores = scores.copy()
    trees = _columns(votes, int(tables.rounds[start]), slice(None) if rows is None else rows)
    yield scores
    for j in range(start, tables.n_classifiers):
        for t in range(tables.rounds[j], tables.rounds[j + 1]):
            table, k = tables.values[tables.starts[t] : tables.starts[t + 1]], tables.score[t]
            if k >= 0:
                scores[:, k] += table[next(trees)]
            else:
                scores += table.reshape(-1, tables.n_scores)[next(trees)]
        yield scores


def top_and_margin(scores: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The first of the best classes and its margin over the second, both (n,); K > 1."""
    rows = np.arange(len(scores))
    top = scores.argmax(axis=1)
    rest = scores.copy()
    rest[rows, top] = -np.inf
    return top, scores[rows, top] - rest.max(axis=1)


def _columns(
    votes: Votes, first: int, rows: slice | NDArray[np.intp]
) -> Iterator[NDArray[np.unsignedinteger]]:
    for start in range(first, votes.tables.n_trees, TREES_AT_ONCE):
        yield from np.ascontiguousarray(votes.codes[:, start : start + TREES_AT_ONCE][rows].T)
