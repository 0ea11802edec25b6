"""Program: a policy over an ensemble, as executors take it; what several of them need is made once.

Base classifiers after the last one that any row may reach are left out, so that a policy that quits
after a prefix does not pay for their thresholds and columns. The class of a row is the verdict of
the decision and cell where it quits, or else the class by its scores. Where the state folds, exit
step and scores are enough to find it: the row stays in the cell of its final scores and quits at
the first decision from there on that quits in this cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.arrays import ReadOnlyArrays
from mddag._utils.cached import cached_property
from mddag._utils.checks import check_positive
from mddag.engine.cost_model import Costs
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.patches import PatchFeatures
from mddag.ensemble.tasks import winners
from mddag.ensemble.votes import take_segments
from mddag.policy.grid import Grid, buckets
from mddag.policy.policy import (
    EVAL,
    QUIT,
    Policy,
    changed_policy,
    decided,
    decision_after,
    last_decisions,
)
from mddag.policy.rollout import IntegerVotes
from mddag.policy.state import Stages, for_steps


@dataclass(frozen=True, eq=False)
class Program(ReadOnlyArrays):
    """A policy over an ensemble; every part is made on demand."""

    ensemble: Ensemble  # the ensemble
    policy: Policy  # the policy
    evaluations: float | None = None  # expected evaluations of a row, if known

    def __post_init__(self) -> None:
        if self.evaluations is None:
            return
        if not (isinstance(self.evaluations, Real) and self.evaluations == 0):
            check_positive("expected_evaluations", self.evaluations)
        if self.evaluations > len(self.ensemble) * (1 + 1e-9):  # a mean may be rounded
            raise ValueError(
                f"expected_evaluations is {self.evaluations}, but there are {len(self.ensemble)} "
                "base classifiers"
            )

    @property
    def has_kernels(self) -> bool:
        """Whether all kernels can run it: base classifiers are trees and the state has kernels."""
        return not self.ensemble.callables and self.policy.state.has_kernels

    @property
    def has_walk(self) -> bool:
        """Whether the row walk can run it, which also knows stages."""
        staged = isinstance(self.policy.state, Stages)
        return self.has_kernels or (staged and not self.ensemble.callables)

    @cached_property
    def reached(self) -> tuple[Ensemble, Policy]:
        """Base classifiers that some row may evaluate, and the policy over them.

        If all may be, these are the given ones; otherwise they are in the order of their steps.
        """
        n_reached = self.policy.n_reached
        if n_reached == self.policy.n_steps:
            return self.ensemble, self.policy
        ensemble = self.ensemble.reordered(self.policy.order).truncated(n_reached)
        actions = self.policy.actions[: -(-n_reached // self.policy.every)]
        state = for_steps(self.policy.state, n_reached)
        return ensemble, changed_policy(  # verdicts stay with the whole policy
            self.policy, actions=actions, order=np.arange(n_reached), state=state, verdict=None
        )

    @cached_property
    def evaluates_all(self) -> bool:
        """Whether every row evaluates all that some row may reach."""
        return bool((self.reached[1].actions == EVAL).all())

    @cached_property
    def costs(self) -> Costs:
        """Expected costs."""
        return Costs.of(self.ensemble, self.policy, self.evaluations)

    @cached_property
    def full_costs(self) -> Costs:
        """Costs of the full ensemble on every row."""
        one_cell = Grid(np.empty(0), self.ensemble.n_scores)
        return Costs.of(self.ensemble, Policy.constant(EVAL, len(self.ensemble), one_cell))

    @cached_property
    def fixed_point(self) -> IntegerVotes:
        """Votes of trees as they are summed."""
        return IntegerVotes.of(self.ensemble.tables)

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """Edges of the grid in units of the votes."""
        return self.fixed_point.edges(self.policy.grid.edges)

    def cells(self, scores: NDArray[np.float64]) -> NDArray[np.int32]:
        """Return the cells in which kernels see these scores (n, K), int32 (n,)."""
        sums, cells = np.ldexp(scores, self.fixed_point.exponent), np.empty(len(scores), np.int32)
        _core.cells(self._grid, sums, cells)
        return cells

    @cached_property
    def _grid(self) -> _core.Grid:
        """Cells of sums; in units of the votes several edges may be equal."""
        return buckets(self.edges.astype(np.float64), self.policy.grid.n_scores)

    @cached_property
    def walk(self) -> _core.Walk:
        """Trees for one row at a time, with the policy and its verdicts."""
        whole, reached, features = self.policy, self.reached[1], self.ensemble.features
        staged = isinstance(reached.state, Stages)
        parts = (
            *self._trees,
            reached.order.astype(np.int64, copy=False),
            self.edges,
            reached.jump_table if staged else reached.jumps,
            reached.n_together,
            features.n,
            features.missing,
            walk_verdicts(whole, len(reached.actions)),
        )
        if not staged:
            return _core.Walk(*parts)
        assert isinstance(reached.state, Stages)
        assert isinstance(whole.state, Stages)
        reads, starts, columns, n_columns, _ = reached.state.native
        return _core.StageWalk(*parts, (reads, starts, columns, n_columns, whole.state.native[-1]))

    @cached_property
    def patch_walk(self) -> _core.PatchWalk:
        """The same for patches, whose columns are computed when they are read."""
        features = self.ensemble.features
        assert isinstance(features, PatchFeatures)
        return _core.PatchWalk(*self._trees, *self._steps, features.rectangles, *features.window)

    @cached_property
    def forest(self) -> _core.Forest:
        """Trees for many rows at once."""
        return _core.Forest(*self._trees, self.reached[1].order.astype(np.int64, copy=False))

    @property
    def _steps(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], int]:
        """Policy as walks take it: order, edges, jumps, steps of a decision."""
        policy = self.reached[1]
        order = policy.order.astype(np.int64, copy=False)
        return order, self.edges, policy.jumps, policy.n_together

    @property
    def _trees(self) -> tuple[_core.Trees, _core.FixedTables, NDArray[np.int32], float]:
        if self.ensemble.callables:
            raise TypeError("the base classifiers are callables; only trees have native executors")
        fixed, source = self.fixed_point, self.ensemble.tables
        ensemble, _ = self.reached
        tables, values = ensemble.tables, fixed.values
        if ensemble is not self.ensemble:  # units are those of the whole ensemble
            trees = source.trees_of(self.policy.order[: len(ensemble)])
            values, _ = take_segments(values, source.starts, trees)
        votes = (values, tables.starts, tables.score, tables.rounds, tables.n_scores)
        return ensemble.native, votes, fixed.bias, fixed.unit


AT_END, PASSED = -2, -3  # as native/walk/verdicts.hpp numbers them


def walk_verdicts(whole: Policy, n_kept: int) -> _core.Verdicts | None:
    """Return the verdicts of a walk of the first `n_kept` decisions; None if there are none.

    They are by decision and cell of a row that evaluates no more. AT_END: it passes the last
    decision of the walk, and the cell there decides (last row). PASSED: it passes all steps of the
    policy, and its cell there decides (second array).
    """
    if whole.verdict is None:
        return None
    table = np.full((n_kept + 1, whole.state.n_cells), AT_END, np.int16)
    last = last_decisions(whole.actions[:n_kept] == QUIT)[:-1]
    verdict = np.take_along_axis(whole.verdict, last, axis=0)
    np.copyto(table[:-1], verdict, where=last < n_kept)
    passes = whole.last_decisions[n_kept] == len(whole.actions)
    table[-1] = np.where(passes, PASSED, whole.last_verdicts[n_kept])
    return table, whole.verdict[-1]


def codes_by_scores(ensemble: Ensemble, scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return class codes (n,), which need no labels; -1 for models without classes."""
    if ensemble.task.predicts_classes:
        return winners(scores)
    return np.full(len(scores), -1, np.intp)


def verdicts_by_exits(
    program: Program, scores: NDArray[np.float64], exit_step: NDArray[np.int32]
) -> NDArray[np.intp]:
    """Return class codes (n,) of rows that kernels have run."""
    policy, codes = program.policy, codes_by_scores(program.ensemble, scores)
    if policy.verdict is None:
        return codes
    verdict = policy.last_verdicts[decision_after(policy, exit_step), program.cells(scores)]
    return decided(codes, verdict)
