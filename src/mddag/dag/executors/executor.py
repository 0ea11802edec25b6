"""Executor: one way to run a program. All that can run a program give the same scores, bit by bit.

A Dag chooses among those that can run its program by what they are expected to cost. An executor
that also keeps the paths of rows is a Tracer. None of them checks rows: the Dag has done so.
"""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from mddag.dag.program import Program
from mddag.dag.trace import Trace
from mddag.features.rows import Rows


class Executor(Protocol):
    """Anything with these members runs programs; there is nothing to inherit."""

    name: ClassVar[str]

    def __init__(self, program: Program) -> None: ...

    @staticmethod
    def runs(program: Program) -> bool:
        """Whether it can run a program."""
        ...

    def cost(self, n_rows: int) -> float:
        """What a batch of so many rows is expected to cost; see ``cost_model``."""
        ...

    def scores(self, rows: Rows, out: NDArray[np.float64], n_threads: int) -> None:
        """Fill `out` (n_rows, K)."""
        ...

    def exits(self, rows: Rows, n_threads: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Scores (n_rows, K), and exit steps (n_rows,) as ``Trace.exit_step``."""
        ...

    def verdicts(self, rows: Rows, n_threads: int) -> NDArray[np.intp]:
        """Class codes (n_rows,) as ``Trace.verdict``."""
        ...


class Tracer(Executor, Protocol):
    """An executor that keeps paths."""

    def run(self, rows: Rows, n_threads: int) -> Trace:
        """Scores and paths."""
        ...


def exits_at_the_end(
    executor: Executor, program: Program, rows: Rows, n_threads: int
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Scores and exit steps of a program that evaluates all: no row leaves before the end."""
    ensemble, _ = program.reached
    scores = np.empty((len(rows), ensemble.n_scores))
    executor.scores(rows, scores, n_threads)
    return scores, np.full(len(rows), len(ensemble), np.int32)
