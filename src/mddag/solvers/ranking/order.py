"""The order of base classifiers of a ranker: as ``ordering.Correlation``, inside of queries.

Covariances are taken about the mean of each query, since a shift of a whole query changes no order,
and documents near the top count most (``RankingProblem.closeness``). Labels are not used.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mddag.ordering.order import greedy
from mddag.solvers.ranking.problem import RankingProblem

FOCUS = 2.0
BLOCK = 4_000_000  # votes that stand in memory as numbers at a time


def top_order(problem: RankingProblem) -> NDArray[np.intp]:
    """The order in which to evaluate, intp (N,)."""
    return greedy(query_covariances(problem), np.ones(problem.n_steps))


def query_covariances(problem: RankingProblem, focus: float = FOCUS) -> NDArray[np.float64]:
    """Of the votes of h_j and h_l about the means of queries, (N, N)."""
    queries, weight = problem.queries, problem.closeness(focus)
    total = np.zeros((problem.n_steps, problem.n_steps))
    for first, last in _blocks(problem):
        a, b = queries.starts[first], queries.starts[last]
        votes = problem.votes.rows(slice(a, b)).dense()[:, :, 0]
        of, starts = queries.query[a:b] - first, queries.starts[first:last] - a
        share = weight[a:b, None]
        mean = np.add.reduceat(votes * share, starts) / np.add.reduceat(share, starts)
        votes -= mean[of]
        votes *= np.sqrt(share)
        single = votes.astype(np.float32)
        total += single.T @ single
    return total / problem.queries.n_rows


def _blocks(problem: RankingProblem) -> Iterator[tuple[int, int]]:
    """Queries first .. last whose votes as numbers fit into BLOCK, or one that is larger."""
    starts, most = problem.queries.starts, max(BLOCK // max(problem.n_steps, 1), 1)
    first = 0
    while first < len(problem.queries):
        last = int(np.searchsorted(starts, starts[first] + most, side="right")) - 1
        last = max(last, first + 1)
        yield first, last
        first = last
