"""Readings of documents, and the states that decide by them and by the rest of a query.

A reading is the full score of a document as it is expected at a check point:

    reading_c = level_c + sum over blocks b <= c of weight_cb * B_b

B_b is the sum of the votes of the steps between the check points b - 1 and b. Each check point has
weights and a level of its own, so a reading means the same whenever a document left, and documents
that left early and late can be sorted together. At the last check point, after the last step, the
reading is the full score itself. ``ranking.problem`` fits all of this.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.cached import cached_property
from mddag._utils.checks import typed
from mddag.engine.program import Program
from mddag.metrics.ranking import NDCG, GainMetric, LetorNDCG, MeanNDCG, Queries
from mddag.policy.grid import Grid
from mddag.ranking.executor import NO_URGENCY, ByQuery

MOST_DOCUMENTS = (1 << 31) - 1
MOST_DEPTH = 1 << 16  # positions with discounts of their own in a mean over cuts
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Readings:
    """What partial sums tell about full scores, at C check points."""

    checks: NDArray[np.int64]  # (C,), rising: check point c is before step checks[c]; the last is N
    weights: Floats  # (C, C), of block b at check point c; 0 for b > c
    level: Floats  # (C,)
    edges: Floats  # (C, m - 1), rising: cells of the reading
    spread: Floats  # (C, m), above 0: deviation of the full score from the reading, by its cell
    gain_at: Floats  # (n_knots,), rising full scores
    gain: Floats  # (n_knots,), E[gain | F] there, which does not fall: what they are worth
    slope: float  # gain per unit of score

    def __len__(self) -> int:
        return len(self.checks)

    @property
    def n_steps(self) -> int:
        """Number of base classifiers, N."""
        return int(self.checks[-1])

    def read(self, blocks: Floats, c: int) -> Floats:
        """Return the readings (n,) at check point c of documents with these blocks (n, C)."""
        total = np.full(len(blocks), self.level[c])
        for b in range(c + 1):  # in this order, as the kernel adds them
            total += self.weights[c, b] * blocks[:, b]
        return total

    def spreads(self, reading: Floats, c: int) -> Floats:
        """Return the spreads of readings (n,) at check point c."""
        found: Floats = self.spread[c][np.searchsorted(self.edges[c], reading)]
        return found

    def gains(self, scores: Floats) -> Floats:
        """Return E[gain | F] of full scores (n,)."""
        return np.interp(scores, self.gain_at, self.gain)


@dataclass
class Documents:
    """Documents on their way through the steps, query by query."""

    queries: Queries
    blocks: Floats  # (n, C), sums of votes
    reading: Floats  # (n,), as of the check point last come to; 0 before
    spread: Floats  # (n,)
    alive: NDArray[np.bool_]  # (n,), mask of the documents that came to the present check point

    @cached_property
    def place(self) -> NDArray[np.intp]:
        """Place of each row among the documents, (n,)."""
        return self.queries.returned(np.arange(self.queries.n_rows))


@dataclass(frozen=True, eq=False)
class QueryState(ABC):
    """A state with one number for every document, on one grid for all check points.

    Carried are the sums of the blocks of votes of each document, and the reading that they give
    with its spread, as of the last check point that the document came to. There each document that
    is still under way has a number, and the cell is that of the number. At other steps all cells
    evaluate. All documents of a query take a step together, so a query must not be split into
    batches: ``executor`` sees to that.

    To add a number, write a subclass with `numbers`. It runs step by step; for a kernel it also
    needs `kernel` and `native`, and for files a format in ``ranking.model_file``.
    """

    grid: Grid
    readings: Readings

    has_kernels: ClassVar[bool] = False  # the kernels of single rows do not know it
    kernel: ClassVar[str] = ""  # what kernels of whole queries call the number, if they know it
    look: ClassVar[float] = 500.0  # ns that the number of one document takes

    @abstractmethod
    def numbers(self, documents: Documents) -> Floats:
        """Return the numbers (n,), query by query; only those of `alive` need to be right."""

    @cached_property
    def native(self) -> tuple[int, _core.Urgency]:
        """Parameters of the number as kernels take them: k, and what urgency is of."""
        return 1, NO_URGENCY

    def executor(self, program: Program) -> ByQuery:
        """Return what runs a policy with this state."""
        return ByQuery(program, self)

    @property
    def n_cells(self) -> int:
        """Number of columns of a policy's actions."""
        return self.grid.n_cells

    def start(self, bias: Floats, n_rows: int) -> Documents:
        """Raise ValueError: queries must be known."""
        raise ValueError(
            f"the policy decides by the place of a document in its query ({typed(self)}); "
            "wanted qid, the query of each row: run(X, qid)"
        )

    def start_queries(self, queries: Queries) -> Documents:
        """Return what is carried for these documents before the first step."""
        n = queries.n_rows
        blocks = np.zeros((n, len(self.readings)))
        return Documents(queries, blocks, np.zeros(n), np.ones(n), np.ones(n, bool))

    def cells(self, carried: Documents, j: int, rows: NDArray[np.intp]) -> NDArray[np.int32]:
        """Return the cells of rows before step j."""
        if j not in self.readings.checks:
            return np.zeros(len(rows), np.int32)
        at = carried.place[rows]
        carried.alive[:] = False
        carried.alive[at] = True
        return self.grid.cells(self.numbers(carried)[at, None])

    def add(self, carried: Documents, j: int, rows: NDArray[np.intp], votes: Floats) -> None:
        """Take in votes (m, 1) of step j on rows."""
        at, b = carried.place[rows], int(np.searchsorted(self.readings.checks, j, side="right"))
        carried.blocks[at, b] += votes[:, 0]
        if j + 1 == self.readings.checks[b]:
            carried.reading[at] = self.readings.read(carried.blocks[at], b)
            carried.spread[at] = self.readings.spreads(carried.reading[at], b)

    def folds(self, j: int, to: int) -> bool:
        """Return False: the cell of a row may be another one at any check point."""
        return False

    def scores(self, carried: Documents) -> Floats:
        """Return the readings at the exits, (n, 1)."""
        return carried.queries.returned(carried.reading)[:, None]

    def for_steps(self, n_steps: int) -> Self:
        """Return the same state: readings know the steps that they were fitted for."""
        return self

    def on_grid(self, grid: Grid) -> Self:
        """Return the same numbers with other cells."""
        return replace(self, grid=grid)


