"""Walk: one row after the other through the jump table, by native/walk.

It keeps paths, and serves single rows: ``Program.walk`` is the kernel that ``predict_one`` calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mddag.dag.executors.executor import exits_at_the_end
from mddag.dag.program import Program
from mddag.dag.trace import Trace
from mddag.features.rows import Rows


@dataclass(frozen=True, eq=False)
class Walk:
    """Rows by themselves."""

    program: Program
    name: ClassVar[str] = "walk"

    @staticmethod
    def runs(program: Program) -> bool:
        return program.has_walk

    def cost(self, n_rows: int) -> float:
        return self.program.costs.by_walk(n_rows)

    def scores(self, rows: Rows, out: NDArray[np.float64], n_threads: int) -> None:
        self.program.walk.scores(rows, out, n_threads)

    def exits(self, rows: Rows, n_threads: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        if self.program.evaluates_all:
            return exits_at_the_end(self, self.program, rows, n_threads)
        scores = np.empty((len(rows), self.program.ensemble.n_scores))
        exit_step = np.zeros(len(rows), np.int32)
        self.program.walk.exits(rows, scores, exit_step, None, n_threads)
        return scores, exit_step

    def verdicts(self, rows: Rows, n_threads: int) -> NDArray[np.intp]:
        scores = np.empty((len(rows), self.program.ensemble.n_scores))
        codes = np.empty(len(rows), np.int64)
        self.program.walk.exits(rows, scores, np.zeros(len(rows), np.int32), codes, n_threads)
        return codes.astype(np.intp, copy=False)

    def run(self, rows: Rows, n_threads: int) -> Trace:
        source, (ensemble, _) = self.program.ensemble, self.program.reached
        scores = np.empty((len(rows), source.n_scores))
        exit_step, cost = np.zeros(len(rows), np.int32), np.zeros(len(rows))
        codes = np.full(len(rows), -1, np.int64)
        to_fill = codes if source.task.predicts_classes else None
        n_evaluated, indices = self.program.walk.run(
            rows, ensemble.cost, scores, exit_step, cost, to_fill, n_threads
        )
        if ensemble is not source:
            indices = self.program.policy.order.astype(np.int32)[indices]
        indptr = np.concatenate([[0], np.cumsum(n_evaluated, dtype=np.int64)])
        verdict = codes.astype(np.intp, copy=False)
        return Trace(scores, indptr, indices, exit_step, cost, verdict)
