"""Solver choice: the solver that an estimator, ``sparsify`` or ``sweep`` uses, checked.

None is ``Portfolio()``. The arguments beside the solver (every, ordering, progress, Ctrl-C) become
settings of the solver here, so that the rest of the code has one object to call.
"""

from __future__ import annotations

from typing import Any

from joblib import effective_n_jobs

from mddag._utils.checks import check_jobs, checked_threads
from mddag.policy.ordering import checked_ordering
from mddag.solvers import Portfolio, Solver
from mddag.solvers.solver import as_solver


def chosen_solver(
    solver: Any,
    *,
    ordering: Any = None,
    every: int = 1,
    n_threads: int = 1,
    verbose: bool = False,
) -> Solver:
    """The solver, deciding once for `every` base classifiers, in `ordering` if it orders by itself;
    for None the default one, with so many threads."""
    checked_threads(n_threads)
    solver = Portfolio(n_threads=n_threads) if solver is None else solver
    learner = as_solver(solver).with_every(every)
    learner = learner.with_verbose(verbose)
    if ordering is None:
        return learner
    checked_ordering(ordering)
    return learner.with_order(ordering)


def threads_of_learning(n_threads: int | None, n_jobs: int | None, otherwise: int = 1) -> int:
    """Threads of the default solver where policies are learned at several prices.

    It goes along the prices by itself, so that there is nothing to part among jobs: unless
    `n_threads` is given it takes their number, and `otherwise` where that is not given either.
    """
    check_jobs(n_jobs)
    if n_threads is not None:
        return checked_threads(n_threads)
    return otherwise if n_jobs is None else effective_n_jobs(n_jobs)
