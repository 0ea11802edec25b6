"""ExitFamily: policies that quit a document at a check point where its number is small.

    quit at check point c  if  number <= threshold_c(knob)

A member of ``members`` says what the number is and how one knob makes the thresholds; a larger knob
quits sooner. Here a family of fitted readings is run on sums of blocks, all documents of all
queries at once, and becomes a ``Policy``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, QUIT, Policy
from mddag.mdp.query_state import QueryState
from mddag.metrics.queries import Queries
from mddag.solvers.ranking.fit_readings import block_sums
from mddag.solvers.ranking.problem import RankingProblem

NO_CELLS = Grid(np.empty(0))


@dataclass(frozen=True, eq=False)
class ExitFamily:
    """Policies of one order and one set of readings, by a knob.

    state      : what is looked at; its grid does not matter here
    order      : intp (N,)
    every      : steps that a decision covers; check points are multiples of it
    thresholds : of a knob, (C - 1,); -inf: none quits, inf: all do
    """

    state: QueryState
    order: NDArray[np.intp]
    every: int
    thresholds: Callable[[Any], NDArray[np.float64]]

    @property
    def checks(self) -> NDArray[np.int64]:
        return self.state.readings.checks

    def policy(self, knob: Any) -> Policy:
        """The policy of one knob."""
        thresholds, n_steps = self.thresholds(knob), len(self.order)
        grid = Grid(np.unique(thresholds[np.isfinite(thresholds)]))
        actions = np.full((-(-n_steps // self.every), grid.n_cells), EVAL, np.uint8)
        above = np.append(grid.edges, np.inf)  # cell c holds numbers up to above[c]
        for j, threshold in zip(self.checks[:-1].tolist(), thresholds.tolist(), strict=True):
            actions[j // self.every, above <= threshold] = QUIT
            if threshold == np.inf:
                actions[j // self.every] = QUIT
        state = self.state.on_grid(grid)
        return Policy(actions, grid, self.order, self.every, state=state)

    def blocks(self, problem: RankingProblem) -> NDArray[np.float64]:
        """The sums of blocks of documents, (n, C)."""
        return block_sums(problem, self.order, self.checks)

    def run(
        self, blocks: NDArray[np.float64], queries: Queries, knob: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Readings at the exits, and steps, of documents query by query; both (n,)."""
        readings, n = self.state.readings, len(blocks)
        thresholds, alive = self.thresholds(knob), np.ones(n, bool)
        reading = readings.read(blocks, 0)
        spread, steps = readings.spreads(reading, 0), np.full(n, self.checks[0])
        for c, threshold in enumerate(thresholds.tolist()):
            if threshold > -np.inf:
                numbers = self.state.numbers(reading, spread, alive, queries)
                alive &= (numbers > threshold) if threshold < np.inf else False
            here = np.flatnonzero(alive)
            if len(here) == 0:
                break
            reading[here] = readings.read(blocks[here], c + 1)
            spread[here] = readings.spreads(reading[here], c + 1)
            steps[here] = self.checks[c + 1]
        return reading, steps

    def gains(self, problem: RankingProblem) -> NDArray[np.float64]:
        """What the full model expects documents to be worth, (n,)."""
        return self.state.readings.gains(problem.full)
