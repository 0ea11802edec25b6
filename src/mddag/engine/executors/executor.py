"""What executors are: they run a ``Program`` on rows that the Dag has checked.

A Dag chooses among those that can run its program by their expected cost. An executor that keeps
the paths of rows is a Tracer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from mddag.engine.program import Program, verdicts_by_exits
from mddag.engine.trace import Trace
from mddag.ensemble.features import Rows


@dataclass(frozen=True, eq=False)
class Executor(ABC):
    """Base class of what runs a program on rows."""

    program: Program
    name: ClassVar[str]

    @staticmethod
    @abstractmethod
    def runs(program: Program) -> bool:
        """Return whether it can run a program."""

    @abstractmethod
    def cost(self, n_rows: int) -> float:
        """Return the expected cost of a batch; see ``cost_model``."""

    @abstractmethod
    def scores(self, rows: Any, out: NDArray[np.float64], n_jobs: int) -> None:
        """Fill `out` (n_rows, K)."""

    @abstractmethod
    def exits(self, rows: Any, n_jobs: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Return scores (n_rows, K), and exit steps (n_rows,) as ``Trace.exit_step``."""

    def verdicts(self, rows: Any, n_jobs: int) -> NDArray[np.intp]:
        """Return class codes (n_rows,) as ``Trace.verdict``."""
        return verdicts_by_exits(self.program, *self.exits(rows, n_jobs))


class Tracer(Executor):
    """Base class of executors that keep paths."""

    @abstractmethod
    def run(self, rows: Any, n_jobs: int) -> Trace:
        """Return scores and paths."""


class QueryExecutor(Protocol):
    """Protocol of executors of policies whose state looks at all rows of a query together."""

    def cost(self, n_rows: int) -> float:
        """Return the expected cost as ``Executor.cost``."""
        ...

    def exits(
        self, rows: Rows, qid: Any, n_jobs: int
    ) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.int64]]:
        """Return scores (n_rows, 1), exit steps and numbers of evaluations, both (n_rows,)."""
        ...

    def run(self, rows: Rows, qid: Any, n_jobs: int) -> Trace:
        """Return scores and paths."""
        ...
