"""Solver choice: the solver that an estimator, ``sparsify`` or ``sweep`` uses, checked.

None is ``Portfolio()``. The arguments beside the solver (every, ordering, progress, Ctrl-C) become
settings of the solver here, so that the rest of the code has one object to call.
"""

from __future__ import annotations

from typing import Any

from mddag._utils.checks import checked_jobs
from mddag.policy.ordering import checked_ordering
from mddag.solvers import Portfolio, Solver
from mddag.solvers.solver import as_solver, configured


def chosen_solver(
    solver: Any,
    *,
    ordering: Any = None,
    every: int = 1,
    n_jobs: int = 1,
    verbose: bool = False,
) -> Solver:
    """Return the solver with these settings; for None the default one, with that many threads."""
    checked_jobs(n_jobs)
    solver = Portfolio(n_jobs=n_jobs) if solver is None else solver
    learner = configured(as_solver(solver), every=every, verbose=verbose or None)
    if ordering is None:
        return learner
    checked_ordering(ordering)
    if not learner.arranges:
        return learner
    ordered: Solver = learner.with_order(ordering)  # type: ignore[attr-defined]
    return ordered
