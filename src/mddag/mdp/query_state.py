"""QueryState: what becomes a cell depends on the other documents of a query.

Carried are, for every document, the sums of its blocks of votes, and the reading that they give
(``Readings``) with its spread, as of the last check point that the document came to. At a check
point each document that is still under way has a number, and the cell is that of the number:

    Reading    the reading itself: documents alone, as in the paper, but calibrated
    Rank       minus the place in the query, from 0
    Share      minus the share of the query that stands before the document
    Gap        the reading less the k-th best one of the query (in smaller queries the last)
    Urgency    what the document may still move in a metric, see native/mdp/urgency.hpp
    QueryUrgency   its mean over the query

At other steps than check points nothing is to be decided: a policy evaluates there in all cells.
All documents of a query take a step together, so a query must not be split into batches.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._internal.checks import check_is, check_whole, typed
from mddag.mdp.grid import Grid
from mddag.mdp.readings import Readings
from mddag.metrics.queries import Queries
from mddag.metrics.ranking import NDCG, GainMetric, LetorNDCG, MeanNDCG

MOST_DOCUMENTS = (1 << 31) - 1
MOST_DEPTH = 1 << 16  # positions with discounts of their own in a mean over cuts


@dataclass
class Carried:
    """Of n documents, query by query.

    blocks  : float64 (n, C), sums of votes
    reading : float64 (n,), as of the check point last come to; 0 before
    spread  : float64 (n,)
    alive   : bool (n,), whether a document came to the present check point
    """

    queries: Queries
    blocks: NDArray[np.float64]
    reading: NDArray[np.float64]
    spread: NDArray[np.float64]
    alive: NDArray[np.bool_]
    place: NDArray[np.intp]  # of each row among the documents query by query


@dataclass(frozen=True, eq=False)
class QueryState(ABC):
    """A state with one number for every document, on one grid for all check points."""

    grid: Grid
    readings: Readings

    has_kernels: ClassVar[bool] = False  # the kernels of single rows do not know it

    def __post_init__(self) -> None:
        check_is("readings", self.readings, Readings, "Readings, as a solver of rankings fits them")
        if self.grid.n_scores != 1:
            raise ValueError(f"the grid is of {self.grid.n_scores} scores; wanted one of 1 score")

    @abstractmethod
    def numbers(
        self,
        reading: NDArray[np.float64],
        spread: NDArray[np.float64],
        alive: NDArray[np.bool_],
        queries: Queries,
    ) -> NDArray[np.float64]:
        """The number of every document, (n,), query by query; only those alive need a right one."""

    @property
    def n_cells(self) -> int:
        return self.grid.n_cells

    def start(self, bias: NDArray[np.float64], n_rows: int) -> Carried:
        raise ValueError(
            f"the policy decides by the place of a document in its query ({typed(self)}); "
            "wanted qid, the query of each row: run(X, qid)"
        )

    def start_queries(self, bias: NDArray[np.float64], queries: Queries) -> Carried:
        """What is carried for these documents before the first step."""
        n = queries.n_rows
        place = np.empty(n, np.intp)
        place[queries.rows] = np.arange(n)
        blocks = np.zeros((n, len(self.readings)))
        return Carried(queries, blocks, np.zeros(n), np.ones(n), np.ones(n, bool), place)

    def cells(self, carried: Carried, j: int, rows: NDArray[np.intp]) -> NDArray[np.int32]:
        if j not in self.readings.checks:
            return np.zeros(len(rows), np.int32)
        at = carried.place[rows]
        carried.alive[:] = False
        carried.alive[at] = True
        numbers = self.numbers(carried.reading, carried.spread, carried.alive, carried.queries)
        return self.grid.cells(numbers[at, None])

    def add(
        self, carried: Carried, j: int, rows: NDArray[np.intp], votes: NDArray[np.float64]
    ) -> None:
        at, b = carried.place[rows], self.readings.block(j)
        carried.blocks[at, b] += votes[:, 0]
        if j + 1 == self.readings.checks[b]:
            carried.reading[at] = self.readings.read(carried.blocks[at], b)
            carried.spread[at] = self.readings.spreads(carried.reading[at], b)

    def folds(self, j: int, to: int) -> bool:
        return False

    def scores(self, carried: Carried) -> NDArray[np.float64]:
        """The readings at the exits, (n, 1)."""
        return carried.queries.returned(carried.reading)[:, None]

    def for_steps(self, n_steps: int) -> Self:
        """The same: readings know the steps that they were fitted for."""
        return self

    def on_grid(self, grid: Grid) -> Self:
        """The same numbers with other cells."""
        return replace(self, grid=grid)


@dataclass(frozen=True, eq=False)
class Reading(QueryState):
    """The reading of a document by itself."""

    def numbers(self, reading: Any, spread: Any, alive: Any, queries: Any) -> Any:
        return reading


@dataclass(frozen=True, eq=False)
class Rank(QueryState):
    """Minus the number of documents of the query with a better reading; ties as they stand."""

    def numbers(
        self,
        reading: NDArray[np.float64],
        spread: NDArray[np.float64],
        alive: NDArray[np.bool_],
        queries: Queries,
    ) -> NDArray[np.float64]:
        ranks = np.empty(len(reading))
        ranks[queries.order(reading)] = -queries.ranks
        return ranks


@dataclass(frozen=True, eq=False)
class Share(Rank):
    """Minus the share of the documents of the query with a better reading."""

    def numbers(
        self,
        reading: NDArray[np.float64],
        spread: NDArray[np.float64],
        alive: NDArray[np.bool_],
        queries: Queries,
    ) -> NDArray[np.float64]:
        ranks = super().numbers(reading, spread, alive, queries)
        return ranks / queries.sizes[queries.query]


@dataclass(frozen=True, eq=False)
class Gap(QueryState):
    """The reading less the k-th best reading of the query."""

    k: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("k", self.k, 1)

    @property
    def place(self) -> int:
        """k, as a number that kernels can hold; no query has so many documents."""
        return min(int(self.k), MOST_DOCUMENTS)

    def numbers(
        self,
        reading: NDArray[np.float64],
        spread: NDArray[np.float64],
        alive: NDArray[np.bool_],
        queries: Queries,
    ) -> NDArray[np.float64]:
        ranked = reading[queries.order(reading)]
        best = ranked[queries.starts[:-1] + np.minimum(self.place, queries.sizes) - 1]
        return reading - best[queries.query]


@dataclass(frozen=True, eq=False)
class Urgency(QueryState):
    """What a document may still move in a metric: NDCG, LetorNDCG or MeanNDCG."""

    metric: GainMetric = None  # type: ignore[assignment]  # NDCG(10), set below

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.metric is None:
            object.__setattr__(self, "metric", NDCG(10))
        check_gain_metric(self.metric)

    @cached_property
    def native(self) -> _core.Urgency:
        """As the kernel takes it."""
        discounts, mean = discounts_of(self.metric)
        return discounts, mean, self.readings.gain_at, self.readings.gain, self.readings.slope

    def numbers(
        self,
        reading: NDArray[np.float64],
        spread: NDArray[np.float64],
        alive: NDArray[np.bool_],
        queries: Queries,
    ) -> NDArray[np.float64]:
        out = np.empty(len(reading))
        starts = queries.starts.astype(np.int64, copy=False)
        _core.urgency(self.native, starts, reading, spread, alive.view(np.uint8), out, 1)
        return out


@dataclass(frozen=True, eq=False)
class QueryUrgency(Urgency):
    """The mean of the urgencies in a query: its documents quit together."""

    def numbers(
        self,
        reading: NDArray[np.float64],
        spread: NDArray[np.float64],
        alive: NDArray[np.bool_],
        queries: Queries,
    ) -> NDArray[np.float64]:
        urgency = super().numbers(reading, spread, alive, queries)
        return (queries.sums(urgency) / queries.sizes)[queries.query]


def discounts_of(metric: GainMetric) -> tuple[NDArray[np.float64], bool]:
    """The discounts of positions with one of their own, and whether it is a mean over cuts."""
    mean = isinstance(metric, MeanNDCG)
    whole = LetorNDCG(None) if mean else metric
    assert isinstance(whole, NDCG)
    depth = MOST_DEPTH if whole.k is None else min(whole.k, MOST_DEPTH)
    return whole.discounted(np.arange(depth)), mean


def check_gain_metric(metric: Any) -> None:
    """Refuse a metric that is no sum of gains times worth of positions."""
    check_is("metric", metric, (NDCG, MeanNDCG), "NDCG(k), LetorNDCG(k) or MeanNDCG()")
