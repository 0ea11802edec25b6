"""Program: a policy over an ensemble, as executors take it. What several of them need is made once.

Base classifiers behind the last one that any row may reach are left out beforehand: a policy that
quits after a prefix, or that condenses, does not pay for their thresholds and columns. Votes of
trees become integers (``IntegerVotes``) in units that suit the whole ensemble, whatever is left
out, so all kernels add the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._internal.checks import check_positive
from mddag._internal.read_only import ReadOnlyArrays
from mddag.dag.cost_model import Costs
from mddag.dag.integer_votes import IntegerVotes
from mddag.dag.row_walk import row_walk
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.votes import take_segments
from mddag.features.patches import PatchFeatures
from mddag.mdp.grid import Grid, buckets
from mddag.mdp.policy import EVAL, Policy
from mddag.mdp.stages import Stages
from mddag.mdp.state import for_steps


@dataclass(frozen=True, eq=False)
class Program(ReadOnlyArrays):
    """A policy over an ensemble; every part is made when it is first needed.

    evaluations : the mean number that rows are expected to need, None if it is not known
    """

    ensemble: Ensemble
    policy: Policy
    evaluations: float | None = None

    def __post_init__(self) -> None:
        if self.evaluations is not None:
            _check_evaluations(self.evaluations, len(self.ensemble))

    @property
    def has_kernels(self) -> bool:
        """Whether all kernels can run it: base classifiers are trees, and the state has kernels."""
        return not self.ensemble.callables and self.policy.state.has_kernels

    @property
    def has_walk(self) -> bool:
        """Whether the row walk can run it, which also knows stages."""
        staged = isinstance(self.policy.state, Stages)
        return self.has_kernels or (staged and not self.ensemble.callables)

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
        state = for_steps(self.policy.state, n_reached)
        return ensemble, replace(  # verdicts stay with the whole policy
            self.policy, actions=actions, order=np.arange(n_reached), state=state, verdict=None
        )

    @cached_property
    def evaluates_all(self) -> bool:
        """Whether every row evaluates all that some row may reach."""
        return bool((self.reached[1].actions == EVAL).all())

    @cached_property
    def costs(self) -> Costs:
        return Costs.of(*self.reached, self.evaluations)

    @cached_property
    def full_costs(self) -> Costs:
        """Those of the whole ensemble on every row."""
        one_cell = Grid(np.empty(0), self.ensemble.n_scores)
        return Costs.of(self.ensemble, Policy.constant(EVAL, len(self.ensemble), one_cell))

    @cached_property
    def fixed_point(self) -> IntegerVotes:
        """The votes of trees as they are summed."""
        return IntegerVotes.of(self.ensemble.tables)

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """The edges of the grid in units of the votes."""
        return self.fixed_point.edges(self.policy.grid.edges)

    def cells(self, scores: NDArray[np.float64]) -> NDArray[np.int32]:
        """The cells in which kernels see these scores of theirs (n, K), int32 (n,)."""
        sums, cells = np.ldexp(scores, self.fixed_point.exponent), np.empty(len(scores), np.int32)
        _core.cells(self._grid, sums, cells)
        return cells

    @cached_property
    def _grid(self) -> _core.Grid:
        """The cells of sums; in units of the votes several edges may be equal."""
        return buckets(self.edges.astype(np.float64), self.policy.grid.n_scores)

    @cached_property
    def walk(self) -> _core.Walk:
        """The trees for one row at a time, with the policy and its verdicts."""
        reached, features = self.reached[1], self.ensemble.features
        return row_walk(self._trees, self.edges, reached, self.policy, features)

    @cached_property
    def patch_walk(self) -> _core.PatchWalk:
        """The same for patches, whose columns are computed when they are read."""
        features = self.ensemble.features
        assert isinstance(features, PatchFeatures)
        return _core.PatchWalk(*self._trees, *self._steps, features.rectangles, *features.window)

    @cached_property
    def forest(self) -> _core.Forest:
        """The trees for many rows at once."""
        return _core.Forest(*self._trees, self.reached[1].order.astype(np.int64, copy=False))

    @property
    def _steps(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], int]:
        """The policy as walks take it: order, edges, jumps, steps of a decision."""
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


def _check_evaluations(evaluations: float, n_classifiers: int) -> None:
    if not (isinstance(evaluations, Real) and evaluations == 0):
        check_positive("expected_evaluations", evaluations)
    if evaluations > n_classifiers * (1 + 1e-9):  # a mean may be rounded
        raise ValueError(
            f"expected_evaluations is {evaluations}, but there are {n_classifiers} base classifiers"
        )
