"""RememberedSolver: a solver whose policies are kept in check points, price by price.

It solves by another solver, and takes a policy from the check points where there is one for the
same price. The default solver goes along all prices in one run and has a memory of its own
(``Portfolio.memory``); families of few policies are too quick to be worth it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import mddag
from mddag.cli.check_points import CheckPoints
from mddag.solvers import Family, Portfolio, Solver


class RememberedSolver(Solver):
    """`solver`, with its policies in `kept`."""

    def __init__(self, solver: Solver, kept: CheckPoints) -> None:
        self.solver, self.kept = solver, kept
        for name in ("arranges", "cells_per_class", "weighs_costs", "settings"):
            setattr(self, name, getattr(solver, name))  # of the class, here of the object
        self.every, self.random_state = solver.every, solver.random_state

    @property
    def name(self) -> str:
        return self.solver.name

    def __repr__(self) -> str:
        return repr(self.solver)

    def solve(self, mdp: Any, selection: Any = None) -> mddag.Policy:
        """The policy of the price of the MDP, kept or learned now."""
        key = f"{self.solver!r} at {float(mdp.beta).hex()}"
        (policy,) = self.kept.policies(key, lambda: [self.solver.solve(mdp, selection)])
        return policy

    def levels(self, n_scores: int) -> Any:
        return self.solver.levels(n_scores)

    def check(self) -> None:
        self.solver.check()

    def with_order(self, ordering: Any) -> RememberedSolver:
        return RememberedSolver(self.solver.with_order(ordering), self.kept)

    def with_seed(self, random: np.random.RandomState) -> RememberedSolver:
        return RememberedSolver(self.solver.with_seed(random), self.kept)

    def _with(self, **settings: Any) -> RememberedSolver:
        return RememberedSolver(self.solver._with(**settings), self.kept)


def remembered(solver: Solver, kept: CheckPoints) -> Solver:
    """The solver, with a memory in the check points."""
    if isinstance(solver, Portfolio):
        solver.memory = _in_sequence(kept)
        return solver
    return solver if isinstance(solver, Family) else RememberedSolver(solver, kept)


def _in_sequence(kept: CheckPoints) -> Callable[..., Iterable[mddag.Policy]]:
    """A memory of a sequence of parts that is the same in every run."""
    n_called = 0

    def recall(learn: Callable[[], Iterable[mddag.Policy]]) -> Iterable[mddag.Policy]:
        nonlocal n_called
        n_called += 1
        return kept.policies(f"part {n_called}", lambda: list(learn()))

    return recall
