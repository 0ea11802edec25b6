"""Executor: the native side of a Dag. Three ways to run a policy over trees:

    walk     each row by itself through the jump table; also for one row, and for paths
    blocks   hundreds of rows together, step by step; best where ``every`` > 1
    all      every base classifier on every row; for policies that evaluate everything

Base classifiers behind the last one that any row may reach are left out beforehand: whoever quits
after a prefix, or condenses, does not pay for their thresholds and columns. All executors add the
same integers (``IntegerVotes``), so which of them runs changes the time alone. Unless one is asked
for, the cost model chooses, batch by batch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._internal.checks import check_one_of, check_positive
from mddag._internal.read_only import ReadOnlyArrays
from mddag.dag.cost_model import Costs
from mddag.dag.integer_votes import IntegerVotes
from mddag.dag.trace import Trace
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.votes import take_segments
from mddag.features.rows import Rows
from mddag.mdp.policy import EVAL, Policy

EXECUTORS = ("walk", "blocks", "all")


@dataclass(frozen=True, eq=False)
class Executor(ReadOnlyArrays):
    """Runs a policy over an ensemble of trees; what it needs is made when it is first needed.

    name        : the way to run, None for the cheapest
    evaluations : the mean number that rows are expected to need, None if nobody knows
    """

    ensemble: Ensemble
    policy: Policy
    name: str | None = None
    evaluations: float | None = None

    def __post_init__(self) -> None:
        if self.name is not None:
            check_one_of("executor", self.name, EXECUTORS)
            self._require_possible(self.name)
        if self.evaluations is not None:
            _check_evaluations(self.evaluations, len(self.ensemble))

    @cached_property
    def reached(self) -> tuple[Ensemble, Policy]:
        """The base classifiers that some row may evaluate, and the policy over them.

        Where all may be, these are the given ones, else they stand in the order of their steps.
        """
        n_reached = self.policy.n_reached
        if n_reached == self.policy.n_steps:
            return self.ensemble, self.policy
        ensemble = self.ensemble.reordered(self.policy.order).truncated(n_reached)
        actions = self.policy.actions[: -(-n_reached // self.policy.every)]
        return ensemble, replace(self.policy, actions=actions, order=np.arange(n_reached))

    @cached_property
    def possible(self) -> tuple[str, ...]:
        """The executors that can run the policy."""
        evaluates_all = (self.reached[1].actions == EVAL).all()
        return EXECUTORS if evaluates_all else ("walk", "blocks")

    @cached_property
    def costs(self) -> Costs:
        return Costs.of(*self.reached, self.evaluations)

    def chosen(self, n_rows: int) -> str:
        """What runs a batch of so many rows."""
        return self.name or self.costs.cheapest(self.possible, n_rows)

    @property
    def speedup(self) -> float:
        """How many times faster than evaluating everything a large batch is expected to be.

        Callables cost what they cost: only how many are called counts.
        """
        if self.ensemble.callables:
            mean = self.costs.evaluations
            return len(self.ensemble) / mean if mean > 0 else float("inf")
        everything = Costs.of(self.ensemble, self.policy, self.evaluations)
        return self.costs.speedup(self.possible if self.name is None else (self.name,), everything)

    @property
    def speedup_one(self) -> float:
        """The same of a row by itself."""
        if self.ensemble.callables:
            return self.speedup
        full = Policy.constant(EVAL, len(self.ensemble), self.policy.grid)
        return Costs.of(self.ensemble, full).one / self.costs.one

    @cached_property
    def fixed_point(self) -> IntegerVotes:
        """The votes as they are summed."""
        return IntegerVotes.of(self.ensemble.tables)

    @cached_property
    def walk(self) -> _core.Walk:
        features, policy = self.ensemble.features, self.reached[1]
        return _core.Walk(
            *self._trees,
            policy.order.astype(np.int64, copy=False),
            self._edges,
            policy.jumps,
            policy.n_together,
            features.n,
            features.missing,
        )

    @cached_property
    def forest(self) -> _core.Forest:
        return _core.Forest(*self._trees, self.reached[1].order.astype(np.int64, copy=False))

    @cached_property
    def decisions(self) -> _core.Decisions:
        policy, steps = self.reached[1], math.ceil(self.costs.steps)
        covered = policy.n_steps, policy.n_together
        return _core.Decisions(self._edges, policy.jumps, *covered, policy.grid.n_scores, steps)

    def scores(self, rows: Rows, out: NDArray[np.float64], n_threads: int) -> None:
        """Fill `out` (n_rows, K)."""
        name = self.chosen(len(rows))
        if name == "walk":
            self.walk.scores(rows, out, n_threads)
        elif name == "all":
            self.forest.scores(rows, out, n_threads)
        else:
            self.forest.run_blocks(rows, self.decisions, out, None, n_threads)

    def exits(self, rows: Rows, n_threads: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Scores (n_rows, K) and exit steps (n_rows,)."""
        scores = self._empty_scores(rows)
        if "all" in self.possible:  # every row leaves at the end
            self.scores(rows, scores, n_threads)
            return scores, np.full(len(rows), len(self.reached[0]), np.int32)
        exit_step = np.zeros(len(rows), np.int32)
        if self.chosen(len(rows)) == "blocks":
            self.forest.run_blocks(rows, self.decisions, scores, exit_step, n_threads)
        else:
            self.walk.exits(rows, scores, exit_step, n_threads)
        return scores, exit_step

    def run(self, rows: Rows, n_threads: int) -> Trace:
        """Scores and paths; only the walk keeps them."""
        scores = self._empty_scores(rows)
        exit_step, cost = np.zeros(len(rows), np.int32), np.zeros(len(rows))
        ensemble, _ = self.reached
        n_evaluated, indices = self.walk.run(
            rows, ensemble.cost, scores, exit_step, cost, n_threads
        )
        if ensemble is not self.ensemble:
            indices = self.policy.order.astype(np.int32)[indices]
        indptr = np.concatenate([[0], np.cumsum(n_evaluated, dtype=np.int64)])
        return Trace(scores, indptr, indices, exit_step, cost)

    def _empty_scores(self, rows: Rows) -> NDArray[np.float64]:
        return np.empty((len(rows), self.ensemble.n_scores))

    @property
    def _trees(self) -> tuple[_core.Trees, _core.FixedTables, NDArray[np.int32], float]:
        if self.ensemble.callables:
            raise TypeError("the base classifiers are callables; only trees have native executors")
        fixed, source = self.fixed_point, self.ensemble.tables
        ensemble, _ = self.reached
        tables, values = ensemble.tables, fixed.values
        if ensemble is not self.ensemble:  # units are those of all, whoever asks for how many
            trees = source.trees_of(self.policy.order[: len(ensemble)])
            values, _ = take_segments(values, source.starts, trees)
        votes = (values, tables.starts, tables.score, tables.rounds, tables.n_scores)
        return ensemble.native, votes, fixed.bias, fixed.unit

    @property
    def _edges(self) -> NDArray[np.int64]:
        return self.fixed_point.edges(self.policy.grid.edges)

    def _require_possible(self, name: str) -> None:
        if self.ensemble.callables:
            raise ValueError(
                f"executor is {name!r}, but the base classifiers are callables, which are called "
                "one by one; leave executor out"
            )
        if name not in self.possible:
            raise ValueError(
                f"executor {name!r} evaluates the same of every row, but the policy does not; "
                f"wanted one of {', '.join(map(repr, self.possible))}"
            )


def _check_evaluations(evaluations: float, n_classifiers: int) -> None:
    if not (isinstance(evaluations, Real) and evaluations == 0):
        check_positive("expected_evaluations", evaluations)
    if evaluations > n_classifiers * (1 + 1e-9):  # a mean may be rounded
        raise ValueError(
            f"expected_evaluations is {evaluations}, but there are {n_classifiers} base classifiers"
        )
