"""Rejection: reject-only optimal stopping for detection, at a wanted FPR or TPR.

Negatives are many and their cost is what counts; to accept early saves nothing and only makes
scores coarse. So a row may be rejected after each step, and what is never rejected is scored by its
full sum:

    minimise  P(miss) + lambda P(false positive) + beta E_negatives[cost]

with one threshold per step (``thresholds``). Candidates differ in the order of the base
classifiers, the final length and beta; held-out rows choose by what is lost at the wanted rate plus
the MDP's beta times the mean cost on negatives, or by the loss alone within a `budget` of that
cost. Without further rows the policy rows choose by themselves: a candidate has few degrees of
freedom, and choosing on held-out parts was no better. Where fewer than five negatives decide the
wanted rate, candidates are judged at the rate that five decide, for else the luckiest is chosen.
Theta and the realised rates are always from rows held out: thresholds are learned again without
each of `n_parts` parts. (Of that theta and the one of all rows the safer is taken: cascades of the
parts differ a little from the one of all.)

It does not skip, and it is for two classes with one score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from mddag._internal.checks import Parameters, check_between, check_positive, check_whole
from mddag._internal.warnings import doubt
from mddag.mdp.mdp import MDP
from mddag.mdp.policy import Policy
from mddag.metrics.realised_rates import RealisedRates
from mddag.ordering.order import checked_ordering
from mddag.solvers.rejection.cascades import Setting
from mddag.solvers.rejection.operating_point import Target
from mddag.solvers.rejection.problem import Candidate, Problem, class_parts
from mddag.solvers.rejection.rates import realised
from mddag.solvers.solver import Solver, check_samples

DEFAULT_FPR = 0.01


@dataclass
class Rejection(Parameters, Solver):
    """One reject threshold per step.

    target_fpr   : share of negatives that may be called positive; 0.01 if neither rate is given
    target_tpr   : share of positives to be found, instead
    budget       : mean evaluations on negatives, at most; None for the price beta of the MDP
    shift        : guard for the lower tail of positives, in standard deviations
    n_parts      : parts of the policy rows for theta and the realised rates
    ordering     : an order to try alone; None for the given one and one by correlation
    every        : steps between two looks at the score
    random_state : decides the parts
    """

    target_fpr: float | None = None
    target_tpr: float | None = None
    budget: float | None = None
    shift: float = 0.1
    n_parts: int = 5
    ordering: Any = None
    every: int = 1
    random_state: int | None = None

    arranges: ClassVar[bool] = True
    settings: ClassVar[tuple[str, ...]] = ("every", "random_state")

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        self.target.check()
        if self.budget is not None:
            check_positive("budget", self.budget)
        check_between("shift", self.shift, 0.0, np.inf, "a finite number, 0 or more")
        check_whole("n_parts", self.n_parts, 2)
        check_whole("every", self.every, 1)
        if self.ordering is not None:
            checked_ordering(self.ordering)

    @property
    def target(self) -> Target:
        """The wanted rate."""
        neither = self.target_fpr is None and self.target_tpr is None
        return Target(DEFAULT_FPR if neither else self.target_fpr, self.target_tpr)

    def with_order(self, ordering: Any) -> Self:
        """A copy that tries this order alone."""
        return replace(self, ordering=ordering)

    def solve(self, mdp: MDP, selection: MDP | None = None) -> Policy:
        """The policy of the best cascade."""
        return self.detector(mdp, selection).policy

    def detector(self, mdp: MDP, selection: MDP | None = None) -> Detection:
        """The best cascade with its realised rates."""
        return self.detectors(mdp, [self.budget], selection)[0]

    def detectors(
        self, mdp: MDP, budgets: Sequence[float | None], selection: MDP | None = None
    ) -> list[Detection]:
        """The same for several budgets, or None for the price of the MDP; learned once for all."""
        check_samples(mdp, selection)
        rows = self._problem(mdp)
        judges = rows if selection is None else self._problem(selection, rows)
        tried = list(rows.candidates(self.shift, judges))
        one_row = 1 / int(judges.positive.sum())
        found = [
            self._finished(chosen(tried, mdp.beta, budget, one_row), mdp, rows, judges)
            for budget in budgets
        ]
        self.target.doubt_few(judges.ends)
        return found

    def _finished(self, chosen: Candidate, mdp: MDP, rows: Problem, judges: Problem) -> Detection:
        """The chosen cascade with its theta and realised rates."""
        parts = class_parts(judges.positive, self.n_parts, self._seed)
        passing = judges.passing(chosen.cascade, chosen.setting.order)
        ends, thetas, theta = passing.ends, None, self.target.expected(passing.ends)
        if judges is rows:
            ends, thetas = rows.crossed(chosen.setting, parts, self.shift)
        theta = self.target.safer(theta, self.target.expected(ends))
        if passing.ends.rates(theta)[0] == 0:
            doubt(
                f"the cascade finds none of {int(judges.positive.sum())} positives at "
                f"{self.target.name}={self.target.rate:g}: they are too few or too much like "
                "negatives, or evaluations are too dear; give more rows, another rate, a smaller "
                "beta or a larger budget"
            )
        cascade = chosen.cascade.at(theta, ties_pass=self.target.name == "target_tpr")
        rates = realised(ends, self.target, parts, chosen.n_evaluated, thetas)
        return Detection(cascade.policy(mdp.votes, self.every), rates, chosen.setting)

    @property
    def _seed(self) -> int:
        return 0 if self.random_state is None else self.random_state

    def _problem(self, mdp: MDP, like: Problem | None = None) -> Problem:
        """Within a budget each base classifier counts as one, whatever its price is."""
        mdp = mdp if self.budget is None else mdp.with_unit_costs()
        return Problem.of(mdp, self.target, ordering=self.ordering, every=self.every, like=like)


@dataclass(frozen=True, eq=False)
class Detection:
    """A policy, its realised rates, and the setting that was chosen."""

    policy: Policy
    rates: RealisedRates
    setting: Setting


def chosen(
    candidates: list[Candidate], beta: float, budget: float | None, one_row: float
) -> Candidate:
    """The best by Eq. (8) on negatives, or by the loss alone within the budget.

    Losses that differ by less than one row are equal, and then the dearest is taken: a budget is
    there to be used, and with more evaluations there is less luck.
    """
    if budget is None:
        return min(candidates, key=lambda c: c.loss + beta * c.cost)
    within = [c for c in candidates if c.n_evaluated <= budget]
    if not within:
        cheapest = min(candidates, key=lambda c: c.n_evaluated)
        doubt(
            f"no cascade is within budget={budget:g}: the cheapest evaluates "
            f"{cheapest.n_evaluated:.3g} base classifiers per negative, and is returned; give a "
            "larger budget"
        )
        return cheapest
    least = min(c.loss for c in within)
    return max((c for c in within if c.loss < least + one_row), key=lambda c: c.n_evaluated)
