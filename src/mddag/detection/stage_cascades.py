"""Cascades whose stages are several base classifiers.

**VJCascade** (Viola & Jones 2004): stages of AdaBoost, each trained on what the last let through. A
stage is boosted until, on rows held out, it keeps at least a share d of the positives that reach it
(its threshold is the largest that does) and at most a share f of the negatives. Or, the words of
Benbouzid et al., until the first m stages together keep d^m and f^m; then a stage that is better
than asked allows the next to be worse. The next stage is boosted on all positives and on the
negatives that pass, false positives. Where these run out, or a stage does not reach its rates, the
cascade ends with what it has.

**FCBoost** (Saberian & Vasconcelos 2010): all stages grow at once, under one criterion. It adds an
exponential loss and the price of the evaluations, with soft decisions between stages. With u(z) =
(tanh(s z) + 1) / 2 the last-stage cascade of f_1 … f_M scores and costs

    F_M = f_M,  F_m = f_m + u(f_m) (F_{m+1} - f_m)       C_M = c_M,  C_m = c_m + u(f_m) C_{m+1},

c_m being the base classifiers that stage m evaluates, and with row weights p

    L = sum_i p_i exp(-y_i F_1(x_i)) + eta x mean over negatives of C_1.

With b_m = prod_{j<m} u(f_j), the derivative of L by f_m(x_i) is

    -p_i y_i exp(-y_i F_1) b_m psi_m + eta b_m u'(f_m) C_{m+1} [i negative] / n_negative,
    psi_m = 1 - u(f_m) + u'(f_m) (F_{m+1} - f_m);  psi_M = 1, and no cost.

Each round finds the steepest base classifier g for every stage, and for a new last stage
f_{M+1} = f_M + a g, looks for the best length a along each on the exact L, and takes the best of
all. A base classifier of the last stage is counted by all stages to come, too, and evaluated once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from mddag._utils.checks import check_between, check_one_of, check_positive, check_whole
from mddag._utils.warnings import doubt
from mddag.boosting.training_set import TrainingSet
from mddag.detection.cascade import (
    CascadeClassifier,
    Chain,
    TrainedChain,
    highest_reject,
    passing,
)
from mddag.detection.cascade_rows import (
    ROUNDING,
    CascadeRows,
    CodedRows,
    NegativeSupply,
    balanced,
    weighed,
)
from mddag.ensemble.nodes import Nodes

Floats = NDArray[np.float64]

FEWEST_NEGATIVES = 20  # fewer are no sample to train a stage on
LONGEST_STEP = 2.0  # a base classifier without error among millions of rows gets less
CLOSE = 1e-3  # of a step: where its length is found


@dataclass(frozen=True)
class StageRates:
    """What stages are to reach."""

    fpr: float  # f
    tpr: float  # d
    of: str = "stage"  # "stage", or "cascade" for f^m and d^m of the first m stages together

    def goal(self, m: int, so_far: tuple[float, float]) -> tuple[float, float]:
        """Return FPR and TPR of stage m = 1, 2 … by itself, given those of the stages before."""
        if self.of == "stage":
            return self.fpr, self.tpr
        return self.fpr**m / max(so_far[0], ROUNDING), min(self.tpr**m / so_far[1], 1.0)


class BoostedStage(NamedTuple):
    """One stage of VJCascade."""

    trees: list[Nodes]
    reject: float
    score: Floats  # of the rows boosted on
    passing: NDArray[np.bool_]  # of the rows held out
    reached: bool


def vj_cascade(
    rows: CascadeRows,
    rates: StageRates,
    *,
    n_stages: int,
    max_rounds: int,
    supply: NegativeSupply | None = None,
) -> TrainedChain:
    """Train the stages; negatives that are rejected are replaced by the supply, if there is one.

    It is stopped by "n_stages", "negatives" (too few are left) or "rates" (a stage misses them).
    """
    trees: list[Nodes] = []
    sizes: list[int] = []
    rejects: list[float] = []
    so_far, wanted, stopped_by = (1.0, 1.0), rows.n_negatives, "n_stages"
    for m in range(1, n_stages + 1):
        boosted, held = rows.n_negatives
        if m > 1 and (boosted < FEWEST_NEGATIVES or held == 0):
            stopped_by = "negatives"
            break
        stage = boosted_stage(rows, rates.goal(m, so_far), max_rounds)
        if stage.trees:
            trees += stage.trees
            sizes.append(len(stage.trees))
            rejects.append(stage.reject)
        if not stage.reached:
            stopped_by = "rates"
            break
        positive = rows.aside.positive
        fpr, tpr = (
            float(stage.passing[of].mean()) if of.any() else 0.0 for of in (~positive, positive)
        )
        so_far = so_far[0] * fpr, so_far[1] * tpr
        through = (stage.score > stage.reject) | rows.coded.positive
        rows = rows.kept(np.flatnonzero(through), np.flatnonzero(stage.passing))
        passes = partial(passing, Chain.of_stages(sizes, rejects), trees)
        rows = rows.refilled(supply, wanted, passes)
    return TrainedChain(trees, Chain.of_stages(sizes, rejects), stopped_by)


def boosted_stage(rows: CascadeRows, goal: tuple[float, float], max_rounds: int) -> BoostedStage:
    """Boost one stage until it reaches its rates, or has `max_rounds` base classifiers."""
    held = rows.aside
    positive = held.positive
    may_lose = int((1 - goal[1]) * positive.sum() + ROUNDING)
    may_pass = goal[0] * (~positive).sum() + ROUNDING
    trees: list[Nodes] = []
    score, held_score, reject = np.zeros(len(rows.boosted)), np.zeros(len(held)), -np.inf
    for nodes, votes in rows.rounds():
        trees.append(nodes)
        score += votes
        held_score += held.votes(nodes)
        reject = highest_reject(held_score[positive], held_score[~positive], may_lose)
        through = held_score > reject
        if np.count_nonzero(through & ~positive) <= may_pass:
            return BoostedStage(trees, reject, score, through, True)
        if len(trees) == max_rounds:
            break
    return BoostedStage(trees, reject, score, held_score > reject, False)


@dataclass(eq=False, repr=False, kw_only=True)
class VJCascadeClassifier(CascadeClassifier):
    """The cascade of Viola and Jones: a stage is an AdaBoost ensemble with a threshold.

    Parameters
    ----------
    learner : Learner, default None
        Learns the base classifiers; None means ``Stump()``; ``Haar()`` for patches.
    n_jobs : int, default 1
        Threads of training and prediction, -1 for all cores. No result depends on it.
    random_state : int, RandomState or None, default None
        Decides which rows are held out, and which features a ``Haar()`` learner draws.
    n_stages : int, default 10
        Most stages.
    max_fpr : float, default 0.5
        Share of the negatives that reach a stage which may pass it, f.
    min_tpr : float, default 0.99
        Share of the positives that reach a stage which must pass it, d.
    rates : {"stage", "cascade"}, default "stage"
        Whether a stage must reach f and d by itself, or the first m stages together f^m and d^m.
    max_rounds : int, default 200
        Most base classifiers of a stage. One that has not reached its rates by then is the last.
    policy_fraction : float, default 0.3
        Share of the rows held out for thresholds and rates.

    Attributes
    ----------
    chain_, ensemble_, policy_, dag_, classes_, stopped_by_
        See ``CascadeClassifier``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mddag.detection import VJCascadeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = VJCascadeClassifier(n_stages=2, random_state=0).fit(X, y)
    >>> bool(model.n_evaluated(X).mean() < len(model.ensemble_))
    True
    """

    whole_numbers = ("n_stages", "max_rounds")
    fractions = ("policy_fraction", "max_fpr", "min_tpr")

    n_stages: int = 10
    max_fpr: float = 0.5
    min_tpr: float = 0.99
    rates: Literal["stage", "cascade"] = "stage"
    max_rounds: int = 200
    policy_fraction: float = 0.3

    def _check_parameters(self) -> None:
        check_one_of("rates", self.rates, ("stage", "cascade"))

    def _train(self, given: TrainingSet, supply: NegativeSupply | None, seed: int) -> TrainedChain:
        trained = vj_cascade(
            self._parted(given, seed, self.policy_fraction),
            StageRates(self.max_fpr, self.min_tpr, self.rates),
            n_stages=self.n_stages,
            max_rounds=self.max_rounds,
            supply=supply,
        )
        n = trained.chain.n_stages
        if trained.stopped_by == "rates" and n:
            size = int(np.diff(trained.chain.ends, prepend=0)[-1])
            doubt(
                f"stage {n} does not reach max_fpr={self.max_fpr:g} and min_tpr={self.min_tpr:g} "
                f"with {size} base classifiers, so the cascade ends with it, at {n} of "
                f"{self.n_stages} stages; raise max_rounds or max_fpr, or lower min_tpr"
            )
        elif trained.stopped_by == "negatives":
            doubt(
                f"too few negatives pass the first {n} of {self.n_stages} stages to train another, "
                "so the cascade ends there; give negatives=, a pool or a function, or fewer stages"
            )
        return trained


@dataclass(frozen=True, eq=False)
class SoftStages:
    """Scores of the stages of rows, and what they cost."""

    scores: Floats  # float64 (M, n), f_m
    costs: Floats  # float64 (M,), c_m
    slope: float  # s of u(z) = (tanh(s z) + 1) / 2

    def passed(self) -> Floats:
        """Return u(f_m), float64 (M, n)."""
        return soft_step(self.scores, self.slope)

    def reached(self, u: Floats) -> Floats:
        """Return b_m, float64 (M + 1, n); the last is for a stage to come."""
        return np.vstack([np.ones(u.shape[1]), np.cumprod(u, axis=0)])

    def backward(self, u: Floats) -> tuple[Floats, Floats]:
        """Return F_m and C_m, float64 (M, n) each."""
        final, cost = np.empty_like(u), np.empty_like(u)
        final[-1], cost[-1] = self.scores[-1], self.costs[-1]
        for m in range(len(u) - 2, -1, -1):
            final[m] = self.scores[m] + u[m] * (final[m + 1] - self.scores[m])
            cost[m] = self.costs[m] + u[m] * cost[m + 1]
        return final, cost

    def extended(self) -> SoftStages:
        """Add a last stage that scores as the last does and evaluates nothing yet."""
        return replace(
            self,
            scores=np.vstack([self.scores, self.scores[-1:]]),
            costs=np.append(self.costs, 0.0),
        )

    def moved(self, m: int, votes: Floats) -> SoftStages:
        """Add a base classifier to stage m, with these votes (n,)."""
        scores, costs = self.scores.copy(), self.costs.copy()
        scores[m] += votes
        costs[m] += 1
        return replace(self, scores=scores, costs=costs)


@dataclass(frozen=True, eq=False)
class FCCriterion:
    """L of rows."""

    signs: Floats  # float64 (n,), y
    weight: Floats  # float64 (n,), p
    price: Floats  # float64 (n,), eta / n_negative for negatives, 0 for positives

    def value(self, stages: SoftStages) -> float:
        final, cost = stages.backward(stages.passed())
        return self.of(final[0], cost[0])

    def of(self, final: Floats, cost: Floats) -> float:
        """Return L of scores F_1 and costs C_1."""
        return float(self.weight @ np.exp(-self.signs * final) + self.price @ cost)

    def derivative(self, stages: SoftStages) -> Floats:
        """Return dL / df_m(x_i), float64 (M, n)."""
        u = stages.passed()
        reached, (final, cost) = stages.reached(u)[:-1], stages.backward(u)
        pull = self.signs * self.weight * np.exp(-self.signs * final[0])
        psi, cost_ahead = np.ones_like(u), np.zeros_like(u)
        du = 2 * stages.slope * u * (1 - u)
        psi[:-1] = 1 - u[:-1] + du[:-1] * (final[1:] - stages.scores[:-1])
        cost_ahead[:-1] = du[:-1] * cost[1:]
        derivative: Floats = reached * (self.price * cost_ahead - pull * psi)
        return derivative

    def along(self, stages: SoftStages, m: int, votes: Floats) -> tuple[float, float]:
        """Find the best length a > 0 of a step of votes ±1 (n,) in stage m, and L there.

        F_1 and C_1 are linear in F_m and C_m, and what comes after stage m stays as it is.
        """
        u = stages.passed()
        reached, (final, cost) = stages.reached(u)[m], stages.backward(u)
        before, cost_before = final[0] - reached * final[m], cost[0] - reached * cost[m]
        last = m == len(u) - 1
        score, price = stages.scores[m], stages.costs[m] + 1

        def value(a: float) -> float:
            moved = score + a * votes
            here, here_cost = moved, price
            if not last:
                open_ = soft_step(moved, stages.slope)
                here = moved + open_ * (final[m + 1] - moved)
                here_cost = price + open_ * cost[m + 1]
            return self.of(before + reached * here, cost_before + reached * here_cost)

        bounds = 0.0, LONGEST_STEP
        found = minimize_scalar(value, bounds=bounds, method="bounded", options={"xatol": CLOSE})
        return float(found.x), float(found.fun)


def soft_step(z: Floats, slope: float) -> Floats:
    """Return u(z) = (tanh(s z) + 1) / 2."""
    u: Floats = (np.tanh(slope * z) + 1) / 2
    return u


@dataclass(frozen=True, eq=False)
class GrownStages:
    """Base classifiers in the order in which they came."""

    trees: list[Nodes]  # with votes ±a
    stage: list[int]  # the stage that each was added to
    last: list[bool]  # whether that was the last one then, so that later stages count it, too

    def first(self, n: int) -> GrownStages:
        """Return the first n of them."""
        return GrownStages(self.trees[:n], self.stage[:n], self.last[:n])

    def chain(self, reject: float = 0.0) -> Chain:
        """Return the cascade that rejects scores up to `reject`; base classifiers by stage."""
        stage, last = np.array(self.stage), np.array(self.last)
        order = np.argsort(stage, kind="stable")
        ends = np.cumsum(np.bincount(stage))
        stages = np.arange(len(ends))
        of = stage[order][:, None]
        counts = (of == stages) | (last[order][:, None] & (of < stages))
        return Chain(order, ends, np.full(len(ends), reject), counts)


class StageStep(NamedTuple):
    """The steepest base classifier of one stage at its best length, its votes (n,), and L then."""

    stage: int
    tree: Nodes
    votes: Floats
    value: float


def fc_boost(
    rows: CodedRows,
    learner: Any,
    *,
    n_rounds: int,
    eta: float,
    slope: float,
    positive_weight: float = 1.0,
    max_stages: int | None = None,
    max_features: int | None = None,
    seed: int = 0,
) -> GrownStages:
    """Learn base classifiers and their stages; fewer than `n_rounds` where no step makes L smaller.

    positive_weight : of all positives together, in units of that of all negatives
    max_features    : columns that are open to each round, drawn again each time; None for all
    """
    n_negative = max(int((~rows.positive).sum()), 1)
    price = np.where(rows.positive, 0.0, eta / n_negative)
    criterion = FCCriterion(rows.signs, balanced(rows.positive, positive_weight), price)
    stages = SoftStages(np.zeros((1, len(rows))), np.zeros(1), slope)
    grown = GrownStages([], [], [])
    rng = np.random.default_rng(seed)
    for _ in range(n_rounds):
        open_rows = rows
        if max_features is not None:
            n_open = min(max_features, rows.columns.n_features)
            drawn = rng.choice(rows.columns.n_features, n_open, replace=False)
            open_rows = replace(rows, columns=rows.columns.restricted(drawn))
        n_stages = len(stages.scores)
        grows = bool(grown.trees) and (max_stages is None or n_stages < max_stages)
        at = stages.extended() if grows else stages
        steps = []
        for m, steepness in enumerate(criterion.derivative(at)):
            nodes, votes = open_rows.steepest(learner, -steepness)
            length, value = criterion.along(at, m, votes)
            steps.append(StageStep(m, weighed(nodes, length), length * votes, value))
        best = min(steps, key=lambda step: step.value)
        if best.value >= criterion.value(stages) and grown.trees:
            break
        m = best.stage
        stages = (at if m == n_stages else stages).moved(m, best.votes)
        grown.trees.append(best.tree)
        grown.stage.append(m)
        grown.last.append(m >= n_stages - 1)
    return grown


@dataclass(eq=False, repr=False, kw_only=True)
class FCBoostClassifier(CascadeClassifier):
    """A cascade whose stages are boosted at once, for few errors and low cost together.

    Parameters
    ----------
    learner : Learner, default None
        Learns the base classifiers; None means ``Stump()``; ``Haar()`` for patches.
    n_jobs : int, default 1
        Threads of training and prediction, -1 for all cores. No result depends on it.
    random_state : int, RandomState or None, default None
        Decides which columns are open, and which features a ``Haar()`` learner draws.
    n_rounds : int, default 100
        Most base classifiers of all stages together.
    eta : float, default 0.02
        The price of one evaluation on a negative, in units of the exponential loss.
    slope : float, default 1.0
        s of u(z) = (tanh(s z) + 1) / 2: the larger, the more like a hard decision.
    positive_weight : float, default 1.0
        Weight of all positives together, in units of that of all negatives.
    threshold : float, default 0.0
        A stage rejects scores up to this.
    max_stages : int, default 10
        Most stages; training takes time for each of them in each round. None for no bound.
    max_features : int, default None
        Columns open to each round, drawn again each time; None for all.

    Attributes
    ----------
    chain_, ensemble_, policy_, dag_, classes_, stopped_by_
        See ``CascadeClassifier``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mddag.detection import FCBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = FCBoostClassifier(n_rounds=10, random_state=0).fit(X, y)
    >>> bool(model.n_evaluated(X).mean() < len(model.ensemble_))
    True
    """

    refills = False
    whole_numbers = ("n_rounds",)

    n_rounds: int = 100
    eta: float = 0.02
    slope: float = 1.0
    positive_weight: float = 1.0
    threshold: float = 0.0
    max_stages: int | None = 10
    max_features: int | None = None

    def _check_parameters(self) -> None:
        check_between("eta", self.eta, 0.0, np.inf, "a price, 0 or more")
        check_positive("slope", self.slope)
        wanted = "a number above 0 and at most 1e9"
        check_between("positive_weight", self.positive_weight, 1e-9, 1e9, wanted)
        check_between("threshold", self.threshold, -np.inf, np.inf, "a finite number")
        for name in ("max_stages", "max_features"):
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name), 1)

    def _train(self, given: TrainingSet, supply: NegativeSupply | None, seed: int) -> TrainedChain:
        """All rows are boosted on: the criterion has no thresholds to be set."""
        learner = self._learner()
        grown = fc_boost(
            CodedRows.of(given, learner, self.n_jobs),
            learner,
            n_rounds=self.n_rounds,
            eta=self.eta,
            slope=self.slope,
            positive_weight=self.positive_weight,
            max_stages=self.max_stages,
            max_features=self.max_features,
            seed=seed,
        )
        stopped_by = "n_rounds" if len(grown.trees) == self.n_rounds else "criterion"
        return TrainedChain(grown.trees, grown.chain(self.threshold), stopped_by)
