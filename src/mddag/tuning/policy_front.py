"""The front of a solver over a fixed ensemble: policies learned on some rows, replayed on all.

Three kinds of solvers give candidates in three ways:

- A solver that judges all its policies (``Portfolio.judged``) gives their front.
- A family, whose policies do not depend on beta, is judged here on the rows for choosing.
- Any other solver is called at prices beta a decade apart, then between the last candidate that
  is acceptable and the next, so that candidates lie close together where the choice falls.

A price finds only candidates on the convex hull of losses and costs, which is why the first two
kinds are not called at prices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from mddag._utils.output import progress
from mddag.engine.dag import compile as compile_dag
from mddag.policy.grid import Grid
from mddag.policy.mdp import MDP
from mddag.policy.policy import EVAL, QUIT, Policy
from mddag.policy.rollout import roll_out
from mddag.solvers import Candidates, Family, Portfolio, Solver
from mddag.solvers.front import JudgedCandidates, rounded, spaced_front, worth
from mddag.solvers.preparation import arranged_for
from mddag.solvers.solver import configured, solves_paths
from mddag.tuning.excess_loss import ExcessLoss
from mddag.tuning.front import Candidate, Front, Matrix, Part, Vector
from mddag.tuning.problem import Problem

BETAS = tuple(10.0 ** np.arange(-6.0, 0.1))
ROUNDS = 3  # of refinement
FINER = 3  # new prices between two old ones
STEP = 1.05  # between the costs of candidates that are taken from a front

Betas = Sequence[float] | NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PolicyCandidate(Candidate):
    """A policy and what it did to all the rows."""

    problem: Problem
    beta: float
    policy: Policy
    n_evaluated: NDArray[np.int32]  # (n,)
    excesses: Matrix  # (n_losses, n), losses beyond the full ensemble's
    n_nodes: NDArray[Any] | None = None  # (n,); None where evaluations count

    @property
    def costs(self) -> NDArray[Any]:
        """What each row costs, (n,)."""
        return self.n_evaluated if self.n_nodes is None else self.n_nodes

    def cost(self, part: Part) -> float:
        return float(self._means(self.costs, part))

    def lost(self, part: Part) -> Vector:
        return np.asarray([self._means(excess, part) for excess in self.excesses])

    def excess(self, part: Part) -> Matrix:
        return self.excesses[:, self.problem.split.rows(part)]

    def _means(self, numbers: NDArray[Any], part: Part) -> Any:
        rows, weight = self.problem.split.rows(part), self.problem.weight
        return np.average(numbers[rows], weights=None if weight is None else weight[rows])


class PolicyFront(Front[PolicyCandidate]):
    """Candidates of a solver, learned on the rows for learning."""

    def __init__(
        self,
        problem: Problem,
        mdp: MDP,
        solver: Solver,
        losses: Sequence[ExcessLoss],
        *,
        ordering: Any = None,
        grid: str = "quantile",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        """`mdp` is of all rows; `n_jobs` are workers for a solver that solves price by price."""
        self.problem, self.solver, self.losses = problem, solver, losses
        self.n_jobs, self.verbose = n_jobs, verbose
        self.learning = arranged_for(solver, mdp.rows(problem.split.learn), ordering, grid)
        self.selection = self.learning.like(mdp.rows(problem.split.choose))
        self.unit = self.learning.mdp.unit  # what prices are in, in units of the loss
        self.n_certifying = len(problem.split.certify)
        self.candidates = [self._constant(EVAL, 0.0)]
        self.family_costs = np.empty(0)

    def nothing(self) -> PolicyCandidate:
        return self._constant(QUIT, BETAS[-1])

    @property
    def cheapest(self) -> float:
        return float(min([super().cheapest, *self.family_costs[self.family_costs > 0]]))

    def saves_time(self, candidate: PolicyCandidate) -> bool:
        """Return whether large batches are expected to be faster than with the full ensemble."""
        mean = float(np.average(candidate.n_evaluated, weights=self.problem.weight))
        ensemble = self.problem.ensemble
        dag = compile_dag(ensemble, candidate.policy, expected_evaluations=mean)
        return dag.expected_speedup > 1

    def at_price(self, beta: float) -> PolicyCandidate:
        """Learn the policy of one price."""
        judged = self._judged([beta])
        if judged is not None:
            return self._add([beta], [judged.policy(beta * self.unit)])
        return self._add([beta], self.policies([beta]))

    def near(self, accepts: Callable[[PolicyCandidate], bool]) -> None:
        """Take a front, or learn at BETAS and near the place where candidates are acceptable."""
        judged = self._judged(BETAS)
        if judged is not None:
            self.ordered = True
            found = {judged.best(beta * self.unit): beta for beta in BETAS}
            spaced = spaced_front(judged.losses, judged.costs, STEP)[:-1]
            found |= {at: price / self.unit for price, at in spaced}
            found.pop(0, None)  # the full model, which is here already
            self._add(list(found.values()), (judged.candidate(at) for at in found))
        elif isinstance(self.solver, Family):
            candidates, losses, costs = self._judged_family(self.solver)
            spaced = spaced_front(losses, costs, STEP)
            prices = [min(price / self.unit, BETAS[-1]) for price, _ in spaced]
            self._add(prices, (candidates[at] for _, at in spaced))
        else:
            self._refine(accepts)

    def near_budget(self, budget: float) -> None:
        """Take the best of a family within the budget; with other solvers search near it."""
        if not isinstance(self.solver, Family):
            super().near_budget(budget)
            return
        candidates, losses, costs = self._judged_family(self.solver)
        for at in np.lexsort((costs, losses)).tolist():
            if costs[at] > budget:
                continue
            price = min(worth(losses, costs, at) / self.unit, BETAS[-1])
            found = self._add([price], [candidates[at]])
            if found.cost("choose") <= budget:  # an executor rounds otherwise
                return

    def _judged_family(
        self, family: Family
    ) -> tuple[Candidates, NDArray[np.float64], NDArray[np.float64]]:
        """Return all candidates, their losses and their costs on the rows for selection."""
        candidates = family.candidates(self.learning.mdp)
        losses, self.family_costs = candidates.evaluate(self.selection)
        return candidates, rounded(losses), self.family_costs

    def _judged(self, betas: Betas) -> JudgedCandidates | None:
        """Return the candidates of a solver that judges them, for these prices."""
        if not isinstance(self.solver, Portfolio):
            return None
        mdp, selection = (m.at_price(betas[0]) for m in (self.learning.mdp, self.selection))
        return self.solver.judged(mdp, [beta * self.unit for beta in betas], selection)

    def _refine(self, accepts: Callable[[PolicyCandidate], bool]) -> None:
        """Learn at BETAS, then between the last acceptable candidate and the next."""
        self._extend(BETAS)
        for _ in range(ROUNDS):
            last = max(
                (c for c in self.candidates if accepts(c) or c.beta == 0), key=lambda c: c.beta
            )
            more = [c.beta for c in self.candidates if c.beta > last.beta]
            if last.beta == 0 or not more:
                return
            self._extend(np.geomspace(last.beta, min(more), FINER + 2)[1:-1])

    def _extend(self, betas: Betas) -> None:
        self._add(betas, self.policies(betas))

    def policies(self, betas: Betas) -> Iterable[Policy]:
        """Learn a policy at each of several prices; they come in this order, when they are done."""
        mdps = [(self.learning.mdp.at_price(b), self.selection.at_price(b)) for b in betas]
        n_jobs = min(effective_n_jobs(self.n_jobs), len(betas))
        if solves_paths(self.solver):
            (mdp, selection), prices = mdps[0], [mdp.beta for mdp, _ in mdps]
            return self.solver.solve_path(mdp, prices, selection)
        if n_jobs == 1:
            return (self.solver.solve(*samples) for samples in mdps)
        solver = configured(self.solver, verbose=False)
        parallel = Parallel(n_jobs=n_jobs, return_as="generator")
        found: Iterable[Policy] = parallel(delayed(solver.solve)(*samples) for samples in mdps)
        return found

    def _add(self, betas: Betas, policies: Iterable[Policy]) -> PolicyCandidate:
        """Replay policies as they come; return the last candidate."""
        with progress("sparsify", len(betas), self.verbose) as report:
            for n_done, (beta, policy) in enumerate(zip(betas, policies, strict=True), 1):
                new = self._replayed(float(beta), self.learning.for_source(policy))
                self.candidates.append(new)
                mean = float(np.average(new.n_evaluated, weights=self.problem.weight))
                report(n_done, f"beta {beta:.3g}: {mean:.1f} evaluated")
        return self.candidates[-1]

    def _constant(self, action: int, beta: float) -> PolicyCandidate:
        ensemble = self.problem.ensemble
        grid = Grid(np.empty(0), ensemble.n_scores)
        return self._replayed(beta, Policy.constant(action, ensemble.n_classifiers, grid))

    def _replayed(self, beta: float, policy: Policy) -> PolicyCandidate:
        found = roll_out(policy, self.problem.votes)
        lost = [loss.of_rows(found) for loss in self.losses]
        excesses = np.reshape(lost, (len(lost), len(self.problem)))
        nodes = self.problem.nodes
        counted = None if nodes is None else nodes.under(policy)
        return PolicyCandidate(self.problem, beta, policy, found.n_evaluated, excesses, counted)
