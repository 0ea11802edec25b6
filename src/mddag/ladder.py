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
from numpy.typing import NDArray

from mddag.dag import compile as compile_dag
from mddag.ensemble import Ensemble
from mddag.features import Rows
from mddag.grid import Grid
from mddag.harm import Harm
from mddag.policy import EVAL, QUIT, Policy
from mddag.problem import Problem
from mddag.solvers import Solver
from mddag.solvers._front import rounded, rungs, worth
from mddag.solvers.solver import Candidates, keeping

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
    """

    ensemble: Ensemble
    rows: Rows
    harm: Harm
    solver: Solver
    learning: Problem
    selection: Problem
    candidates: list[Candidate] = field(init=False)
    pool: Any = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.candidates = [self._constant(EVAL, 0.0)]

    @property
    def everything(self) -> Candidate:
        """The full ensemble."""
        return self.candidates[0]

    def saves_time(self, candidate: Candidate) -> bool:
        """Whether large batches are expected to be faster than with the full ensemble."""
        mean = float(candidate.n_evaluated.mean())
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
            return float(c.n_evaluated[judges].mean()) > budget

        if self._is_family:
            self._take_best(budget, too_dear)
        else:
            self._search(too_dear)
        self.candidates.append(self._constant(QUIT, BETAS[-1]))  # within any budget
        if self.pool is not None:  # the full ensemble is among them if it is worth its price
            cheap = [c for c in self.candidates[1:] if not too_dear(c)]
            return max(cheap, key=lambda c: c.n_evaluated[judges].mean())
        cheap = [c for c in self.candidates if not too_dear(c)]
        return min(cheap, key=lambda c: (c.harm[judges].mean(), c.n_evaluated[judges].mean()))

    def within_harm(
        self, bound: float, seen: NDArray[np.intp], judges: NDArray[np.intp]
    ) -> Candidate:
        """The boldest with at most `bound` mean harm on the rows `judges`, as are all before it.

        One that is merely lucky on these rows has others before it that are not.
        """

        def harmless(c: Candidate) -> bool:
            return float(c.harm[judges].mean()) <= bound

        return list(takewhile(harmless, self.laid_out(bound, harmless, seen)))[-1]

    def laid_out(
        self, bound: float, careful: Callable[[Candidate], bool], seen: NDArray[np.intp]
    ) -> list[Candidate]:
        """Candidates from the most evaluations to the fewest, the full ensemble first.

        It is made fine about where they cease to be `careful`. Those with more than `bound`
        mean harm on the rows `seen` are left out: they would only end a sequence of tests.
        """
        self._search(careful)
        hopeful = [c for c in self.candidates[1:] if c.harm[seen].mean() <= bound]
        hopeful.sort(key=lambda c: -float(c.n_evaluated[seen].mean()))
        return [self.everything, *hopeful]

    def _search(self, on_the_careful_side: Callable[[Candidate], bool]) -> None:
        """Learn at BETAS; then take a pool's ladder, or learn about where care ends.

        Ctrl-C ends it with what is there; before the first policy it is an error.
        """
        if hasattr(self.solver, "pool"):  # which knows about Ctrl-C itself
            self._extend(BETAS)
            for price, policy in self.pool.ladder(STEP):
                self._add([price / self.learning.unit], [policy])
            return
        with keeping(self._told):
            if self._is_family:
                self._take_front()
            else:
                self._refine(on_the_careful_side)

    @property
    def _is_family(self) -> bool:
        return hasattr(self.solver, "candidates")

    def _take_front(self) -> None:
        candidates, losses, costs = self._judged_family()
        for price, at in rungs(losses, costs, STEP):
            self._add([min(price / self.learning.unit, BETAS[-1])], [candidates[at]])

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
        losses, costs = candidates.evaluate(self.selection.mdp(0.0))
        return candidates, rounded(losses), costs

    def _told(self) -> str:
        """Of a search that was stopped, what there is."""
        n_learned = len(self.candidates) - 1
        if n_learned == 0:
            return ""
        name = type(self.solver).__name__
        return f"{name} was stopped after {n_learned} policies; one of them is chosen"

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
        mdps = [(self.learning.mdp(beta), self.selection.mdp(beta)) for beta in betas]
        (mdp, chooser), prices = mdps[0], [mdp.beta for mdp, _ in mdps]
        policies: Iterable[Policy]
        if hasattr(self.solver, "pool"):
            self.pool = self.solver.pool(mdp, prices, chooser)
            policies = [self.pool.policy(price) for price in prices]
        elif hasattr(self.solver, "solve_path"):
            policies = self.solver.solve_path(mdp, prices, chooser)
        else:
            policies = (self.solver.solve(*samples) for samples in mdps)
        self._add(betas, policies)

    def _add(self, betas: Prices, policies: Iterable[Policy]) -> None:
        for beta, policy in zip(betas, policies, strict=True):
            self.candidates.append(self._judged(float(beta), self.learning.outside(policy)))

    def _constant(self, action: int, beta: float) -> Candidate:
        grid = Grid(np.empty(0), self.ensemble.n_scores)
        return self._judged(beta, Policy.constant(action, self.ensemble.n_classifiers, grid))

    def _judged(self, beta: float, policy: Policy) -> Candidate:
        scores, exit_step, n_evaluated = compile_dag(self.ensemble, policy).lengths(self.rows)
        return Candidate(beta, policy, n_evaluated, self.harm(scores, exit_step))
