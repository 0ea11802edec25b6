"""Readings, and the states that decide by them and by the other documents of a query.

A reading is the full score of a document as it is expected at a check point:

    reading_c = level_c + sum over blocks b <= c of weight_cb * B_b

B_b is the sum of the votes of the steps between the check points b - 1 and b. With weights and
levels of its own at each check point a reading means the same whenever a document left, so
documents that left early and late can be sorted together. The spread is the deviation of the full
score from the reading, by the value of the reading. At the last check point, after the last step,
the reading is the full score itself.

The gain curve says what a document with a full score is worth to the metric, E[gain | F], and
`slope` how much of it a unit of score is. ``ranking.problem`` fits all of these.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.arrays import ReadOnlyArrays, read_only
from mddag._utils.cached import cached_property
from mddag._utils.checks import check_is, check_whole, typed
from mddag.engine.program import Program
from mddag.metrics.ranking import NDCG, GainMetric, LetorNDCG, MeanNDCG, Queries
from mddag.policy.grid import Grid
from mddag.ranking.executor import NO_URGENCY, ByQuery

LARGEST = 1e100  # numbers whose sums and squares remain numbers


@dataclass(frozen=True, eq=False)
class Readings(ReadOnlyArrays):
    """What partial sums tell about full scores, at C check points.

    checks  : int64 (C,), rising: check point c is before step checks[c]; the last is N
    weights : float64 (C, C), of block b at check point c; 0 for b > c
    level   : float64 (C,)
    edges   : float64 (C, m - 1), rising: cells of the reading
    spread  : float64 (C, m), above 0: the deviation in each of them
    gain_at, gain : float64 (n_knots,), strictly rising scores and their gains, which do not fall
    slope   : gain per unit of score
    """

    checks: NDArray[np.int64]
    weights: NDArray[np.float64]
    level: NDArray[np.float64]
    edges: NDArray[np.float64]
    spread: NDArray[np.float64]
    gain_at: NDArray[np.float64]
    gain: NDArray[np.float64]
    slope: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "checks", read_only(self.checks, np.int64))
        for name in ("weights", "level", "edges", "spread", "gain_at", "gain"):
            array = read_only(getattr(self, name), np.float64)
            if not (np.abs(array) <= LARGEST).all():
                raise ValueError(f"{name} of readings hold others than numbers up to {LARGEST:g}")
            object.__setattr__(self, name, array)
        object.__setattr__(self, "slope", float(self.slope))
        self._check_shapes()
        self._check_order()

    def __repr__(self) -> str:
        return f"<Readings at {len(self)} check points of {self.n_steps} steps>"

    def __len__(self) -> int:
        return len(self.checks)

    @property
    def n_steps(self) -> int:
        return int(self.checks[-1])

    def block(self, j: int) -> int:
        """The block that step j belongs to."""
        return int(np.searchsorted(self.checks, j, side="right"))

    def read(self, blocks: NDArray[np.float64], c: int) -> NDArray[np.float64]:
        """Readings at check point c of documents with these sums of blocks (n, C), (n,)."""
        total = np.full(len(blocks), self.level[c])
        for b in range(c + 1):  # in this order, as the kernel adds them
            total += self.weights[c, b] * blocks[:, b]
        return total

    def spreads(self, reading: NDArray[np.float64], c: int) -> NDArray[np.float64]:
        """The spreads of readings (n,) at check point c, (n,)."""
        found: NDArray[np.float64] = self.spread[c][np.searchsorted(self.edges[c], reading)]
        return found

    def gains(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """E[gain | F] of full scores, (n,)."""
        return np.interp(scores, self.gain_at, self.gain)

    def _check_shapes(self) -> None:
        n, cells = len(self.checks), np.shape(self.spread)[-1] if self.spread.ndim == 2 else 0
        wanted = {
            "checks": (n,),
            "weights": (n, n),
            "level": (n,),
            "edges": (n, cells - 1),
            "spread": (n, cells),
            "gain_at": (len(self.gain_at),),
            "gain": (len(self.gain_at),),
        }
        for name, shape in wanted.items():
            if getattr(self, name).shape != shape or 0 in shape[:1] or cells == 0:
                raise ValueError(
                    f"{name} of readings have shape {getattr(self, name).shape}; wanted {shape} "
                    f"for {n} check points, one or more"
                )

    def _check_order(self) -> None:
        sound = {
            "checks": self.checks[0] > 0 and (np.diff(self.checks) > 0).all(),
            "edges": (np.diff(self.edges, axis=1) >= 0).all(),
            "gain_at": (np.diff(self.gain_at) > 0).all(),
            "gain": (np.diff(self.gain) >= 0).all() and (self.gain >= 0).all(),
            "spread": (self.spread > 0).all(),
            "slope": 0 <= self.slope <= LARGEST,
        }
        for name, is_sound in sound.items():
            if not is_sound:
                raise ValueError(
                    f"{name} of readings are not in order; wanted rising check points, edges, "
                    "knots and gains, spreads above 0 and a slope of 0 or more"
                )


MOST_DOCUMENTS = (1 << 31) - 1
MOST_DEPTH = 1 << 16  # positions with discounts of their own in a mean over cuts


@dataclass
class Documents:
    """Documents on their way through the steps, query by query.

    queries : which of them belong together
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

    @cached_property
    def place(self) -> NDArray[np.intp]:
        """Where each row is among the documents, (n,)."""
        return self.queries.returned(np.arange(self.queries.n_rows))


