"""Rollout: run a policy natively on rows whose votes are known, and find where they quit.

This is what estimates, chooses, certifies and measures policies, so the votes of trees are summed
in the fixed point of the executors (`IntegerVotes`): scores, paths and classes are those of
``mddag.compile(ensemble, policy)`` to the last bit. Votes given as numbers, and those of callables,
are summed in float64, in the order of evaluation. Scores and stages have kernels; policies with
other states run in a Dag alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.arrays import ReadOnlyArrays, read_only
from mddag._utils.checks import checked_jobs
from mddag.ensemble.tasks import winners
from mddag.ensemble.votes import Tables, Votes
from mddag.policy.grid import buckets
from mddag.policy.policy import Policy, decided, decision_after
from mddag.policy.state import Stages

LARGEST = 2**31 - 1


@dataclass(frozen=True, eq=False)
class IntegerVotes(ReadOnlyArrays):
    """Values and bias of some tables as integers."""

    values: NDArray[np.int32]  # As Tables.values
    bias: NDArray[np.int32]  # (K,), initial scores
    exponent: int  # A unit is 2^-exponent
    n_trees: int  # number of votes that a score sums

    @classmethod
    def of(cls, tables: Tables) -> IntegerVotes:
        """Choose the finest units for these tables."""
        with np.errstate(over="ignore"):
            total = _largest_sum(tables)
        if not np.isfinite(total):
            raise ValueError(
                f"votes can sum up to {total}; wanted finite leaf values and a finite bias"
            )
        room = LARGEST - tables.n_trees - 1  # what rounding may add
        # Fine units also where all votes are 0: edges move by some units to allow for rounding.
        units = room / total if total > 0 else np.inf
        exponent = max(math.floor(math.log2(min(units, 2.0**1000))), -1000)
        values, bias = (_rounded(v, exponent) for v in (tables.values, tables.bias))
        return cls(values, bias, exponent, tables.n_trees)

    @property
    def unit(self) -> float:
        """Value of one unit."""
        return math.ldexp(1.0, -self.exponent)

    @property
    def bound(self) -> float:
        """Largest distance of a score from the exact sum: half a unit per tree and for the bias."""
        return (self.n_trees + 1) / 2 * self.unit

    def scores(self, sums: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return sums as scores; exact."""
        return np.ldexp(sums.astype(np.float64), -self.exponent)

    def edges(self, edges: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return, by edge, the largest sum that is not above it, nor above it by rounding alone.

        A margin between two scores has the rounding of both: half a unit twice for each tree.
        """
        with np.errstate(over="ignore"):  # an edge beyond all sums
            whole: NDArray[np.float64] = np.floor(np.ldexp(edges, self.exponent))
        limits = whole + (self.n_trees + 1)
        return np.clip(limits, -(2.0**33), 2.0**33).astype(np.int64)


def _largest_sum(tables: Tables) -> float:
    """Return the largest |bias + sum of votes| that any score could reach."""
    reach = np.abs(tables.bias).astype(np.float64)
    for_all = tables.score < 0
    if not for_all.any():  # as most ensembles are: no tree votes for all scores
        np.add.at(reach, tables.score, tables.largest_votes())
        return float(reach.max(initial=0.0))
    for t in range(tables.n_trees):
        table = np.abs(tables.values[tables.starts[t] : tables.starts[t + 1]])
        if not for_all[t]:
            reach[tables.score[t]] += table.max(initial=0.0)
        elif len(table):
            reach += table.reshape(-1, tables.n_scores).max(axis=0)
    return float(reach.max(initial=0.0))


def _rounded(values: NDArray[np.float64], exponent: int) -> NDArray[np.int32]:
    integers: NDArray[np.int32] = read_only(np.rint(np.ldexp(values, exponent)), np.int32)
    return integers


# The cells of some of the rows at step j; at the end, where j is N, of those that have passed it.
Cells = Callable[[int, NDArray[np.intp]], NDArray[np.integer[Any]]]


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

    def rows(self, index: NDArray[np.intp]) -> Rollout:
        """Return what happened to some of the rows."""
        verdict = None if self.verdict is None else self.verdict[index]
        scores, n_evaluated = self.scores[index], self.n_evaluated[index]
        return Rollout(scores, n_evaluated, self.exit_step[index], self.cost[index], verdict)

    @property
    def codes(self) -> NDArray[np.intp]:
        """Class of each row (n,) as ``Trace.verdict``: the verdict, or else that by the scores."""
        return decided(winners(self.scores), self.verdict)


def roll_out(
    policy: Policy, votes: Votes, costs: NDArray[np.float64] | None = None, *, n_jobs: int = 1
) -> Rollout:
    """Run a policy on the rows of some votes; base classifiers cost `costs` (N,), or 1 each."""
    policy = copy(policy)  # or the jump tables of all candidates would stay in memory
    tables, grid, unit = policy.tables(votes.tables), policy.grid.native, 1.0
    if tables.of_trees:
        integers = IntegerVotes.of(tables)
        # float64 adds integers below 2^53 exactly, so one kernel serves both kinds of sums
        values, bias = (a.astype(np.float64) for a in (integers.values, integers.bias))
        tables = replace(tables, values=values, bias=bias)
        grid = buckets(integers.edges(policy.grid.edges).astype(np.float64), policy.grid.n_scores)
        unit = integers.unit

    n, state = len(votes), policy.state
    costs = np.ones(policy.n_steps) if costs is None else costs
    n_evaluated, exit_step, cost = np.zeros(n, np.int32), np.zeros(n, np.int32), np.zeros(n)
    out = n_evaluated, exit_step, cost, checked_jobs(n_jobs)
    verdict = None
    if isinstance(state, Stages):
        columns, _ = state.start(tables.bias, n)
        _core.rollout_stages(
            tables.native, votes.codes, grid, state.native, policy.native, costs, columns, *out
        )
        scores = state.scores((columns, exit_step.astype(np.intp)))
        if policy.verdict is not None:

            def cells(j: int, rows: NDArray[np.intp]) -> NDArray[np.int32]:
                return _cells(grid, state.column(columns, int(state.reads[j]))[rows])

            verdict = quit_verdicts(policy, exit_step, cells)
    else:
        scores = np.tile(tables.bias, (n, 1))
        _core.rollout(tables.native, votes.codes, grid, policy.native, costs, scores, *out)
        if policy.verdict is not None:
            at = decision_after(policy, exit_step)
            verdict = policy.last_verdicts[at, _cells(grid, scores)]
    return Rollout(scores * unit, n_evaluated, exit_step, cost, verdict)


def quit_verdicts(policy: Policy, exit_step: NDArray[np.int32], cells: Cells) -> NDArray[np.int16]:
    """Return the verdict (n,) on rows that evaluate nothing from their exit steps on."""
    assert policy.verdict is not None
    n_decisions = len(policy.actions)
    decision = np.full(len(exit_step), n_decisions, np.int32)  # where rows quit; the end by default
    cell, at = np.zeros(len(exit_step), np.int32), decision_after(policy, exit_step)
    for d in range(n_decisions):
        here = np.flatnonzero(at == d)
        if not len(here):
            continue
        seen = cells(d * policy.n_together, here)
        to = policy.jump_table[d].take(seen)
        at[here], gone = decision_after(policy, to), to == policy.n_steps
        decision[here[gone]] = policy.last_decisions[d, seen[gone]]
        cell[here[gone]] = seen[gone]
    passed = np.flatnonzero(decision == n_decisions)
    if len(passed):
        cell[passed] = cells(policy.n_steps, passed)
    return policy.verdict[decision, cell]


def _cells(grid: _core.Grid, scores: NDArray[np.float64]) -> NDArray[np.int32]:
    cells = np.empty(len(scores), np.int32)
    _core.cells(grid, np.ascontiguousarray(scores), cells)
    return cells
