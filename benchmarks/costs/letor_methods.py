"""Methods that buy streams for the documents of queries: ours, one set for all, a prefix, cascades.

Ours is the backward solution over all sets (``solvers.acquisition.backward``); what decides in a
set is how far a document's reading is above the tenth best one of its query at that time. A
cascade takes the best share of each query from a set to the next one of a chain; those that go on
stand above those that do not. Everything is learned and chosen on validation queries; a method at
a price is a function of a part that gives the final readings and the sets bought.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np

from benchmarks.costs.letor_sets import SetScores, losses
from mddag.metrics.queries import Queries
from mddag.metrics.ranking import GainMetric
from mddag.solvers.acquisition.backward import solve
from mddag.solvers.acquisition.set_policy import SetPolicy
from mddag.solvers.acquisition.set_sample import SetSample, folds_of

BEST = 10  # the place that decides
SHARES = (0.1, 0.2, 0.3, 0.45, 0.6, 0.8)
Run = Callable[[SetScores], tuple[np.ndarray, np.ndarray]]  # readings and last sets, both (n,)


def ours(vali: SetScores, metric: GainMetric, betas: np.ndarray) -> list[Run]:
    """A policy over all sets at each price."""
    lost, queries = losses(vali, metric), vali.queries
    lost *= len(queries.query) / len(queries)  # means over documents are then means over queries
    gaps = np.stack([gap(readings, queries) for readings in vali.readings.T], axis=1)
    fold = folds_of(len(queries), 0)[queries.query]
    ones = np.ones(len(gaps))
    sample = SetSample(vali.sets, gaps, lost, lost, fold, ones, around=None)
    return [_walk(solve(sample, beta).policy) for beta in betas.tolist()]


def gap(readings: np.ndarray, queries: Queries) -> np.ndarray:
    """How far readings are above the tenth best one of their query."""
    ranked = readings[queries.order(readings)]
    tenth = queries.starts[:-1] + np.minimum(BEST, queries.sizes) - 1
    found: np.ndarray = readings - ranked[tenth][queries.query]
    return found


def _walk(policy: SetPolicy) -> Run:
    def walked(part: SetScores) -> tuple[np.ndarray, np.ndarray]:
        at, now = np.zeros(len(part.labels), np.intp), part.readings[:, 0].copy()
        for s in range(len(policy)):
            here = at == s
            if here.any():
                now[here] = part.readings[here, s]
                value = gap(now, part.queries)[here]
                at[here] = policy.targets[s][np.searchsorted(policy.edges[s], value)]
        return now, at

    return walked


def statics(sets: list[int]) -> list[Run]:
    """One of these sets for all documents."""
    return [lambda part, s=s: (part.readings[:, s], np.full(len(part.labels), s)) for s in sets]


def greedy_chain(vali: SetScores, metric: GainMetric, power: float) -> list[int]:
    """From the cheapest set on, the next larger one that gains most by price^power."""
    values = [_mean(metric, r, vali) for r in vali.readings.T]
    leads, cost = vali.sets.leads, vali.sets.cost
    covers = leads & ~(leads.astype(int) @ leads > 0)
    chain = [1]
    while covers[chain[-1]].any():
        s, to = chain[-1], np.flatnonzero(covers[chain[-1]])
        worth = [(values[t] - values[s]) / (cost[t] - cost[s]) ** power for t in to]
        chain.append(int(to[np.argmax(worth)]))
    return chain


def cascades(chain: list[int]) -> Iterator[Run]:
    """Of two and three sets of a chain, at all shares."""
    for first, second in combinations(chain, 2):
        for share in SHARES:
            yield _cascade([first, second], [share])
    for stages in combinations(chain, 3):
        for low, high in combinations(SHARES, 2):
            yield _cascade(list(stages), [high, low])


def _cascade(stages: list[int], shares: list[float]) -> Run:
    """Shares are of all documents of a query."""

    def run(part: SetScores) -> tuple[np.ndarray, np.ndarray]:
        now, queries = part.readings[:, stages[0]].copy(), part.queries
        at = np.full(len(now), stages[0])
        height = np.ptp(part.readings) + 1.0
        for level, (s, share) in enumerate(zip(stages[1:], shares, strict=True), 1):
            order = queries.order(now)
            best = queries.ranks < np.ceil(share * queries.sizes[queries.query])
            on = order[best]
            now[on], at[on] = part.readings[on, s] + level * height, s
        return now, at

    return run


def chosen(runs: list[Run], vali: SetScores, metric: GainMetric, betas: np.ndarray) -> list[Run]:
    """The best on validation queries at each price."""
    found = [measured(run, vali, metric) for run in runs]
    value, cost = np.array(found).T
    return [runs[int(np.argmax(value - beta * cost))] for beta in betas.tolist()]


def measured(run: Run, part: SetScores, metric: GainMetric) -> tuple[float, float]:
    """The metric, and the mean price of a document."""
    readings, last = run(part)
    return _mean(metric, readings, part), float(part.sets.cost[last].mean())


def _mean(metric: GainMetric, readings: np.ndarray, part: SetScores) -> float:
    return float(metric.of_queries(readings, part.labels, part.queries).mean())
