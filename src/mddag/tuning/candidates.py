"""Ladder: policies from the most careful to the boldest, and what each does to every row.

Policies are learned at prices beta a decade apart, then between the boldest that is acceptable and
the next, so that the ladder is fine where the choice falls. Prices find only candidates on the
convex hull of losses and costs, so where all are at hand they are taken as they are: a portfolio
has judged a pool of many, a family is judged here, and from either the ladder is fine everywhere.
The full ensemble is always on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from mddag._internal.interruption import ending_all, keeping
from mddag._internal.progress import progress
from mddag.dag.dag import compile as compile_dag
from mddag.ensemble.ensemble import Ensemble
from mddag.estimators.problem import Problem
from mddag.features.rows import Rows
from mddag.mdp.grid import Grid
from mddag.mdp.mdp import MDP
from mddag.mdp.policy import EVAL, QUIT, Policy
from mddag.solvers import Solver
from mddag.solvers.front import rounded, rungs, worth
from mddag.solvers.solver import Candidates, checked_policy, quiet
from mddag.tuning.excess_loss import Harm

BETAS = tuple(10.0 ** np.arange(-6.0, 0.1))
ROUNDS = 3  # of refinement
FINER = 3  # new prices between two old ones
STEP = 1.05  # between the costs of candidates that are taken from a pool or a family

Prices = Sequence[float] | NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Candidate:
    """A policy and what it did to all the rows.

    n_evaluated : int64 (n,)
    harm        : float64 (n,)
    """

    beta: float
    policy: Policy
    n_evaluated: NDArray[np.int64]
    harm: NDArray[np.float64]


@dataclass
class Ladder:
    """Learns policies on some of the rows and runs them on all.

    rows                : all rows, as numbers
    solver              : may offer ``solve_path(mdp, betas, selection)`` for all prices at once,
                          ``pool(mdp, betas, selection)`` for all its candidates, judged, or
                          ``candidates(mdp)``, a family's
    learning, selection : the rows that a solver sees, in the order and on the grid of the former
    weight              : (n,), what all the rows count for in means; None where all count alike
    n_jobs              : joblib's workers for a solver that solves price by price
    verbose             : report the candidates on standard error
    on_interrupt        : "raise", or "return": Ctrl-C ends a search with the candidates so far
    """

    ensemble: Ensemble
    rows: Rows
    harm: Harm
    solver: Solver
    learning: Problem
    selection: Problem
    weight: NDArray[np.float64] | None = None
    n_jobs: int | None = None
    verbose: bool = False
    on_interrupt: str = "raise"
    candidates: list[Candidate] = field(init=False)
    pool: Any = field(init=False, default=None)
    family_costs: NDArray[np.float64] = field(init=False, default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        self.candidates = [self._constant(EVAL, 0.0)]

    @property
    def everything(self) -> Candidate:
        """The full ensemble."""
        return self.candidates[0]

    def saves_time(self, candidate: Candidate) -> bool:
        """Whether large batches are expected to be faster than with the full ensemble."""
        mean = self._mean(candidate.n_evaluated)
        dag = compile_dag(self.ensemble, candidate.policy, expected_evaluations=mean)
        return dag.expected_speedup > 1

    def learned(self, beta: float) -> Candidate:
        """The policy of one price."""
        self._extend([beta])
        return self.candidates[-1]

    def within_budget(self, budget: float, judges: NDArray[np.intp]) -> Candidate:
        """The least harm with at most `budget` mean evaluations on the rows `judges`.

        The candidates of a pool are on its front: the dearer, the less harm is expected of them,
        and the harm of these few rows would only choose the luckiest.
        """

        def too_dear(c: Candidate) -> bool:
            return self._mean(c.n_evaluated, judges) > budget

        if self._is_family:
            self._take_best(budget, too_dear)
        else:
            self._search(too_dear, fits=lambda c: not too_dear(c))
        self.candidates.append(self._constant(QUIT, BETAS[-1]))  # within any budget
        if self.pool is not None:  # the full ensemble is among them if it is worth its price
            cheap = [c for c in self.candidates[1:] if not too_dear(c)]
            return max(cheap, key=lambda c: self._mean(c.n_evaluated, judges))
        cheap = [c for c in self.candidates if not too_dear(c)]
        return min(
            cheap, key=lambda c: (self._mean(c.harm, judges), self._mean(c.n_evaluated, judges))
        )

    def cheapest(self, rows: NDArray[np.intp]) -> float:
        """The fewest mean evaluations on some of the rows of a policy that evaluates anything."""
        judged = [self._mean(c.n_evaluated, rows) for c in self.candidates if c.n_evaluated.any()]
        return float(min([*judged, *self.family_costs[self.family_costs > 0]]))

    def within_harm(
        self, bound: float, seen: NDArray[np.intp], judges: NDArray[np.intp]
    ) -> Candidate:
        """The boldest with at most `bound` mean harm on the rows `judges`, as are all before it.

        One that is merely lucky on these rows has others before it that are not.
        """

        def harmless(c: Candidate) -> bool:
            return self._mean(c.harm, judges) <= bound

        return list(takewhile(harmless, self.laid_out(bound, harmless, seen)))[-1]

    def laid_out(
        self, bound: float, careful: Callable[[Candidate], bool], seen: NDArray[np.intp]
    ) -> list[Candidate]:
        """Candidates from the most evaluations to the fewest, the full ensemble first.

        It is made fine about where they cease to be `careful`. Those with more than `bound`
        mean harm on the rows `seen` are left out: they would only end a sequence of tests.
        """
        self._search(careful)
        hopeful = [c for c in self.candidates[1:] if self._mean(c.harm, seen) <= bound]
        hopeful.sort(key=lambda c: -self._mean(c.n_evaluated, seen))
        return [self.everything, *hopeful]

    def _search(
        self,
        on_the_careful_side: Callable[[Candidate], bool],
        fits: Callable[[Candidate], bool] = lambda c: True,
    ) -> None:
        """Learn at BETAS; then take a pool's ladder, or learn about where care ends.

        fits : whether a candidate may be chosen; Ctrl-C before there is one is always an error
        """
        if hasattr(self.solver, "pool"):
            self._fill(BETAS)  # which returns what it has on Ctrl-C by itself
        with keeping(self.on_interrupt, lambda: self._told(fits)):
            if self.pool is not None:
                self._climb()
            elif self._is_family:
                self._take_front()
            else:
                self._refine(on_the_careful_side)

    @property
    def _is_family(self) -> bool:
        return hasattr(self.solver, "candidates")

    def _take_front(self) -> None:
        candidates, losses, costs = self._judged_family()
        on_it = rungs(losses, costs, STEP)
        prices = [min(price / self.learning.unit, BETAS[-1]) for price, _ in on_it]
        self._add(prices, (candidates[at] for _, at in on_it))

    def _take_best(self, budget: float, too_dear: Callable[[Candidate], bool]) -> None:
        """The least loss on the rows for selection, the cheapest in a tie."""
        candidates, losses, costs = self._judged_family()
        for at in np.lexsort((costs, losses)).tolist():
            if costs[at] > budget:
                continue
            price = min(worth(losses, costs, at) / self.learning.unit, BETAS[-1])
            self._add([price], [candidates[at]])
            if not too_dear(self.candidates[-1]):  # an executor rounds otherwise
                return

    def _judged_family(self) -> tuple[Candidates, NDArray[np.float64], NDArray[np.float64]]:
        """All candidates, their losses and their costs on the rows for selection."""
        solver: Any = self.solver
        candidates: Candidates = solver.candidates(self.learning.mdp(0.0))
        losses, self.family_costs = candidates.evaluate(self.selection.mdp(0.0))
        return candidates, rounded(losses), self.family_costs

    def _told(self, fits: Callable[[Candidate], bool]) -> str:
        """Of a search that was stopped, what there is; "" where nothing fits."""
        n_learned = len(self.candidates) - 1
        if not any(map(fits, self.candidates[1:])):
            return ""
        name = type(self.solver).__name__
        return f"{name} was stopped after {n_learned} policies; one of them is chosen"

    def _climb(self) -> None:
        """Take the best of a pool at BETAS, and its ladder."""
        self._take(BETAS)
        rungs = self.pool.ladder(STEP)
        prices = [price / self.learning.unit for price, _ in rungs]
        self._add(prices, [policy for _, policy in rungs])

    def _refine(self, on_the_careful_side: Callable[[Candidate], bool]) -> None:
        self._extend(BETAS)
        for _ in range(ROUNDS):
            careful = max(
                (c for c in self.candidates if on_the_careful_side(c) or c.beta == 0),
                key=lambda c: c.beta,
            )
            bolder = [c for c in self.candidates if c.beta > careful.beta]
            if careful.beta == 0 or not bolder:
                return
            bold = min(bolder, key=lambda c: c.beta)
            self._extend(np.geomspace(careful.beta, bold.beta, FINER + 2)[1:-1])

    def _extend(self, betas: Prices) -> None:
        if hasattr(self.solver, "pool"):
            self._fill(betas)
            self._take(betas)
            return
        mdps = [(self.learning.mdp(beta), self.selection.mdp(beta)) for beta in betas]
        if hasattr(self.solver, "solve_path"):
            (mdp, chooser), prices = mdps[0], [mdp.beta for mdp, _ in mdps]
            self._add(betas, self.solver.solve_path(mdp, prices, chooser))
            return
        alone = effective_n_jobs(self.n_jobs) == 1
        solver = self.solver if alone else quiet(self.solver)
        parallel = Parallel(n_jobs=self.n_jobs, return_as="generator")
        self._add(betas, parallel(delayed(_solve)(solver, *samples) for samples in mdps))

    def _fill(self, betas: Prices) -> None:
        """The pool of a solver that has one, for these prices."""
        mdp, chooser = self.learning.mdp(betas[0]), self.selection.mdp(betas[0])
        solver: Any = self.solver
        self.pool = solver.pool(mdp, [beta * self.learning.unit for beta in betas], chooser)

    def _take(self, betas: Prices) -> None:
        """The best of the pool at these prices."""
        self._add(betas, [self.pool.policy(beta * self.learning.unit) for beta in betas])

    def _add(self, betas: Prices, policies: Iterable[Policy]) -> None:
        """Judge policies as they come."""
        with progress("sparsify", len(betas), self.verbose) as report:
            for n_done, (beta, policy) in enumerate(zip(betas, policies, strict=True), 1):
                outside = self.learning.outside(checked_policy(policy, self.solver))
                new = self._judged(float(beta), outside)
                self.candidates.append(new)
                report(n_done, f"beta {beta:.3g}: {self._mean(new.n_evaluated):.1f} evaluated")

    def _mean(self, numbers: NDArray[Any], rows: NDArray[np.intp] | slice = slice(None)) -> float:
        """Over some of the rows, or all, by their weights."""
        weight = None if self.weight is None else self.weight[rows]
        return float(np.average(numbers[rows], weights=weight))

    def _constant(self, action: int, beta: float) -> Candidate:
        grid = Grid(np.empty(0), self.ensemble.n_scores)
        return self._judged(beta, Policy.constant(action, self.ensemble.n_classifiers, grid))

    def _judged(self, beta: float, policy: Policy) -> Candidate:
        scores, exit_step, n_evaluated = compile_dag(self.ensemble, policy).lengths(self.rows)
        return Candidate(beta, policy, n_evaluated, self.harm(scores, exit_step))


def _solve(solver: Solver, mdp: MDP, selection: MDP) -> Policy:
    """One policy, where one of joblib's workers may be."""
    with ending_all():
        return solver.solve(mdp, selection)
