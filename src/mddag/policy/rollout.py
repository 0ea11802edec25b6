"""Rollout: run a policy natively on rows whose votes are known, and find where they quit.

Sums are float64 in the order of evaluation. Scores and stages have kernels; other states run by
``mddag.compile(ensemble, policy)`` alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag.ensemble.votes import Tables, Votes
from mddag.policy.policy import Policy
from mddag.policy.state import Stages

# The cells of some of the rows at step j; at the end, where j is N, of those that have passed it.
Cells = Callable[[int, NDArray[np.intp]], NDArray[np.integer[Any]]]


@dataclass(frozen=True, eq=False)
class Quits:
    """Hold where rows quit."""

    policy: Policy  # the policy
    # (n,), decision at which a row quits, n_decisions if it passed all steps
    decision: NDArray[np.int32]
    cell: NDArray[np.int32]  # (n,), cell in which it quits, if it has not passed all steps

    @classmethod
    def of(cls, policy: Policy, n_rows: int) -> Quits:
        """Return the state in which no row has quit."""
        n_decisions = len(policy.actions)
        return cls(policy, np.full(n_rows, n_decisions, np.int32), np.zeros(n_rows, np.int32))

    @classmethod
    def found(cls, policy: Policy, exit_step: NDArray[np.int32], cells: Cells) -> Quits:
        """Find where rows quit that evaluate nothing from their exit steps (n,) on.

        The cells of a row must not depend on other rows.
        """
        quits, at = cls.of(policy, len(exit_step)), policy.decision_after(exit_step)
        for d in range(len(policy.actions)):
            here = np.flatnonzero(at == d)
            if not len(here):
                continue
            j = d * policy.n_together
            seen = cells(j, here)
            to = policy.jump_table[d].take(seen)
            at[here], gone = policy.decision_after(to), to == policy.n_steps
            quits.leave(j, here[gone], seen[gone])
        return quits

    def leave(self, j: int, rows: NDArray[np.intp], cells: NDArray[np.integer[Any]]) -> None:
        """Note that these rows, in these cells at step j, evaluate no more."""
        self.decision[rows] = self.policy.last_decisions[-(-j // self.policy.n_together), cells]
        self.cell[rows] = cells

    def verdicts(self, cells: Cells) -> NDArray[np.int16]:
        """Return the verdict of the policy on each row (n,); -1 is that by the scores."""
        assert self.policy.verdict is not None
        n_decisions, n_steps = len(self.policy.actions), self.policy.n_steps
        passed = np.flatnonzero(self.decision == n_decisions)
        if len(passed):
            self.cell[passed] = cells(n_steps, passed)
        return self.policy.verdict[self.decision, self.cell]


@dataclass(frozen=True, eq=False)
class Rollout:
    """Hold what happened to n rows."""

    scores: NDArray[np.float64]  # (n, K), final scores
    n_evaluated: NDArray[np.int32]  # (n,), number of evaluations
    # (n,), one more than the last step at which a row evaluates, 0 if none
    exit_step: NDArray[np.int32]
    cost: NDArray[np.float64]  # (n,), cost of the evaluations
    # (n,), verdict of the policy, -1 where scores decide; None if it has no verdicts
    verdict: NDArray[np.int16] | None


def roll_out(
    policy: Policy,
    votes: Votes,
    tables: Tables,
    grid: _core.Grid,
    costs: NDArray[np.float64],
    n_jobs: int,
) -> Rollout:
    """Run a policy on the rows of some votes.

    `tables` are what the leaves vote, rescaled for the policy or in other units, `grid` the cells
    of sums in these units, `costs` (N,) those of the base classifiers.
    """
    n, state = len(votes), policy.state
    n_evaluated, exit_step, cost = np.zeros(n, np.int32), np.zeros(n, np.int32), np.zeros(n)
    out = n_evaluated, exit_step, cost, n_jobs
    if not isinstance(state, Stages):
        carried = np.tile(tables.bias, (n, 1))
        _core.rollout(tables.native, votes.codes, grid, policy.native, costs, carried, *out)
        verdict = None
        if policy.verdict is not None:
            cells = _cells(grid, carried)
            verdict = policy.last_verdicts[policy.decision_after(exit_step), cells]
        return Rollout(carried, n_evaluated, exit_step, cost, verdict)
    columns, _ = state.start(tables.bias, n)
    _core.rollout_stages(
        tables.native, votes.codes, grid, state.native, policy.native, costs, columns, *out
    )
    scores = state.scores((columns, exit_step.astype(np.intp)))
    verdict = _stage_verdicts(policy, state, columns, exit_step, grid)
    return Rollout(scores, n_evaluated, exit_step, cost, verdict)


def _stage_verdicts(
    policy: Policy,
    state: Stages,
    columns: NDArray[np.float64],
    exit_step: NDArray[np.int32],
    grid: _core.Grid,
) -> NDArray[np.int16] | None:
    if policy.verdict is None:
        return None

    def cells(j: int, rows: NDArray[np.intp]) -> NDArray[np.int32]:
        return _cells(grid, state.column(columns, int(state.reads[j]))[rows])

    return Quits.found(policy, exit_step, cells).verdicts(cells)


def _cells(grid: _core.Grid, scores: NDArray[np.float64]) -> NDArray[np.int32]:
    cells = np.empty(len(scores), np.int32)
    _core.cells(grid, np.ascontiguousarray(scores), cells)
    return cells
