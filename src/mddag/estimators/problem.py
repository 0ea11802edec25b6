"""Problem: the policy rows of an ensemble, ready to be made into MDPs at any price beta.

It holds votes and labels, what a wrong decision costs, and the order and grid in which the base
classifiers are decided on. One problem can be parted into rows for learning and rows for choosing,
which then share order and grid; both are made from the learning rows alone.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from mddag._internal.checks import check_jobs, checked_threads
from mddag._internal.interruption import check_on_interrupt
from mddag._internal.weights import part
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.votes import Votes
from mddag.features.rows import Rows
from mddag.losses import Loss
from mddag.mdp.grid import Grid
from mddag.mdp.mdp import MDP, are_numbers
from mddag.mdp.policy import ACTIONS, Policy
from mddag.ordering import Correlation, Given
from mddag.ordering.arrangement import Arrangement, arranged, by_lines
from mddag.ordering.class_levels import by_log_odds
from mddag.ordering.order import checked_ordering
from mddag.solvers import Portfolio, Solver
from mddag.solvers.solver import checked_solver, deciding_every, instructed

GRIDS = ("quantile", "uniform")


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows on which policies are learned or judged.

    votes   : of the base classifiers as arranged
    labels  : intp (n,) class numbers, soft targets (n, n_classes), or float64 (n,) numbers
    costs   : float64 (N,) prices of the same, or None where each counts as 1
    unit    : what beta is a price in: 1, or for regression the loss of predicting the mean, so that
              beta = 0.01 is one point of R2 per evaluation
    arrangement : which base classifier of the source each step decides on, and on which level
    grid    : the cells on which policies are learned; None where none are, or by a solver's own
    weight  : float64 (n,), what rows count for, above 0; None where all count alike
    """

    votes: Votes
    labels: NDArray[Any]
    loss: Loss
    costs: NDArray[np.float64] | None
    actions: tuple[str, ...]
    unit: float
    arrangement: Arrangement
    grid: Grid | None = None
    weight: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.votes)

    @classmethod
    def of(
        cls,
        ensemble: Ensemble,
        rows: Rows,
        targets: NDArray[Any],
        *,
        loss: Loss | None = None,
        actions: tuple[str, ...] = ACTIONS,
        weight: NDArray[np.float64] | None = None,
    ) -> Problem:
        """The votes of an ensemble on rows with targets: classes, probabilities or numbers."""
        task = ensemble.task
        labels = task.coded(targets)
        return cls(
            votes=ensemble.votes(rows),
            labels=labels,
            loss=task.loss(loss),
            costs=ensemble.cost if ensemble.priced else None,
            actions=actions,
            unit=task.unit(loss, labels, weight),
            arrangement=Arrangement(np.arange(ensemble.n_classifiers)),
            weight=weight,
        )

    def mdp(self, beta: float) -> MDP:
        """The MDP of these rows at a price."""
        return MDP(
            self.votes,
            self.labels,
            loss=self.loss,
            beta=beta * self.unit,
            costs=self.costs,
            weight=self.weight,
            grid=self.grid,
            actions=self.actions,
        )

    def rows(self, index: NDArray[np.intp]) -> Problem:
        """Some of the rows; price, order and grid stay."""
        return replace(
            self,
            votes=self.votes.rows(index),
            labels=self.labels[index],
            weight=part(self.weight, index),
        )

    def ordered(self, ordering: Any, solver: Solver, grid: str = "quantile") -> Problem:
        """The rows with base classifiers in the order that decides, on one of GRIDS.

        None stands for Correlation(), whose levels are made for signs; for numbers, which boosting
        puts in order by itself, for Given().
        A solver that orders by itself (it says so by `orders`) gets them as they are, and makes
        its own grids. One whose classes share their thresholds may ask for more cells of a class
        (`cells_of_a_class`), one that fits lines of its own for levels by least squares
        (`fits_lines`).
        """
        if getattr(solver, "orders", False):
            return self
        if ordering is None:
            ordering = Given() if are_numbers(self.labels) else Correlation()
        fits_lines = self.votes.tables.n_scores == 1 or getattr(solver, "fits_lines", False)
        levels = by_lines if fits_lines else by_log_odds
        problem = self._in(arranged(ordering, self.votes, self.costs, self.weight, levels=levels))
        n_cells = getattr(solver, "cells_of_a_class", None)
        if grid == "uniform":
            return replace(problem, grid=Grid.uniform(problem.votes, n_cells))
        return replace(problem, grid=Grid.quantile(problem.votes, n_cells, weight=self.weight))

    def outside(self, policy: Policy) -> Policy:
        """A policy learned on these rows, for base classifiers as the source has them."""
        return policy.on_fewest_cells().after(self.arrangement)

    def like(self, other: Problem) -> Problem:
        """These rows in the order and on the grid of `other`."""
        return replace(self._in(other.arrangement), grid=other.grid)

    def _in(self, arrangement: Arrangement) -> Problem:
        costs = None if self.costs is None else self.costs[arrangement.kept]
        votes = arrangement.votes(self.votes)
        return replace(self, votes=votes, costs=costs, arrangement=arrangement)


def chosen_solver(
    solver: Any,
    *,
    ordering: Any = None,
    every: int = 1,
    n_threads: int = 1,
    verbose: bool = False,
    on_interrupt: str = "raise",
) -> Solver:
    """The solver, deciding once for `every` base classifiers, in `ordering` if it orders by itself;
    for None the default one, with so many threads."""
    check_on_interrupt(on_interrupt)
    checked_threads(n_threads)
    solver = Portfolio(n_threads=n_threads) if solver is None else solver
    learner = deciding_every(checked_solver(solver), every)
    learner = instructed(learner, verbose=verbose, on_interrupt=on_interrupt)
    if ordering is None:
        return learner
    checked_ordering(ordering)
    return _in_order(learner, ordering) if getattr(learner, "orders", False) else learner


def threads_of_learning(n_threads: int | None, n_jobs: int | None, otherwise: int = 1) -> int:
    """Threads of the default solver where policies are learned at several prices.

    It goes along the prices by itself, so that there is nothing to part among jobs: unless
    `n_threads` is given it takes their number, and `otherwise` where that is not given either.
    """
    check_jobs(n_jobs)
    if n_threads is not None:
        return checked_threads(n_threads)
    return otherwise if n_jobs is None else effective_n_jobs(n_jobs)


def _in_order(solver: Any, ordering: Any) -> Solver:
    """A copy of a solver that orders by itself, with one order to try."""
    if getattr(solver, "orderings", ()) is not None:
        raise ValueError(
            f"ordering is {ordering!r}, but {solver!r} has orders of its own; give one of the two"
        )
    other = copy(solver)
    other.orderings = (ordering,)
    ordered: Solver = other
    return ordered
