"""Rejection: reject-only optimal stopping for detection, at a wanted FPR or TPR.

Negatives are many and their cost is what counts; to accept early saves nothing and only makes
scores coarse. So a row may be rejected after each step, and what is never rejected is scored by its
full sum:

    minimize  P(miss) + lambda P(false positive) + beta E_negatives[cost]

with one threshold per step (`thresholds`). Held-out rows choose among the candidates
(`rejection_candidates`); without them the policy rows choose by themselves: a candidate has few
degrees of freedom, and choosing on held-out parts was no better.

Theta and the realised rates are always from rows held out: thresholds are learned again without
each of N_PARTS parts, theta is that of the other parts, and the false positives counted are those
of this one. Of that theta and the one of all rows the safer is taken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from mddag._utils.arrays import mass as mass_of
from mddag._utils.checks import Parameters, check_is, check_positive, check_whole
from mddag._utils.warnings import doubt
from mddag.adapters import ModelParts, ensemble_of, parts_of
from mddag.detection.rejection_candidates import (
    RejectionFront,
    RejectionProblem,
    check_detection,
    class_parts,
    positives,
)
from mddag.detection.thresholds import EndScores, Floats, WantedRate
from mddag.ensemble.row_checks import counted_rows
from mddag.ensemble.votes import Tables
from mddag.estimators.classifier import MDDAGClassifier
from mddag.metrics.detection import RealisedRates, rate_interval
from mddag.policy.calibration import Calibration, exit_groups, fit_factor
from mddag.policy.mdp import MDP, checked_beta, mdp_of
from mddag.policy.ordering import Ordering, checked_ordering
from mddag.policy.policy import QUIT, Policy
from mddag.policy.rollout import Rollout, roll_out
from mddag.serving.result import MeasuredMetric, finite_speed
from mddag.solvers.solver import Solver, check_samples, configured
from mddag.tuning.targets import Budget, Price, Target

DEFAULT_FPR = 0.01
N_PARTS = 5  # of the policy rows, for the last threshold and the realised rates
BETA = 1e-3  # one evaluation of a negative is worth a thousandth of the positives
ROUNDING = 1e-5  # of the largest sum: executors add in fixed point
WIDTH = 1e-3  # of the log-odds of one exit: with 500 exits the last and the first differ by one


@dataclass
class Rejection(Parameters, Solver):
    """Learn one reject threshold per step, for detection at a wanted rate.

    It does not skip, and it is for binary models with one score.

    Parameters
    ----------
    target_fpr : float, default=None
        Share of the negatives that may be called positive; 0.01 if neither rate is given.
    target_tpr : float, default=None
        Share of the positives to be found, instead.
    budget : float, default=None
        Most mean evaluations of negatives; None means the price `beta` of the MDP.
    ordering : Ordering, default=None
        The only order to try; None means the given one and one by correlation.
    every : int, default=1
        Steps between two looks at the score. More than 1 pays in large batches: try 16.
    random_state : int, default=None
        Decides the parts; None means 0.

    See Also
    --------
    mddag.detection.sparsify : Turn a trained ensemble into a cascade of rejects.

    Examples
    --------
    >>> import numpy as np
    >>> from mddag import MDP
    >>> from mddag.detection import Rejection
    >>> rng = np.random.default_rng(0)
    >>> labels = np.arange(2000) % 2
    >>> votes = rng.normal(labels[:, None] - 0.5, 1.0, (2000, 20))
    >>> mdp = MDP(votes, labels, beta=0.001)
    >>> policy = Rejection(target_fpr=0.05, budget=8).solve(mdp)
    >>> scores, n_evaluated, _ = mdp.rollout(policy)
    >>> bool(n_evaluated[labels == 0].mean() <= 8)
    True
    """

    target_fpr: float | None = None
    target_tpr: float | None = None
    budget: float | None = None
    ordering: Ordering | None = None
    every: int = 1
    random_state: int | None = None

    arranges: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:
        WantedRate(*self._rates)
        if self.budget is not None:
            check_positive("budget", self.budget)
        check_whole("every", self.every, 1)
        if self.ordering is not None:
            checked_ordering(self.ordering)

    @property
    def _rates(self) -> tuple[float | None, float | None]:
        neither = self.target_fpr is None and self.target_tpr is None
        return DEFAULT_FPR if neither else self.target_fpr, self.target_tpr

    def with_order(self, ordering: Ordering) -> Self:
        """Return a copy that tries this order alone.

        Parameters
        ----------
        ordering : Ordering
            The order.

        Returns
        -------
        Rejection
            The copy.
        """
        return replace(self, ordering=ordering)

    def solve(self, mdp: MDP, selection: MDP | None = None) -> Policy:
        return self._detector(mdp, selection)[0]

    def _detector(self, mdp: MDP, selection: MDP | None = None) -> tuple[Policy, RealisedRates]:
        """Return the policy of the best cascade, and its rates on rows held out."""
        check_samples(mdp, selection)
        target = WantedRate(*self._rates)
        learning = self._problem(mdp, target)
        deciding = learning if selection is None else self._problem(selection, target, learning)
        front = RejectionFront(learning, deciding)
        price_or_budget: Target = Price(mdp.beta)
        if self.budget is not None:
            if front.cheapest > self.budget:
                doubt(
                    f"no cascade is within budget={self.budget:g}: the cheapest evaluates "
                    f"{front.cheapest:.3g} base classifiers per negative, and is returned; give a "
                    "larger budget"
                )
            price_or_budget = Budget(max(self.budget, front.cheapest))
        best = price_or_budget.choose(front)
        parts = class_parts(deciding.positive, N_PARTS, self.random_state or 0)
        own, steps = deciding.run(best)
        negative = ~own.positive
        n_evaluated = float(own.share[negative] @ steps[negative])
        ends, thetas = own, None
        if selection is None:
            ends, thetas = learning.crossed(best, parts)
        theta = target.safer(target.expected(own), target.expected(ends))
        if own.rates(theta)[0] == 0:
            doubt(
                f"the cascade finds none of {deciding.positive.sum()} positives at {target.name}="
                f"{target.rate:g}: they are too few or too much like negatives, or evaluations "
                "are too expensive; give more rows, another rate, a smaller beta or a larger budget"
            )
        target.doubt_few(deciding.ends)
        cascade = replace(best.cascade, theta=theta, ties_pass=target.fpr is None)
        rates = realised(ends, target, parts, n_evaluated, thetas)
        return cascade.policy(mdp.votes, self.every), rates

    def _problem(
        self, mdp: MDP, target: WantedRate, like: RejectionProblem | None = None
    ) -> RejectionProblem:
        if self.budget is not None:  # each base classifier counts as one, whatever its price is
            mdp = mdp.with_costs(np.ones(mdp.n_steps))
        return RejectionProblem.of(mdp, target, ordering=self.ordering, every=self.every, like=like)

    def calibration(self, policy: Policy, left: Rollout, mdp: MDP) -> Calibration:
        """Calibrate scores so that rejected rows rank below all others, and later ones higher.

        Parameters
        ----------
        policy : Policy
            What `solve` returned.
        left : Rollout
            Where the rows of `mdp` left it.
        mdp : MDP
            Their labels and weights.

        Returns
        -------
        Calibration
            Log-odds of scores at each exit; no winning class changes.
        """
        check_detection(mdp)
        lows = lowest_scores(policy.tables(mdp.votes.tables), policy)
        labels, mass = positives(mdp).astype(np.intp), mass_of(mdp.weight)
        return reject_calibration(left.scores, left.exit_step, labels, lows, policy.n_reached, mass)


def realised(
    ends: EndScores,
    target: WantedRate,
    parts: NDArray[np.intp],
    n_evaluated: float,
    thetas: Floats | None = None,
) -> RealisedRates:
    """Return the rates of rows held out, by thetas of the other parts, or safer ones by part."""
    above = np.zeros(len(parts), bool)
    for part in np.unique(parts):
        here, others = parts == part, parts != part
        others = others if len(np.unique(ends.positive[others])) == 2 else here
        rest = EndScores.of(ends.scores[others], ends.positive[others], ends.share[others])
        theta = target.expected(rest)
        if thetas is not None:
            theta = target.safer(theta, float(thetas[part]))
        above[here] = ends.scores[here] > theta
    found: dict[str, Any] = {}
    for name, rows in (("fpr", ~ends.positive), ("tpr", ends.positive)):
        count, n = int(above[rows].sum()), int(rows.sum())
        rate = min(float((ends.share * above)[rows].sum()), 1.0)
        found[name], found[f"{name}_interval"] = rate, rate_interval(count, n)
        found[f"{name}_error"] = float(np.sqrt(rate * (1 - rate) * ends.one_of(rows)))
    n_positives = int(ends.positive.sum())
    return RealisedRates(
        target=target.name,
        wanted=target.rate,
        n_negatives=len(parts) - n_positives,
        n_positives=n_positives,
        n_evaluated=n_evaluated,
        **found,
    )


def lowest_scores(tables: Tables, policy: Policy) -> Floats:
    """Return the lowest score that a row can leave with at each exit 0 .. N, (N + 1,)."""
    least = np.minimum.reduceat(tables.values, tables.starts[:-1])
    smallest = np.add.reduceat(least, tables.rounds[:-1])[policy.order]
    slack = ROUNDING * float(np.abs(tables.bias).sum() + tables.reach().sum())
    lows = np.empty(policy.n_steps + 1)
    lows[0] = tables.bias[0]
    for t in range(policy.n_steps):
        looks = t % policy.every == 0
        rejects = looks and len(policy.grid.edges) and policy.actions[t // policy.every, 0] == QUIT
        # What was not rejected is above 0, and the next vote may take its smallest from that.
        lows[t + 1] = (max(lows[t], 0.0) if rejects else lows[t]) + smallest[t]
    return np.asarray(lows - slack)


def reject_calibration(
    scores: Floats,
    exit_step: NDArray[np.integer[Any]],
    labels: NDArray[np.intp],
    lows: Floats,
    length: int,
    mass: Floats | None = None,
) -> Calibration:
    """Return what scores (n, 1) stand for, by labels (n,), 1 for positives, of rows that left."""
    # Rows that pass all T = length steps are read as a (f - theta), by Platt's method. Rows that
    # are rejected after step t have scores in [low_t, 0], and log-odds
    #
    #     b_t + WIDTH x f / |low_t|,    b_t = min(log-odds of the rejected rows of exits about t,
    #                                             what keeps them below every later exit)
    #
    # so rejected rows rank below all that passed, later exits higher, and no winner changes.
    n_steps = len(lows) - 1
    mass = np.ones(len(labels)) if mass is None else mass
    passed = np.flatnonzero(exit_step == length)
    factors, offsets = np.ones(n_steps + 1), np.zeros(n_steps + 1)
    if len(passed):
        factors[length:] = fit_factor(scores[passed], labels[passed], mass[passed])
    # log-odds among the rows that leave about each exit, smoothed by one row
    groups = exit_groups(exit_step, n_steps, mass=mass)
    found, lost = (
        np.bincount(groups[exit_step], mass * of, groups[-1] + 1) + 0.5
        for of in (labels, 1 - labels)
    )
    known = np.log(found / lost)[groups]
    highest = min(factors[length] * lows[length], 0.0)
    for t in range(length - 1, -1, -1):
        offsets[t] = min(known[t], highest - WIDTH)
        factors[t] = WIDTH / max(-lows[t], WIDTH)
        highest = offsets[t] + factors[t] * min(lows[t], 0.0)
    return Calibration(np.arange(n_steps + 1), factors, offsets)


def sparsify(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    target_fpr: float | None = None,
    target_tpr: float | None = None,
    beta: float | None = None,
    budget: float | None = None,
    sample_weight: ArrayLike | None = None,
    solver: Rejection | None = None,
    n_jobs: int = 1,
    random_state: int | np.random.RandomState | None = 0,
) -> MDDAGClassifier:
    """Return the cascade of rejects that detects the second class at a wanted rate.

    The model is not refitted. Every row given is a policy row: the solver holds parts of them out
    by itself, for the threshold at the end and for the realised rates.

    Parameters
    ----------
    model : model, path or Pipeline
        Anything that ``mddag.as_ensemble`` reads, binary with one score.
    X : array-like of shape (n, d)
        Rows that the model was not trained on; patches for a model that reads patches.
    y : array-like of shape (n,)
        Their labels; the second class is to be detected.
    target_fpr : float, default=None
        Share of the negatives that may be called positive. Give this or `target_tpr`.
    target_tpr : float, default=None
        Share of the positives to be found.
    beta : float, default=None
        Price of one evaluation of a negative, in misses; None means 0.001.
    budget : float, default=None
        Mean evaluations of negatives, at most, instead of `beta`.
    sample_weight : array-like of shape (n,), default=None
        What each row counts for; None means 1.
    solver : Rejection, default=None
        A solver with settings of its own, such as ``Rejection(every=16)`` for large batches; its
        rates and budget are replaced by those given here.
    n_jobs : int, default=1
        Threads of prediction, -1 for all cores. No result depends on it.
    random_state : int, RandomState or None, default=0
        Decides which rows are held out together.

    Returns
    -------
    MDDAGClassifier
        The fitted classifier. ``result_.rates`` has FPR and TPR on held-out rows, with their
        errors; ``print`` compares them with the rate that was wanted.

    Raises
    ------
    ValueError
        If not exactly one rate is given, or both `beta` and `budget`, or the model is not
        binary.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mddag import AdaBoostMHClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> boost = AdaBoostMHClassifier(n_rounds=50, random_state=0).fit(X[:200], y[:200])
    >>> fast = sparsify(boost, X[200:], y[200:], target_fpr=0.1, budget=5)
    >>> bool(fast.n_evaluated(X).mean() < 50)
    True
    """
    if beta is not None and budget is not None:
        raise ValueError(f"got beta={beta}, budget={budget}; wanted at most one of the two")
    price = checked_beta(BETA if beta is None else beta)
    wanted = WantedRate(target_fpr, target_tpr)
    if y is None:
        raise ValueError(
            "y is None; a rate of detection is that of true labels: give those of the rows X"
        )
    learner = Rejection() if solver is None else solver
    check_is("solver", learner, Rejection, f"None or Rejection(), since {wanted.name} is given")
    learner = replace(learner, target_fpr=target_fpr, target_tpr=target_tpr, budget=budget)
    source = parts_of(model)
    ensemble = ensemble_of(source)
    ensemble.task.require_predictions()
    estimator = MDDAGClassifier(
        ensemble if source.transformer is None else ModelParts(ensemble, source.transformer),
        beta=price,
        solver=learner,
        n_jobs=n_jobs,
        random_state=random_state,
    )
    X, y, weight = counted_rows(X, y, sample_weight)
    votes = ensemble.votes(ensemble.features.rows(source.rows(X)), n_jobs=n_jobs)
    targets = ensemble.task.checked_targets(y)
    check_consistent_length(votes.codes, targets)
    mdp = mdp_of(ensemble, votes, targets, beta=price, weight=weight)
    seeded = configured(learner, random=check_random_state(random_state))
    policy, rates = seeded._detector(mdp)
    estimator._describe_rows(X)
    estimator._settle(ensemble, policy, mdp)
    dag, left = estimator.dag_, roll_out(policy, mdp.votes)
    full, own = ensemble.codes(mdp.votes.scores()), mdp.weight
    right = (float(np.average(codes == mdp.labels, weights=own)) for codes in (full, left.codes))
    result = replace(
        estimator.result_,
        made_by="sparsify",
        target="beta" if budget is None else "budget",
        value=price if budget is None else float(budget),
        rows="choosing",
        metrics=(MeasuredMetric("accuracy", *right),),
        difference=float(np.average(left.codes != full, weights=own)),
        speed=finite_speed(dag.expected_speedup),
        speed_one=finite_speed(dag.expected_speedup_one),
        rates=rates,
    )
    estimator._take(ensemble, policy, dag, estimator.calibration_, result)
    return estimator
