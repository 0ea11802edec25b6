"""Exits that are baselines: by score, by rank, by share, of whole queries, and prefixes.

    ScoreExits       the reading is so many spreads above a common level, or less
    RankExits        the place is behind a limit that falls with the steps
    CapacityExits    not in the share of the query that is kept there
    QueryExits       nothing of the query is urgent: all documents of a query quit at once
    PrefixExits      all documents quit at one check point

The first three are those of Cambazoglu et al. (2010): EST, ERT and ECT. Its capacity exit keeps a
fixed number of documents; where all documents of a query take their steps together that is
`RankExits`, so here it is a share of the query. All have the order and the readings of the exits of
``mddag.ranking``, and need more trees than these (docs/ranking.md), so the package has them not.
Model files cannot hold their states.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag._utils.checks import check_whole
from mddag.metrics.ranking import GainMetric
from mddag.ranking.exits import (
    NO_CELLS,
    Exits,
    Setting,
    UrgencyExits,
    ended,
    pairs,
    typical_spreads,
)
from mddag.ranking.states import Documents, QueryState, Readings, Urgency


@dataclass(frozen=True, eq=False)
class Reading(QueryState):
    """The reading of a document by itself: as in the paper, but calibrated."""

    kernel = "reading"
    look = 10.0

    def numbers(self, documents: Documents) -> NDArray[np.float64]:
        return documents.reading


@dataclass(frozen=True, eq=False)
class Rank(QueryState):
    """Minus the number of documents of the query with a better reading; ties as they stand."""

    def numbers(self, documents: Documents) -> NDArray[np.float64]:
        ranks, queries = np.empty(len(documents.reading)), documents.queries
        ranks[queries.order(documents.reading)] = -queries.ranks
        return ranks


@dataclass(frozen=True, eq=False)
class Share(Rank):
    """Minus the share of the documents of the query with a better reading."""

    def numbers(self, documents: Documents) -> NDArray[np.float64]:
        queries = documents.queries
        return super().numbers(documents) / queries.sizes[queries.query]


@dataclass(frozen=True, eq=False)
class QueryUrgency(Urgency):
    """The mean of the urgencies in a query: its documents quit together."""

    kernel = ""
    look = QueryState.look

    def numbers(self, documents: Documents) -> NDArray[np.float64]:
        queries, urgency = documents.queries, super().numbers(documents)
        return (queries.sums(urgency) / queries.sizes)[queries.query]


@dataclass
class QueryExits(UrgencyExits):
    """The same with the mean over the query: all of its documents quit, or none."""

    def state(self, readings: Readings, metric: GainMetric) -> QueryState:
        return QueryUrgency(NO_CELLS, readings, metric)


@dataclass
class ScoreExits(Exits):
    """Quit where the reading is a number of spreads above the middle of full scores, or less.

    A setting is this number, which may be negative, and the share of steps behind which all quit.
    """

    settings = pairs(np.linspace(-4.0, 4.0, 17))

    def state(self, readings: Readings, metric: GainMetric) -> QueryState:
        return Reading(NO_CELLS, readings)

    def thresholds(self, readings: Readings, setting: Setting) -> NDArray[np.float64]:
        above, end = setting
        middle = readings.edges[-1][readings.edges.shape[1] // 2]
        return ended(readings, middle + above * typical_spreads(readings), end)


@dataclass
class RankExits(Exits):
    """Quit behind the place k (N / step)^power.

    A setting is the power, and the share of steps behind which all quit.
    """

    k: int = 10
    settings = pairs(np.geomspace(3.0, 0.01, 14))

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("k", self.k, 1)

    def state(self, readings: Readings, metric: GainMetric) -> QueryState:
        return Rank(NO_CELLS, readings)

    def thresholds(self, readings: Readings, setting: Setting) -> NDArray[np.float64]:
        power, end = setting
        left = readings.n_steps / readings.checks[:-1]
        return ended(readings, -np.floor(self.k * left**power), end)


@dataclass
class CapacityExits(Exits):
    """Keep the share (1 + step / every)^-power of each query, at least one document.

    A setting is the power, and the share of steps behind which all quit.
    """

    settings = pairs(np.geomspace(0.01, 2.0, 14))

    def state(self, readings: Readings, metric: GainMetric) -> QueryState:
        return Share(NO_CELLS, readings)

    def thresholds(self, readings: Readings, setting: Setting) -> NDArray[np.float64]:
        power, end = setting
        return ended(readings, -((1.0 + readings.checks[:-1] / self.every) ** -power), end)


@dataclass
class PrefixExits(Exits):
    """All quit at one check point: setting = the share of steps that are left out."""

    settings = np.linspace(0.0, 0.99, 100)

    def state(self, readings: Readings, metric: GainMetric) -> QueryState:
        return Reading(NO_CELLS, readings)

    def thresholds(self, readings: Readings, setting: Setting) -> NDArray[np.float64]:
        return ended(readings, np.full(len(readings) - 1, -np.inf), 1.0 - setting)
