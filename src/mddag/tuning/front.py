"""Candidates from many evaluations to few, and the one that a bound or a budget takes.

A candidate is a policy and what it did to every row. The first of them, the full ensemble, loses
nothing by definition. Three kinds of solvers give candidates in three ways:

- A solver that judges all its policies (``Portfolio.judged``) gives their front.
- A family, whose policies do not depend on beta, is judged here on the rows for choosing.
- Any other solver is called at prices beta a decade apart, then between the last candidate that
  is acceptable and the next, so that candidates lie close together where the choice falls.

A price finds only candidates on the convex hull of losses and costs, which is why the first two
kinds are not called at prices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from mddag._utils.output import progress
from mddag.engine.dag import compile as compile_dag
from mddag.engine.node_counts import RowNodes
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.votes import Votes
from mddag.policy.grid import Grid
from mddag.policy.mdp import MDP
from mddag.policy.policy import EVAL, QUIT, Policy
from mddag.policy.rollout import roll_out
from mddag.solvers import Candidates, Family, Portfolio, Solver
from mddag.solvers.front import JudgedCandidates, rounded, spaced_front, worth
from mddag.solvers.preparation import Arranged
from mddag.solvers.solver import configured, solves_paths
from mddag.tuning.excess_loss import ExcessLoss, MetricLoss
from mddag.tuning.prices import NodePrices

BETAS = tuple(10.0 ** np.arange(-6.0, 0.1))
ROUNDS = 3  # of refinement
FINER = 3  # new prices between two old ones
STEP = 1.05  # between the costs of candidates that are taken from a front

Betas = Sequence[float] | NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Candidate:
    """A policy and what it did to all the rows.

    n_evaluated : int32 (n,)
    excess      : float64 (n,), loss beyond the full ensemble's
    counted     : (n,), what the objective counts; None where that is evaluations
    """

    beta: float
    policy: Policy
    n_evaluated: NDArray[np.int32]
    excess: NDArray[np.float64]
    counted: NDArray[Any] | None = None

    @property
    def cost(self) -> NDArray[Any]:
        """What counts, (n,)."""
        return self.n_evaluated if self.counted is None else self.counted


@dataclass
class CandidateSearch:
    """Candidates, the full ensemble first, learned on some of the rows and replayed on all.

    votes               : of all rows
    excess_loss         : what a policy loses on each of them beyond the full ensemble
    learning, selection : the rows that a solver sees, in the order and on the grid of the former
    weight              : (n,), weight of all the rows in means; None where all are alike
    n_jobs              : joblib's workers for a solver that solves price by price
    verbose             : report the candidates on standard error
    prices              : of the base classifiers; None where evaluations count
    """

    ensemble: Ensemble
    votes: Votes
    excess_loss: ExcessLoss | MetricLoss
    solver: Solver
    learning: Arranged
    selection: MDP
    weight: NDArray[np.float64] | None = None
    n_jobs: int | None = None
    verbose: bool = False
    prices: NodePrices | None = None
    counter: RowNodes | None = field(init=False)
    candidates: list[Candidate] = field(init=False)
    judged: JudgedCandidates | None = field(init=False, default=None)
    family_costs: NDArray[np.float64] = field(init=False, default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        self.counter = None if self.prices is None else self.prices.on(self.votes)
        self.candidates = [self._constant(EVAL, 0.0)]

    @property
    def everything(self) -> Candidate:
        """The full ensemble."""
        return self.candidates[0]

    @property
    def unit(self) -> float:
        """What prices are in, in units of the loss."""
        return self.learning.mdp.unit

    @property
    def counted(self) -> str:
        """What a budget counts."""
        return "base classifiers" if self.prices is None else "nodes"

    @property
    def spend(self) -> str:
        """What policies do with it."""
        return "evaluate" if self.prices is None else "visit"

    def saves_time(self, candidate: Candidate) -> bool:
        """Whether large batches are expected to be faster than with the full ensemble."""
        mean = self._mean(candidate.n_evaluated)
        dag = compile_dag(self.ensemble, candidate.policy, expected_evaluations=mean)
        return dag.expected_speedup > 1

    def learned(self, beta: float) -> Candidate:
        """The policy of one price; what Ctrl-C does to it is up to the solver."""
        self._judge([beta])
        if self.judged is not None:
            self._take(self.judged, [beta])
        else:
            samples = self.learning.mdp.at_price(beta), self.selection.at_price(beta)
            self._add([beta], (self.solver.solve(*given) for given in [samples]))
        return self.candidates[-1]

    def within_budget(self, budget: float, judges: NDArray[np.intp]) -> Candidate:
        """The least excess loss with at most `budget` mean cost on the rows `judges`.

        Judged candidates are on their front: the dearer, the less loss is expected of them. To
        choose by the loss on these few rows would only choose the luckiest.
        """

        def too_dear(candidate: Candidate) -> bool:
            return self._mean(candidate.cost, judges) > budget

        if isinstance(self.solver, Family):
            self._take_best(self.solver, budget, too_dear)
        else:
            self._search(too_dear)
        self.candidates.append(self._constant(QUIT, BETAS[-1]))  # within any budget
        if self.judged is not None:  # the full ensemble is among them if it is worth its price
            cheap = [c for c in self.candidates[1:] if not too_dear(c)]
            return max(cheap, key=lambda c: self._mean(c.cost, judges))
        cheap = [c for c in self.candidates if not too_dear(c)]
        return min(cheap, key=lambda c: (self._mean(c.excess, judges), self._mean(c.cost, judges)))

    def within_loss(
        self, bound: float, seen: NDArray[np.intp], judges: NDArray[np.intp]
    ) -> Candidate:
        """The fewest evaluations with at most `bound` mean excess loss on the rows `judges`, as
        have all candidates with more evaluations: one that is merely lucky does not pass."""

        def acceptable(candidate: Candidate) -> bool:
            return self._mean(candidate.excess, judges) <= bound

        return list(takewhile(acceptable, self.laid_out(bound, acceptable, seen)))[-1]

    def laid_out(
        self, bound: float, acceptable: Callable[[Candidate], bool], seen: NDArray[np.intp]
    ) -> list[Candidate]:
        """Candidates from the most evaluations to the fewest, the full ensemble first.

        They lie close together where they cease to be `acceptable`. Those with more than `bound`
        mean excess loss on the rows `seen` are left out: they would only end a sequence of tests.
        """
        self._search(acceptable)
        hopeful = [c for c in self.candidates[1:] if self._mean(c.excess, seen) <= bound]
        hopeful.sort(key=lambda c: -self._mean(c.cost, seen))
        return [self.everything, *hopeful]

    def cheapest(self, rows: NDArray[np.intp]) -> float:
        """The smallest mean cost on some of the rows of a policy that evaluates anything."""
        judged = [self._mean(c.cost, rows) for c in self.candidates if c.n_evaluated.any()]
        return float(min([*judged, *self.family_costs[self.family_costs > 0]]))

    def _search(self, acceptable: Callable[[Candidate], bool]) -> None:
        """Take a front, or learn at BETAS and about where candidates cease to be acceptable."""
        self._judge(BETAS)
        if self.judged is not None:
            self._take_judged(self.judged)
        elif isinstance(self.solver, Family):
            self._take_front(self.solver)
        else:
            self._refine(acceptable)

    def _take_front(self, family: Family) -> None:
        candidates, losses, costs = self._judged_family(family)
        front = spaced_front(losses, costs, STEP)
        prices = [min(price / self.unit, BETAS[-1]) for price, _ in front]
        self._add(prices, (candidates[at] for _, at in front))

    def _take_best(
        self, family: Family, budget: float, too_dear: Callable[[Candidate], bool]
    ) -> None:
        """The least loss on the rows for selection, the cheapest in a tie."""
        candidates, losses, costs = self._judged_family(family)
        for at in np.lexsort((costs, losses)).tolist():
            if costs[at] > budget:
                continue
            price = min(worth(losses, costs, at) / self.unit, BETAS[-1])
            self._add([price], [candidates[at]])
            if not too_dear(self.candidates[-1]):  # an executor rounds otherwise
                return

    def _judged_family(
        self, family: Family
    ) -> tuple[Candidates, NDArray[np.float64], NDArray[np.float64]]:
        """All candidates, their losses and their costs on the rows for selection."""
        candidates = family.candidates(self.learning.mdp)
        losses, self.family_costs = candidates.evaluate(self.selection)
        return candidates, rounded(losses), self.family_costs

    def _judge(self, betas: Betas) -> None:
        """The candidates of a solver that judges them, for these prices."""
        mdp, selection = (m.at_price(betas[0]) for m in (self.learning.mdp, self.selection))
        if isinstance(self.solver, Portfolio):
            prices = [beta * self.unit for beta in betas]
            self.judged = self.solver.judged(mdp, prices, selection)

    def _take_judged(self, judged: JudgedCandidates) -> None:
        """The best of judged candidates at BETAS, and their front."""
        self._take(judged, BETAS)
        front = judged.spaced_front(STEP)
        self._add([price / self.unit for price, _ in front], [policy for _, policy in front])

    def _take(self, judged: JudgedCandidates, betas: Betas) -> None:
        """The best candidates at these prices."""
        self._add(betas, [judged.policy(beta * self.unit) for beta in betas])

    def _refine(self, acceptable: Callable[[Candidate], bool]) -> None:
        """Learn at BETAS, then between the last acceptable candidate and the next."""
        self._extend(BETAS)
        for _ in range(ROUNDS):
            last = max(
                (c for c in self.candidates if acceptable(c) or c.beta == 0), key=lambda c: c.beta
            )
            dearer = [c.beta for c in self.candidates if c.beta > last.beta]
            if last.beta == 0 or not dearer:
                return
            self._extend(np.geomspace(last.beta, min(dearer), FINER + 2)[1:-1])

    def _extend(self, betas: Betas) -> None:
        mdps = [(self.learning.mdp.at_price(b), self.selection.at_price(b)) for b in betas]
        if solves_paths(self.solver):
            (mdp, selection), prices = mdps[0], [mdp.beta for mdp, _ in mdps]
            self._add(betas, self.solver.solve_path(mdp, prices, selection))
            return
        alone = effective_n_jobs(self.n_jobs) == 1
        solver = self.solver if alone else configured(self.solver, verbose=False)
        parallel = Parallel(n_jobs=self.n_jobs, return_as="generator")
        self._add(betas, parallel(delayed(solver.solve)(*samples) for samples in mdps))

    def _add(self, betas: Betas, policies: Iterable[Policy]) -> None:
        """Replay policies as they come."""
        with progress("sparsify", len(betas), self.verbose) as report:
            for n_done, (beta, policy) in enumerate(zip(betas, policies, strict=True), 1):
                new = self._replayed(float(beta), self.learning.for_source(policy))
                self.candidates.append(new)
                report(n_done, f"beta {beta:.3g}: {self._mean(new.n_evaluated):.1f} evaluated")

    def _constant(self, action: int, beta: float) -> Candidate:
        grid = Grid(np.empty(0), self.ensemble.n_scores)
        return self._replayed(beta, Policy.constant(action, self.ensemble.n_classifiers, grid))

    def _replayed(self, beta: float, policy: Policy) -> Candidate:
        found = roll_out(policy, self.votes)
        excess = self.excess_loss(found.scores, found.exit_step, found.codes)
        counted = None if self.counter is None else self.counter.under(policy)
        return Candidate(beta, policy, found.n_evaluated, excess, counted)

    def _mean(self, numbers: NDArray[Any], rows: NDArray[np.intp] | slice = slice(None)) -> float:
        """Over some of the rows, or all, by their weights."""
        weight = None if self.weight is None else self.weight[rows]
        return float(np.average(numbers[rows], weights=weight))
