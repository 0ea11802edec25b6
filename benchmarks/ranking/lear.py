"""LEAR (Busolin et al., SIGIR 2021): at check points a small classifier decides who goes on.

    go on  if  P(among the K best of the full order | features, reading, place, gaps) > threshold

The classifier is one of LightGBM with TREES small trees for each check point, trained on the
training queries. A setting is a set of check points, a threshold, and the share of steps behind
which all quit. Order and readings are those of the other members. In its favour, the classifier
sees the readings that all documents would have at its check point, also of those that have left.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import lightgbm
import numpy as np

from mddag.metrics.ranking import Queries
from mddag.ranking.exits import ENDS, ExitFamily
from mddag.ranking.problem import RankingProblem

TREES, LEAVES, RATE = 10, 8, 0.5  # the rate: log loss on validation queries, of .1 to .5
K = 10
SENTINELS = (8, 16, 32, 64, 128)  # steps; the next check points are taken
THRESHOLDS = np.geomspace(0.002, 0.7, 12)


@dataclass(frozen=True)
class Setting:
    at: tuple[int, ...]  # check points with a classifier
    threshold: float
    end: float  # the share of steps behind which all quit


@dataclass(frozen=True, eq=False)
class Seen:
    """Documents at all check points.

    readings : float64 (C, n)
    shares   : by check point, the probability to be among the best, (n,)
    """

    readings: np.ndarray
    shares: dict[int, np.ndarray]


@dataclass(frozen=True, eq=False)
class Lear:
    """A classifier for each of some check points."""

    family: ExitFamily
    classifiers: dict[int, Any]

    @classmethod
    def fit(cls, family: ExitFamily, X: np.ndarray, train: RankingProblem) -> Lear:
        """On the documents of training queries."""
        best = places(train.full, train.queries) < K
        readings = read(family, train)
        classifiers = {}
        for c in np.unique(np.searchsorted(family.checks[:-2], SENTINELS)).tolist():
            model = lightgbm.LGBMClassifier(
                n_estimators=TREES,
                num_leaves=LEAVES,
                learning_rate=RATE,
                random_state=0,
                n_jobs=1,
                verbose=-1,
            )
            classifiers[c] = model.fit(features(X, readings[c], train.queries), best)
        return cls(family, classifiers)

    def seen(self, X: np.ndarray, problem: RankingProblem) -> Seen:
        readings = read(self.family, problem)
        shares = {
            c: model.predict_proba(features(X, readings[c], problem.queries))[:, 1]
            for c, model in self.classifiers.items()
        }
        return Seen(readings, shares)

    def settings(self) -> list[Setting]:
        """One check point, each with the second next, and all."""
        all_ = tuple(self.classifiers)
        sets = [(c,) for c in all_] + list(zip(all_, all_[2:], strict=False)) + [all_]
        return [Setting(*given) for given in product(sets, THRESHOLDS, ENDS)]

    def run(self, seen: Seen, setting: Setting) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Readings at the exits, steps, and how often a classifier was called, each (n,)."""
        checks, n = self.family.checks, seen.readings.shape[1]
        last = int(np.searchsorted(checks, min(setting.end * checks[-1], checks[-1])))
        left, calls = np.full(n, last), np.zeros(n, int)
        for c in (c for c in setting.at if c < last):
            under_way = left == last
            calls += under_way
            left[under_way & (seen.shares[c] <= setting.threshold)] = c
        return seen.readings[left, np.arange(n)], checks[left], calls


def read(family: ExitFamily, problem: RankingProblem) -> np.ndarray:
    """The readings of all documents at all check points, (C, n)."""
    blocks, readings = family.blocks(problem), family.state.readings
    return np.array([readings.read(blocks, c) for c in range(len(family.checks))])


def places(scores: np.ndarray, queries: Queries) -> np.ndarray:
    """How many documents of the query are better, (n,)."""
    found = np.empty(len(scores), np.intp)
    found[queries.order(scores)] = queries.ranks
    return found


def features(X: np.ndarray, reading: np.ndarray, queries: Queries) -> np.ndarray:
    """Of the document, and what the reading says about its place, (n, d + 6)."""
    ranked = reading[queries.order(reading)]
    first = queries.starts[:-1]
    best, tenth = (ranked[first + np.minimum(k, queries.sizes) - 1][queries.query] for k in (1, K))
    place, size = places(reading, queries), queries.sizes[queries.query]
    return np.column_stack([X, reading, place, place / size, size, reading - best, reading - tenth])
