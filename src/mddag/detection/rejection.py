"""Rejection: reject-only optimal stopping for detection, at a wanted FPR or TPR.

Negatives are many and their cost is what counts; to accept early saves nothing and only makes
scores coarse. So a row may be rejected after each step, and what is never rejected is scored by its
full sum:

    minimise  P(miss) + lambda P(false positive) + beta E_negatives[cost]

with one threshold per step (``thresholds``). Candidates (``rejection_problem``) differ in the order
of the base classifiers, the final length and beta; held-out rows choose by what is lost at the
wanted rate plus the MDP's beta times the mean cost on negatives, or by the loss alone within a
`budget` of that cost. Without further rows the policy rows choose by themselves: a candidate has
few degrees of freedom, and choosing on held-out parts was no better. Where fewer than five
negatives decide the wanted rate, candidates are compared at the rate that five decide, since
otherwise selection bias decides.

Theta and the realised rates are always from rows held out: thresholds are learned again without
each of `n_parts` parts, theta is that of the other parts, and the false positives counted are those
of this one. (Of that theta and the one of all rows the safer is taken: cascades of the parts differ
a little from the one of all.)

It does not skip, and it is for two classes with one score. For estimators it also says what follows
from a policy of rejects: its rates on the rows of an MDP, and its calibration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mddag._utils.arrays import mass as mass_of
from mddag._utils.checks import Parameters, check_between, check_positive, check_whole
from mddag._utils.warnings import doubt
from mddag.detection.rejection_problem import Candidate, Problem, Setting, class_parts, positives
from mddag.detection.thresholds import Ends, Target, shares_by_class
from mddag.engine.replay import Replay
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.votes import Tables
from mddag.metrics.detection import RealisedRates, rate_interval
from mddag.policy.by_exit import exit_groups
from mddag.policy.calibration import Calibration, fit_factor
from mddag.policy.mdp import MDP
from mddag.policy.ordering import checked_ordering
from mddag.policy.policy import QUIT, Policy
from mddag.solvers.solver import Solver, check_samples

Floats = NDArray[np.float64]
DEFAULT_FPR = 0.01
ROUNDING = 1e-5  # of the largest sum: executors add in fixed point
WIDTH = 1e-3  # of the log-odds of one exit: with 500 exits the last and the first differ by one


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
    detects: ClassVar[bool] = True
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

    def rates(self, left: Replay, mdp: MDP) -> RealisedRates:
        """The rates of a policy on the rows of an MDP that it was not learned on."""
        positive = positives(mdp)
        ends = Ends(left.scores[:, 0], positive, shares_by_class(positive, mdp.weight))
        n_evaluated = float(ends.negative_shares @ left.n_evaluated[~positive])
        return rates_of(ends, left.scores[:, 0] > 0, self.target, n_evaluated)

    def calibration(
        self, ensemble: Ensemble, policy: Policy, left: Replay, mdp: MDP
    ) -> Calibration:
        """What scores stand for, by the rows of an MDP as they left the policy."""
        check_two_classes(ensemble, self.target.name)
        lows, length = lowest_scores(policy.tables(mdp.votes.tables), policy), policy.n_reached
        labels = positives(mdp).astype(np.intp)
        return reject_calibration(
            left.scores, left.exit_step, labels, lows, length, mass_of(mdp.weight)
        )

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


def detecting_solver(solver: Any, target_fpr: float | None, target_tpr: float | None) -> Any:
    """The solver where a rate is wanted: Rejection of that rate."""
    target = Target(target_fpr, target_tpr)
    target.check()
    if solver is None:
        return Rejection(target_fpr=target_fpr, target_tpr=target_tpr)
    if not isinstance(solver, Rejection):
        raise ValueError(
            f"{target.name}={target.rate:g} is given with solver={solver!r}, which does not know "
            "of rates; wanted solver=None or Rejection()"
        )
    return replace(solver, target_fpr=target_fpr, target_tpr=target_tpr)


def check_two_classes(ensemble: Ensemble, target: str) -> None:
    """Refuse an ensemble that does not decide between two classes by one score."""
    if ensemble.n_scores != 1:
        n_classes = 0 if ensemble.classes is None else len(ensemble.classes)
        raise ValueError(
            f"{target} is given, but the model has {n_classes} classes and {ensemble.n_scores} "
            "scores; wanted two classes with one score, of which the second is to be detected"
        )


def realised(
    ends: Ends,
    target: Target,
    parts: NDArray[np.intp],
    n_evaluated: float,
    thetas: Floats | None = None,
) -> RealisedRates:
    """The rates of rows held out.

    parts  : (n,), rows of one number share a theta
    thetas : by part, that of the rows which learned its cascade; the safer of the two is taken
    """
    above = np.zeros(len(parts), bool)
    for part in np.unique(parts):
        here, others = parts == part, parts != part
        others = others if _both(ends.positive[others]) else here
        share = shares_by_class(ends.positive[others], ends.share[others])
        rest = Ends(ends.scores[others], ends.positive[others], share)
        theta = target.expected(rest)
        if thetas is not None:
            theta = target.safer(theta, float(thetas[part]))
        above[here] = ends.scores[here] > theta
    return rates_of(ends, above, target, n_evaluated)


def rates_of(
    ends: Ends, above: NDArray[np.bool_], target: Target, n_evaluated: float
) -> RealisedRates:
    """The rates of rows held out of which some were called positive."""
    found: dict[str, Any] = {}
    for name, rows in (("fpr", ~ends.positive), ("tpr", ends.positive)):
        count, n = int(above[rows].sum()), int(rows.sum())
        rate = min(float((ends.share * above)[rows].sum()), 1.0)
        low, high = rate_interval(count, n)
        error = float(np.sqrt(rate * (1 - rate) * np.square(ends.share[rows]).sum()))
        found |= {name: rate, f"{name}_error": error, f"{name}_interval": (low, high)}
    return RealisedRates(
        target=target.name,
        wanted=target.rate,
        n_negatives=int((~ends.positive).sum()),
        n_positives=int(ends.positive.sum()),
        n_evaluated=n_evaluated,
        **found,
    )


def _both(positive: NDArray[np.bool_]) -> bool:
    return bool(positive.any() and not positive.all())


def lowest_scores(tables: Tables, policy: Policy) -> NDArray[np.float64]:
    """The lowest score that a row can leave with at each exit 0 .. N, (N + 1,).

    A row that was not rejected has a score above 0, from which the next vote may take its smallest.
    """
    least = np.minimum.reduceat(tables.values, tables.starts[:-1])
    smallest = np.add.reduceat(least, tables.rounds[:-1])[policy.order]
    slack = ROUNDING * float(np.abs(tables.bias).sum() + tables.reach().sum())
    lows = np.empty(policy.n_steps + 1)
    lows[0] = tables.bias[0]
    for t in range(policy.n_steps):
        looks = t % policy.every == 0
        rejects = looks and len(policy.grid.edges) and policy.actions[t // policy.every, 0] == QUIT
        lows[t + 1] = (max(lows[t], 0.0) if rejects else lows[t]) + smallest[t]
    return np.asarray(lows - slack)


def reject_calibration(
    scores: Floats,
    exit_step: NDArray[np.integer[Any]],
    labels: NDArray[Any],
    lows: Floats,
    length: int,
    mass: Floats | None = None,
) -> Calibration:
    """What scores (n, 1) stand for, with labels (n,), 1 for positives.

    Rows that pass all T steps are read as a (f - theta), a by ``platt``. Rows that are rejected
    after step t have scores in [low_t, 0]. Their log-odds are

        b_t + WIDTH x f / |low_t|,    b_t = min(log-odds of the rejected rows of the exits about t,
                                                what keeps them below every later exit)

    so rejected rows rank below all that passed, later exits higher, and no winning class changes.

    lows   : (N + 1,), the lowest score that a row can leave with at each exit
    length : T, the exit of rows that pass
    mass   : (n,), of the rows; 1 by default
    """
    n_steps = len(lows) - 1
    mass = np.ones(len(labels)) if mass is None else mass
    passed = np.flatnonzero(exit_step == length)
    factors, offsets = np.ones(n_steps + 1), np.zeros(n_steps + 1)
    if len(passed):
        factors[length:] = fit_factor(scores[passed], labels[passed], mass[passed])
    known = _log_odds(exit_step, labels, mass, n_steps)
    highest = min(factors[length] * lows[length], 0.0)
    for t in range(length - 1, -1, -1):
        offsets[t] = min(known[t], highest - WIDTH)
        factors[t] = WIDTH / max(-lows[t], WIDTH)
        highest = offsets[t] + factors[t] * min(lows[t], 0.0)
    return Calibration(np.arange(n_steps + 1), factors, offsets)


def _log_odds(
    exit_step: NDArray[np.integer[Any]], labels: NDArray[Any], mass: Floats, n_steps: int
) -> Floats:
    """Of positives among the rows that leave about each exit, (N + 1,), smoothed by one row."""
    groups = exit_groups(exit_step, n_steps, mass=mass)
    found = np.bincount(groups[exit_step], mass * labels, groups[-1] + 1) + 0.5
    lost = np.bincount(groups[exit_step], mass * (1 - labels), groups[-1] + 1) + 0.5
    return np.asarray(np.log(found / lost)[groups])
