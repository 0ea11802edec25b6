"""Executors over trees, all of which give the same scores, bit by bit."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.cached import cached_property
from mddag.engine.executors.executor import Executor, Tracer
from mddag.engine.program import Program, verdicts_by_exits
from mddag.engine.trace import Trace
from mddag.ensemble.features import Rows
from mddag.ensemble.patches import PatchFeatures


class Kernel(Executor):
    """What executors over trees have in common."""

    def _to_fill(self, rows: Any) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Return scores and exit steps to fill."""
        n = len(rows)
        return np.empty((n, self.program.ensemble.n_scores)), np.zeros(n, np.int32)

    def _at_the_end(self, rows: Any, n_jobs: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Return scores and exit steps of a program in which no row leaves early."""
        scores, exit_step = self._to_fill(rows)
        self.scores(rows, scores, n_jobs)
        exit_step[:] = len(self.program.reached[0])
        return scores, exit_step

    def _paths(
        self, n_evaluated: NDArray[np.int32], indices: NDArray[np.int32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return `indptr` and `indices` of a Trace, numbered as in the source ensemble."""
        if self.program.reached[0] is not self.program.ensemble:
            indices = self.program.policy.order.astype(np.int32)[indices]
        return np.concatenate([[0], np.cumsum(n_evaluated, dtype=np.int64)]), indices


class Walk(Kernel, Tracer):
    """Rows one after the other through the jump table, by native/walk.

    ``Program.walk`` is also the kernel that ``predict_one`` calls.
    """

    name: ClassVar[str] = "walk"

    @staticmethod
    def runs(program: Program) -> bool:
        return program.has_walk

    def cost(self, n_rows: int) -> float:
        return self.program.costs.by_walk(n_rows)

    def scores(self, rows: Rows, out: NDArray[np.float64], n_jobs: int) -> None:
        self.program.walk.scores(rows, out, n_jobs)

    def exits(self, rows: Rows, n_jobs: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        if self.program.evaluates_all:
            return self._at_the_end(rows, n_jobs)
        scores, exit_step = self._to_fill(rows)
        self.program.walk.exits(rows, scores, exit_step, None, n_jobs)
        return scores, exit_step

    def verdicts(self, rows: Rows, n_jobs: int) -> NDArray[np.intp]:
        scores, exit_step = self._to_fill(rows)
        codes = np.empty(len(rows), np.int64)
        self.program.walk.exits(rows, scores, exit_step, codes, n_jobs)
        return codes.astype(np.intp, copy=False)

    def run(self, rows: Rows, n_jobs: int) -> Trace:
        scores, exit_step = self._to_fill(rows)
        cost, codes = np.zeros(len(rows)), np.full(len(rows), -1, np.int64)
        to_fill = codes if self.program.ensemble.task.predicts_classes else None
        paths = self.program.walk.run(
            rows, self.program.reached[0].cost, scores, exit_step, cost, to_fill, n_jobs
        )
        verdict = codes.astype(np.intp, copy=False)
        return Trace(scores, *self._paths(*paths), exit_step, cost, verdict)


class Blocks(Kernel):
    """Hundreds of rows that decide together at every step, by native/blocks.

    Rows that have quit make room, and base classifiers are evaluated on the rows that are left.
    """

    name: ClassVar[str] = "blocks"

    @staticmethod
    def runs(program: Program) -> bool:
        return program.has_kernels

    @cached_property
    def decisions(self) -> _core.Decisions:
        """Policy as blocks of rows read it."""
        program = self.program
        policy, n_expected = program.reached[1], math.ceil(program.costs.steps)
        covered = policy.n_steps, policy.n_together, policy.grid.n_scores
        return _core.Decisions(program.edges, policy.jumps, *covered, n_expected)

    def cost(self, n_rows: int) -> float:
        return self.program.costs.by_blocks(n_rows)

    def scores(self, rows: Rows, out: NDArray[np.float64], n_jobs: int) -> None:
        self.program.forest.run_blocks(rows, self.decisions, out, None, n_jobs)

    def exits(self, rows: Rows, n_jobs: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        if self.program.evaluates_all:
            return self._at_the_end(rows, n_jobs)
        scores, exit_step = self._to_fill(rows)
        self.program.forest.run_blocks(rows, self.decisions, scores, exit_step, n_jobs)
        return scores, exit_step


class All(Kernel):
    """Every base classifier on every row, by native/blocks."""

    name: ClassVar[str] = "all"

    @staticmethod
    def runs(program: Program) -> bool:
        return program.has_kernels and program.evaluates_all

    def cost(self, n_rows: int) -> float:
        return self.program.costs.by_all(n_rows)

    def scores(self, rows: Rows, out: NDArray[np.float64], n_jobs: int) -> None:
        self.program.forest.scores(rows, out, n_jobs)

    def exits(self, rows: Rows, n_jobs: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        return self._at_the_end(rows, n_jobs)


class Windows(Kernel, Tracer):
    """Patches by themselves, each Haar feature computed when a split reads it, by native/walk.

    A patch costs its integral image and the rectangles on its path, where the others compute all
    columns first. Rows whose columns are computed already are left to the row walk.
    """

    name: ClassVar[str] = "windows"

    @staticmethod
    def runs(program: Program) -> bool:
        return program.has_kernels and isinstance(program.ensemble.features, PatchFeatures)

    def cost(self, n_rows: int) -> float:
        return self.program.costs.by_windows(n_rows)

    def scores(self, rows: Any, out: NDArray[np.float64], n_jobs: int) -> None:
        self.program.patch_walk.scores(rows, out, n_jobs)

    def exits(self, rows: Any, n_jobs: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        scores, exit_step = self._to_fill(rows)
        self.program.patch_walk.exits(rows, scores, exit_step, n_jobs)
        return scores, exit_step

    def run(self, rows: Any, n_jobs: int) -> Trace:
        scores, exit_step = self._to_fill(rows)
        cost = np.zeros(len(rows))
        paths = self.program.patch_walk.run(
            rows, self.program.reached[0].cost, scores, exit_step, cost, n_jobs
        )
        verdict = verdicts_by_exits(self.program, scores, exit_step)
        return Trace(scores, *self._paths(*paths), exit_step, cost, verdict)