@dataclass(frozen=True, eq=False)
class QueryState(ABC):
    """A state with one number for every document, on one grid for all check points.

    Carried are, for every document, the sums of its blocks of votes, and the reading that they give
    with its spread, as of the last check point that the document came to. At a check point each
    document that is still under way has a number, and the cell is that of the number. At other
    steps nothing is decided: a policy evaluates there in all cells. All documents of a query take
    a step together, so a query must not be split into batches: ``executor`` sees to that.

    To add a number, write a subclass with `numbers`. It runs step by step; for a kernel it also
    needs `kernel` and `native`, and for files a format in ``ranking.model_file``.
    """

    grid: Grid
    readings: Readings

    has_kernels: ClassVar[bool] = False  # the kernels of single rows do not know it
    kernel: ClassVar[str] = ""  # what kernels of whole queries call the number, if they know it
    look: ClassVar[float] = 500.0  # ns that the number of one document takes

    def __post_init__(self) -> None:
        check_is("readings", self.readings, Readings, "Readings, as a solver of rankings fits them")
        if self.grid.n_scores != 1:
            raise ValueError(f"the grid is of {self.grid.n_scores} scores; wanted one of 1 score")

    @abstractmethod
    def numbers(self, documents: Documents) -> NDArray[np.float64]:
        """The number of every document, (n,), query by query; only those alive need a right one."""

    @cached_property
    def native(self) -> tuple[int, _core.Urgency]:
        """The parameters of the number as kernels take them: k, and what urgency is of."""
        return 1, NO_URGENCY

    def executor(self, program: Program) -> ByQuery:
        """What runs a policy with this state."""
        return ByQuery(program, self)

    @property
    def n_cells(self) -> int:
        return self.grid.n_cells

    def start(self, bias: NDArray[np.float64], n_rows: int) -> Documents:
        raise ValueError(
            f"the policy decides by the place of a document in its query ({typed(self)}); "
            "wanted qid, the query of each row: run(X, qid)"
        )

    def start_queries(self, queries: Queries) -> Documents:
        """What is carried for these documents before the first step."""
        n = queries.n_rows
        blocks = np.zeros((n, len(self.readings)))
        return Documents(queries, blocks, np.zeros(n), np.ones(n), np.ones(n, bool))

    def cells(self, carried: Documents, j: int, rows: NDArray[np.intp]) -> NDArray[np.int32]:
        if j not in self.readings.checks:
            return np.zeros(len(rows), np.int32)
        at = carried.place[rows]
        carried.alive[:] = False
        carried.alive[at] = True
        return self.grid.cells(self.numbers(carried)[at, None])

    def add(
        self, carried: Documents, j: int, rows: NDArray[np.intp], votes: NDArray[np.float64]
    ) -> None:
        at, b = carried.place[rows], self.readings.block(j)
        carried.blocks[at, b] += votes[:, 0]
        if j + 1 == self.readings.checks[b]:
            carried.reading[at] = self.readings.read(carried.blocks[at], b)
            carried.spread[at] = self.readings.spreads(carried.reading[at], b)

    def folds(self, j: int, to: int) -> bool:
        return False

    def scores(self, carried: Documents) -> NDArray[np.float64]:
        """The readings at the exits, (n, 1)."""
        return carried.queries.returned(carried.reading)[:, None]

    def for_steps(self, n_steps: int) -> Self:
        """The same: readings know the steps that they were fitted for."""
        return self

    def on_grid(self, grid: Grid) -> Self:
        """The same numbers with other cells."""
        return replace(self, grid=grid)


@dataclass(frozen=True, eq=False)
class Gap(QueryState):
    """The reading less the k-th best reading of the query; in smaller queries the last."""

    kernel = "gap"
    look = 30.0
    k: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("k", self.k, 1)

    @cached_property
    def native(self) -> tuple[int, _core.Urgency]:
        return min(int(self.k), MOST_DOCUMENTS), NO_URGENCY  # no query is larger

    def numbers(self, documents: Documents) -> NDArray[np.float64]:
        reading, queries = documents.reading, documents.queries
        ranked = reading[queries.order(reading)]
        best = ranked[queries.starts[:-1] + np.minimum(self.native[0], queries.sizes) - 1]
        return reading - best[queries.query]


@dataclass(frozen=True, eq=False)
class Urgency(QueryState):
    """What a document may still move in a metric: NDCG, LetorNDCG or MeanNDCG.

    See native/mdp/urgency.hpp for the formula.
    """

    kernel = "urgency"
    look = 100.0
    metric: GainMetric = None  # type: ignore[assignment]  # NDCG(10), set below

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.metric is None:
            object.__setattr__(self, "metric", NDCG(10))
        check_gain_metric(self.metric)

    @cached_property
    def native(self) -> tuple[int, _core.Urgency]:
        mean = isinstance(self.metric, MeanNDCG)
        whole = LetorNDCG(None) if mean else self.metric
        assert isinstance(whole, NDCG)
        depth = MOST_DEPTH if whole.k is None else min(whole.k, MOST_DEPTH)
        known = self.readings
        discounts = whole.discounted(np.arange(depth))
        return 1, (discounts, mean, known.gain_at, known.gain, known.slope)

    def numbers(self, documents: Documents) -> NDArray[np.float64]:
        out = np.empty(len(documents.reading))
        starts = documents.queries.starts.astype(np.int64, copy=False)
        alive = documents.alive.view(np.uint8)
        _core.urgency(self.native[1], starts, documents.reading, documents.spread, alive, out, 1)
        return out


def check_gain_metric(metric: Any) -> None:
    """Raise TypeError for a metric that is no sum of gains times worth of positions."""
    check_is("metric", metric, (NDCG, MeanNDCG), "NDCG(k), LetorNDCG(k) or MeanNDCG()")
