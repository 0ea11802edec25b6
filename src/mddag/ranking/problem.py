"""Rank documents by partial sums of votes: losses, the order of trees, and readings.

The loss of a query is what its order loses against that of the full score F, if each document were
worth what the full model expects of it:

    1 - metric(scores, gains),     gains = E[2^label - 1 | F]

Labels serve to know these gains alone; without labels they are assumed. The loss is never negative
and has a tenth of the variance of the loss by labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag._utils.cached import cached_property
from mddag._utils.checks import check_between
from mddag.ensemble.votes import Votes
from mddag.metrics.ranking import GainMetric, Queries
from mddag.policy.ordering import greedy
from mddag.ranking.states import Readings

ORDER_FOCUS, READING_FOCUS = 2.0, 1.0  # how fast documents count less below the top
BLOCK = 4_000_000  # votes that stand in memory as numbers at a time
GROWTH = 0.2  # check points lie this share of their step apart, at least `every`
RIDGE = 1e-3
SPREAD_CELLS = 8
LEAST_SPREAD = 1e-9
KNOTS = 64  # of the gain curve
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RankingProblem:
    """Votes on documents that stand query by query."""

    votes: Votes  # of N base classifiers, one score
    queries: Queries  # which documents belong together; position p is row p
    metric: GainMetric  # of their order
    labels: Floats | None = None  # (n,), relevance, if it is known

    @classmethod
    def of(
        cls, votes: Votes, queries: Queries, metric: GainMetric, labels: Floats | None = None
    ) -> RankingProblem:
        """Take rows in any order."""
        if not queries.are_whole:
            votes = votes.rows(queries.rows)
            labels = None if labels is None else labels[queries.rows]
            queries = Queries.of_sizes(queries.sizes)
        return cls(votes, queries, metric, labels)

    @property
    def n_steps(self) -> int:
        """Number of base classifiers, N."""
        return self.votes.tables.n_classifiers

    @cached_property
    def full(self) -> Floats:
        """Full scores F, (n,)."""
        return self.votes.scores()[:, 0]

    def some(self, chosen: NDArray[np.intp]) -> RankingProblem:
        """Return some of the queries."""
        rows, queries = self.queries.some(chosen)
        labels = None if self.labels is None else self.labels[rows]
        return RankingProblem(self.votes.rows(rows), queries, self.metric, labels)

    def closeness(self, focus: float) -> Floats:
        """Return what documents count for, (n,): 1 at the top, less below, by the gap in F.

        The top is as deep as the metric looks; gaps are in deviations of F inside queries.
        """
        depths = np.array([self.metric.depth(n) for n in self.queries.sizes.tolist()], np.intp)
        ranked = self.full[self.queries.order(self.full)]
        last = ranked[self.queries.starts[:-1] + depths - 1][self.queries.query]
        mean = self.queries.sums(self.full) / self.queries.sizes
        deviation = float(np.std(self.full - mean[self.queries.query])) or 1.0
        below: Floats = np.maximum(last - self.full, 0.0) / deviation
        return np.exp(-focus * below)

    def order_loss(self, scores: Floats, gains: Floats) -> Floats:
        """Return what each query sorted by `scores` (n,) loses; gains (n,) rise with F."""
        lost = 1.0 - self.metric.of_gains(scores, gains, self.queries)
        lost[self.queries.sums(gains) <= 0] = 0.0  # nothing to lose
        return lost

    def label_loss(self, scores: Floats) -> Floats:
        """Return the metric by labels that each query loses against the order of F."""
        assert self.labels is not None
        full, sparse = (
            self.metric.of_queries(s, self.labels, self.queries) for s in (self.full, scores)
        )
        return full - sparse

    def joined(self, other: RankingProblem) -> RankingProblem:
        """Append the queries of another problem, without labels."""
        codes = np.concatenate([self.votes.codes, other.votes.codes])
        sizes = np.concatenate([self.queries.sizes, other.queries.sizes])
        votes = Votes(codes, self.votes.tables)
        return RankingProblem(votes, Queries.of_sizes(sizes), self.metric)


def top_order(problem: RankingProblem) -> NDArray[np.intp]:
    """Return the order in which to evaluate, (N,), by covariances inside of queries.

    It is that of ``ordering.Correlation``, but a shift of a whole query changes no order, so
    covariances are about the mean of each query. Documents near the top count most.
    """
    return greedy(query_covariances(problem), np.ones(problem.n_steps))


def query_covariances(problem: RankingProblem) -> Floats:
    """Return the covariances of the votes of h_j and h_l about the means of queries, (N, N)."""
    queries, weight = problem.queries, problem.closeness(ORDER_FOCUS)
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
    """Yield queries first .. last whose votes as numbers fit into BLOCK, or one that is larger."""
    starts, most = problem.queries.starts, max(BLOCK // max(problem.n_steps, 1), 1)
    first = 0
    while first < len(problem.queries):
        last = int(np.searchsorted(starts, starts[first] + most, side="right")) - 1
        last = max(last, first + 1)
        yield first, last
        first = last


def check_points(n_steps: int, every: int, growth: float = GROWTH) -> NDArray[np.int64]:
    """Return the steps before which documents may quit, multiples of `every`, and the end, (C,)."""
    check_between("growth", growth, 0.0, np.inf, "a finite number, 0 or more")
    found, j = [], every
    while j < n_steps:
        found.append(j)
        j += every * max(1, round(growth * j / every))
    return np.array([*found, n_steps], np.int64)


def block_sums(
    problem: RankingProblem, order: NDArray[np.intp], checks: NDArray[np.int64]
) -> Floats:
    """Return the sums of votes between check points, (n, C)."""
    tables, votes = problem.votes.tables, problem.votes
    block = np.empty(problem.n_steps, np.intp)
    block[order] = np.searchsorted(checks, np.arange(problem.n_steps), side="right")
    sums = np.zeros((len(checks), len(votes)))
    for j in order.tolist():
        for t in range(tables.rounds[j], tables.rounds[j + 1]):
            sums[block[j]] += tables.table(t)[:, 0][votes.codes[:, t]]
    return np.ascontiguousarray(sums.T)


def fitted_readings(
    problem: RankingProblem,
    blocks: Floats,
    checks: NDArray[np.int64],
    curve: tuple[Floats, Floats],
) -> Readings:
    """Fit readings to the sums of blocks (n, C): the full score is regressed on them.

        (weights, level) = argmin  sum_i w_i (F_i - level - sum_b weight_b B_ib)^2 + ridge

    A line through the result takes back what the ridge shrinks. The spread is the residual
    deviation, by the quantile of the reading. Documents near the top count most.
    """
    full, n_checks = problem.full, len(checks)
    weight = problem.closeness(READING_FOCUS)
    weights, level = np.zeros((n_checks, n_checks)), np.zeros(n_checks)
    edges, spread = np.zeros((n_checks, SPREAD_CELLS - 1)), np.zeros((n_checks, SPREAD_CELLS))
    for c in range(n_checks):
        known = blocks[:, : c + 1]
        if c < n_checks - 1:
            weights[c, : c + 1], level[c] = _regression(known, full, weight)
        else:  # all is known
            weights[c], level[c] = 1.0, problem.votes.tables.bias[0]
        reading = level[c] + known @ weights[c, : c + 1]
        edges[c], spread[c] = _spreads(reading, full - reading)
    gain_at, gain = curve
    slope = _slope(np.interp(full, gain_at, gain), full)
    return Readings(checks, weights, level, edges, spread, gain_at, gain, slope)


def _regression(known: Floats, full: Floats, weight: Floats) -> tuple[Floats, float]:
    root, n = np.sqrt(weight), known.shape[1]
    design = np.column_stack([known, np.ones(len(full))]) * root[:, None]
    gram = design.T @ design
    gram[np.arange(n), np.arange(n)] += RIDGE * np.trace(gram[:n, :n]) / n + LEAST_SPREAD
    found = np.linalg.solve(gram, design.T @ (full * root))[:n]
    about = known @ found
    slope = _slope(full, about)
    return slope * found, float(full.mean() - slope * about.mean())


def _spreads(reading: Floats, rest: Floats) -> tuple[Floats, Floats]:
    edges = np.quantile(reading, np.linspace(0, 1, SPREAD_CELLS + 1)[1:-1])
    cell = np.searchsorted(edges, reading)
    n = np.bincount(cell, minlength=SPREAD_CELLS)
    squares = np.bincount(cell, rest**2, SPREAD_CELLS)
    everywhere = squares.sum() / max(n.sum(), 1)
    found = np.where(n > 0, squares / np.maximum(n, 1), everywhere)
    return edges, np.sqrt(found) + LEAST_SPREAD


def gain_curve(problem: RankingProblem, odds: bool) -> tuple[Floats, Floats]:
    """Return knots of E[gain | F] and its values: an isotonic regression on F.

    Without labels exp(F) is the gain if scores are `odds`, which a pairwise loss fits; otherwise
    2^F - 1, for a regressor of labels.
    """
    full = problem.full
    at = np.unique(np.quantile(full, np.linspace(0, 1, KNOTS)))
    if problem.labels is None:
        centred = np.clip(at - full.mean(), -30.0, 30.0)
        gain = np.exp(centred) if odds else np.exp2(np.clip(at, 0.0, 30.0)) - 1.0
        return at, gain
    from sklearn.isotonic import IsotonicRegression

    curve = IsotonicRegression(out_of_bounds="clip")
    curve.fit(full, problem.metric.gains(problem.labels))
    return at, np.maximum.accumulate(np.maximum(curve.predict(at), 0.0))


def _slope(y: Floats, x: Floats) -> float:
    """Return the slope of the line through (x, y), at least 0."""
    variance = float(x.var())
    return max(float(np.mean((x - x.mean()) * (y - y.mean()))) / variance, 0.0) if variance else 0.0
