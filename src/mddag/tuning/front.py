"""Candidates of a model from expensive to cheap, and the rows that learn, choose and certify.

A `Front` makes candidates, a `Target` chooses one of them. Each kind of model has a front of its
own, which says what a candidate costs and what it loses on the parts of a `Split`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

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
from mddag.solvers.candidates import rounded, spaced_front, worth
from mddag.solvers.solver import arranged_for, configured
from mddag.tuning.excess_loss import ExcessLoss
from mddag.tuning.problem import Part, Problem

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


class Candidate(ABC):
    """A policy on a front: what it costs, and what it loses beyond the full model.

    A target calls the methods for these parts only:

    - ``cost("seen")`` orders candidates, and ``lost("seen")`` leaves out hopeless ones, unless the
      front has a `Front.sequence` of its own;
    - ``cost("choose")`` and ``lost("choose")`` are compared with a price, a budget or a bound;
    - ``excess("certify")`` tests a guarantee; it may be computed when it is asked for, since most
      candidates are not tested;
    - ``excess("seen")`` only if the front searches near a bound (`Front.near`).

    A front whose estimates are all on the same rows ignores the difference between "seen" and
    "choose".
    """

    beta: float  # price at which it was learned; 0 for the full model

    @abstractmethod
    def cost(self, part: Part) -> float:
        """Return the mean cost of a row, in the unit of budgets."""

    @abstractmethod
    def lost(self, part: Part) -> Vector:
        """Return the mean excess losses beyond the full model."""

    @abstractmethod
    def excess(self, part: Part) -> Matrix:
        """Return the excess losses of rows beyond the full model."""


C = TypeVar("C", bound=Candidate)


class Front(ABC, Generic[C]):
    """Candidates for a target to choose from; the first one is the full model."""

    candidates: list[C]
    # Whether more expensive candidates are known to lose less, as those that were judged before by
    # better estimates than means over the choosing rows. Within a budget the most expensive one is
    # then taken; otherwise the one that loses least on the choosing rows.
    ordered: bool = False
    n_certifying: int = 0

    @property
    def full(self) -> C:
        """The full model."""
        return self.candidates[0]

    def nothing(self) -> C | None:
        """Return the candidate that costs nothing and gives every row the same answer, or None.

        It is not among the candidates. Where there is none, a budget below the cheapest candidate
        raises ValueError.
        """
        return None

    def at_price(self, beta: float) -> C:
        """Return the best candidate at a price; fronts that learn price by price override it."""

        def objective(candidate: C) -> float:
            return float(candidate.lost("choose")[0]) + beta * candidate.cost("choose")

        return min(self.candidates, key=objective)

    def near(self, accepts: Callable[[C], bool]) -> None:
        """Add candidates near the place where they cease to be acceptable to a bound."""
        return

    def near_budget(self, budget: float) -> None:
        """Add candidates near a budget; called once before it is applied."""
        self.near(lambda candidate: candidate.cost("choose") > budget)

    def sequence(self, bound: float, confidence: float | None) -> list[C]:
        """Return the candidates in the order in which a bound tests them, without the full model.

        The order, and what is left out, must not depend on the rows that test. By default they
        come from expensive to cheap by the rows seen, without those that lose more than the bound
        there, which would only end the sequence.
        """
        hopeful = [c for c in self.candidates[1:] if (c.lost("seen") <= bound).all()]
        return sorted(hopeful, key=lambda c: -c.cost("seen"))

    @property
    def cheapest(self) -> float:
        """Smallest mean cost, on the choosing rows, of a candidate that costs anything."""
        costs = [candidate.cost("choose") for candidate in self.candidates]
        return min(cost for cost in costs if cost > 0)


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
        return self._learned([beta])

    def near(self, accepts: Callable[[PolicyCandidate], bool]) -> None:
        """Take a front, or learn at BETAS and near the place where candidates are acceptable."""
        if isinstance(self.solver, Portfolio):
            self.ordered = True
            prices = [beta * self.unit for beta in BETAS]
            judged = self.solver.judged(self.learning.mdp, prices, self.selection)
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

    def _refine(self, accepts: Callable[[PolicyCandidate], bool]) -> None:
        """Learn at BETAS, then between the last acceptable candidate and the next."""
        self._learned(BETAS)
        for _ in range(ROUNDS):
            last = max(
                (c for c in self.candidates if accepts(c) or c.beta == 0), key=lambda c: c.beta
            )
            more = [c.beta for c in self.candidates if c.beta > last.beta]
            if last.beta == 0 or not more:
                return
            self._learned(np.geomspace(last.beta, min(more), FINER + 2)[1:-1])

    def _learned(self, betas: Betas) -> PolicyCandidate:
        return self._add(betas, self.policies(betas))

    def policies(self, betas: Betas) -> Iterable[Policy]:
        """Learn a policy at each of several prices; they come in this order, when they are done."""
        samples, prices = (self.learning.mdp, self.selection), [float(b) * self.unit for b in betas]
        mdps = [tuple(mdp.with_beta(price) for mdp in samples) for price in prices]
        n_jobs = min(effective_n_jobs(self.n_jobs), len(betas))
        if type(self.solver).solve_path is not Solver.solve_path:  # it has a way of its own
            mdp, selection = mdps[0]
            return self.solver.solve_path(mdp, prices, selection)
        if n_jobs == 1:
            return (self.solver.solve(*at_price) for at_price in mdps)
        solver = configured(self.solver, verbose=False)
        parallel = Parallel(n_jobs=n_jobs, return_as="generator")
        found: Iterable[Policy] = parallel(delayed(solver.solve)(*at_price) for at_price in mdps)
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
