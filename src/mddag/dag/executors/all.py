"""All: every base classifier on every row, by native/blocks.

Nothing is decided, so it runs only programs that evaluate all that any row may reach.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mddag.dag.executors.executor import exits_at_the_end
from mddag.dag.program import Program
from mddag.dag.verdicts import verdicts_by_exits
from mddag.features.rows import Rows


@dataclass(frozen=True, eq=False)
class All:
    """Many rows at once, which stay to the end."""

    program: Program
    name: ClassVar[str] = "all"

    @staticmethod
    def runs(program: Program) -> bool:
        return program.has_kernels and program.evaluates_all

    def cost(self, n_rows: int) -> float:
        return self.program.costs.by_all(n_rows)

    def scores(self, rows: Rows, out: NDArray[np.float64], n_threads: int) -> None:
        self.program.forest.scores(rows, out, n_threads)

    def exits(self, rows: Rows, n_threads: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        return exits_at_the_end(self, self.program, rows, n_threads)

    def verdicts(self, rows: Rows, n_threads: int) -> NDArray[np.intp]:
        return verdicts_by_exits(self.program, *self.exits(rows, n_threads))