@dataclass(frozen=True, eq=False)
class Gap(QueryState):
    """The reading less the k-th best reading of the query; in smaller queries the last."""

    k: int

    kernel = "gap"
    look = 30.0

    @cached_property
    def native(self) -> tuple[int, _core.Urgency]:
        return min(int(self.k), MOST_DOCUMENTS), NO_URGENCY  # no query is larger

    def numbers(self, documents: Documents) -> Floats:
        reading, queries = documents.reading, documents.queries
        ranked = reading[queries.order(reading)]
        best = ranked[queries.starts[:-1] + np.minimum(self.native[0], queries.sizes) - 1]
        return reading - best[queries.query]


@dataclass(frozen=True, eq=False)
class Urgency(QueryState):
    """What a document may still move in a metric; native/mdp/urgency.hpp has the formula."""

    metric: GainMetric

    kernel = "urgency"
    look = 100.0

    @cached_property
    def native(self) -> tuple[int, _core.Urgency]:
        mean = isinstance(self.metric, MeanNDCG)
        whole = LetorNDCG(None) if mean else self.metric
        assert isinstance(whole, NDCG)
        depth = MOST_DEPTH if whole.k is None else min(whole.k, MOST_DEPTH)
        known = self.readings
        discounts = whole.discounted(np.arange(depth))
        return 1, (discounts, mean, known.gain_at, known.gain, known.slope)

    def numbers(self, documents: Documents) -> Floats:
        out = np.empty(len(documents.reading))
        starts = documents.queries.starts.astype(np.int64, copy=False)
        alive = documents.alive.view(np.uint8)
        _core.urgency(self.native[1], starts, documents.reading, documents.spread, alive, out, 1)
        return out
