"""Blocks: hundreds of rows decide together at every step, by native/blocks.

Rows that have quit make room, and a step's base classifier is evaluated on the rows that are left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag.dag.executors.executor import exits_at_the_end
from mddag.dag.program import Program
from mddag.dag.verdicts import verdicts_by_exits
from mddag.features.rows import Rows


@dataclass(frozen=True, eq=False)
class Blocks:
    """Many rows at once, which leave when they can."""

    program: Program
    name: ClassVar[str] = "blocks"

    @staticmethod
    def runs(program: Program) -> bool:
        return program.has_kernels

    @cached_property
    def decisions(self) -> _core.Decisions:
        """The policy as blocks of rows read it."""
        program = self.program
        policy, n_expected = program.reached[1], math.ceil(program.costs.steps)
        covered = policy.n_steps, policy.n_together, policy.grid.n_scores
        return _core.Decisions(program.edges, policy.jumps, *covered, n_expected)

    def cost(self, n_rows: int) -> float:
        return self.program.costs.by_blocks(n_rows)

    def scores(self, rows: Rows, out: NDArray[np.float64], n_threads: int) -> None:
        self.program.forest.run_blocks(rows, self.decisions, out, None, n_threads)

    def exits(self, rows: Rows, n_threads: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        if self.program.evaluates_all:
            return exits_at_the_end(self, self.program, rows, n_threads)
        scores = np.empty((len(rows), self.program.ensemble.n_scores))
        exit_step = np.zeros(len(rows), np.int32)
        self.program.forest.run_blocks(rows, self.decisions, scores, exit_step, n_threads)
        return scores, exit_step

    def verdicts(self, rows: Rows, n_threads: int) -> NDArray[np.intp]:
        return verdicts_by_exits(self.program, *self.exits(rows, n_threads))
