"""RankingProblem: votes on documents, their queries, and the metric of their order.

The teacher loss of a query is what its order loses against that of the full score F, were each
document worth what the full model expects of it:

    1 - metric(scores, gains),     gains = E[2^label - 1 | F]

It needs labels only to know these gains; without labels they are assumed. It is never negative and
has a tenth of the variance of what labels say.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.votes import Votes
from mddag.metrics.queries import Queries
from mddag.metrics.ranking import GainMetric


@dataclass(frozen=True, eq=False)
class RankingProblem:
    """Documents query by query.

    votes   : of N base classifiers, one score
    queries : which documents belong together; position p is row p
    metric  : of their order
    labels  : float64 (n,), relevance; None where there is none
    """

    votes: Votes
    queries: Queries
    metric: GainMetric
    labels: NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls,
        votes: Votes,
        queries: Queries,
        metric: GainMetric,
        labels: NDArray[np.float64] | None = None,
    ) -> RankingProblem:
        """Of rows in any order."""
        if not queries.are_whole:
            votes = votes.rows(queries.rows)
            labels = None if labels is None else labels[queries.rows]
            queries = Queries.of_sizes(queries.sizes)
        return cls(votes, queries, metric, labels)

    @property
    def n_steps(self) -> int:
        return self.votes.tables.n_classifiers

    @cached_property
    def full(self) -> NDArray[np.float64]:
        """The full scores F, (n,)."""
        return self.votes.scores()[:, 0]

    def some(self, chosen: NDArray[np.intp]) -> RankingProblem:
        """Some of the queries."""
        rows, queries = self.queries.some(chosen)
        labels = None if self.labels is None else self.labels[rows]
        return RankingProblem(self.votes.rows(rows), queries, self.metric, labels)

    def closeness(self, focus: float) -> NDArray[np.float64]:
        """What documents count for, (n,): 1 where F is among those that the metric looks at, less
        below, by the gap in units of the deviation of F inside queries."""
        depths = np.array([self.metric.depth(n) for n in self.queries.sizes.tolist()], np.intp)
        ranked = self.full[self.queries.order(self.full)]
        last = ranked[self.queries.starts[:-1] + depths - 1][self.queries.query]
        mean = self.queries.sums(self.full) / self.queries.sizes
        deviation = float(np.std(self.full - mean[self.queries.query])) or 1.0
        below: NDArray[np.float64] = np.maximum(last - self.full, 0.0) / deviation
        return np.exp(-focus * below)

    def teacher_loss(
        self, scores: NDArray[np.float64], gains: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Of each query sorted by `scores` (n,), (n_queries,); gains (n,) rise with F."""
        lost = 1.0 - self.metric.of_gains(scores, gains, self.queries)
        lost[self.queries.sums(gains) <= 0] = 0.0  # nothing to lose
        return lost

    def label_loss(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The metric by labels that each query loses against the order of F, (n_queries,)."""
        assert self.labels is not None
        full, sparse = (
            self.metric.of_queries(s, self.labels, self.queries) for s in (self.full, scores)
        )
        return full - sparse


def joined(problems: list[RankingProblem]) -> RankingProblem:
    """The queries of several problems with the same votes and metric, without labels."""
    first = problems[0]
    codes = np.concatenate([p.votes.codes for p in problems])
    sizes = np.concatenate([p.queries.sizes for p in problems])
    votes = Votes(codes, first.votes.tables)
    return RankingProblem(votes, Queries.of_sizes(sizes), first.metric)
