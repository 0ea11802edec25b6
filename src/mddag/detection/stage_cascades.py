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
(tanh(z) + 1) / 2 the last-stage cascade of f_1 … f_M scores and costs

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
from itertools import islice
from typing import Literal, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from mddag._utils.checks import check_between, check_one_of, check_whole
from mddag._utils.warnings import doubt
from mddag.detection.cascade import (
    ROUNDING,
    CascadeClassifier,
    CascadeRows,
    Chain,
    TrainedChain,
    Vector,
    balanced,
    highest_reject,
    weighed,
)
from mddag.ensemble.nodes import Nodes

FEWEST_NEGATIVES = 20  # fewer are no sample to train a stage on
LONGEST_STEP = 2.0  # a base classifier without error among millions of rows gets less
CLOSE = 1e-3  # of a step: where its length is found

Rates = Literal["stage", "cascade"]


@dataclass(eq=False, repr=False, kw_only=True)
class VJCascadeClassifier(CascadeClassifier):
    """The cascade of Viola and Jones: a stage is an AdaBoost ensemble with a threshold.

    Parameters
    ----------
    learner : Learner, default=None
        Learns the base classifiers; None means ``Stump()``; ``Haar()`` for patches.
    n_jobs : int, default=1
        Threads of training and prediction, -1 for all cores. No result depends on it.
    random_state : int, RandomState or None, default=None
        Decides which rows are held out, and which features a ``Haar()`` learner draws.
    n_stages : int, default=10
        Most stages.
    max_fpr : float, default=0.5
        Share of the negatives that reach a stage which may pass it, f.
    min_tpr : float, default=0.99
        Share of the positives that reach a stage which must pass it, d.
    rates : {"stage", "cascade"}, default="stage"
        Whether a stage must reach f and d by itself, or the first m stages together f^m and d^m.
    max_rounds : int, default=200
        Most base classifiers of a stage. One that has not reached its rates by then is the last.
    policy_fraction : float, default=0.3
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
    rates: Rates = "stage"
    max_rounds: int = 200
    policy_fraction: float = 0.3

    def _check_parameters(self) -> None:
        check_one_of("rates", self.rates, ("stage", "cascade"))

    def _train(self, rows: CascadeRows, seed: int) -> TrainedChain:
        trained = self._stages(rows)
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
                "so the cascade ends there; give more negatives, or fewer stages"
            )
        return trained

    def _stages(self, rows: CascadeRows) -> TrainedChain:
        """Train up to "n_stages", too few "negatives" left, or one that misses its "rates"."""
        trees: list[Nodes] = []
        sizes: list[int] = []
        rejects: list[float] = []
        fpr, tpr, stopped_by = 1.0, 1.0, "n_stages"
        for m in range(1, self.n_stages + 1):
            positive = rows.held.labels > 0
            n_boosted = np.count_nonzero(rows.boosted.labels == 0)
            if m > 1 and (n_boosted < FEWEST_NEGATIVES or positive.all()):
                stopped_by = "negatives"
                break
            goal = self.max_fpr, self.min_tpr
            if self.rates == "cascade":  # the first m stages together
                goal = self.max_fpr**m / max(fpr, ROUNDING), min(self.min_tpr**m / tpr, 1.0)
            may_pass = goal[0] * (~positive).sum() + ROUNDING
            may_lose = int((1 - goal[1]) * positive.sum() + ROUNDING)
            score, held_score = np.zeros(len(rows.boosted)), np.zeros(len(positive))
            size, reached = 0, False
            for found in islice(rows.adaboost(), self.max_rounds):
                trees.append(found.tree)
                size += 1
                score += found.votes
                held_score += rows.held_votes(found.tree)
                reject = highest_reject(held_score[positive], held_score[~positive], may_lose)
                reached = np.count_nonzero((held_score > reject) & ~positive) <= may_pass
                if reached:
                    break
            if size:
                sizes.append(size)
                rejects.append(reject)
            if not reached:
                stopped_by = "rates"
                break
            held = held_score > reject
            fpr *= float(held[~positive].mean()) if not positive.all() else 0.0
            tpr *= float(held[positive].mean()) if positive.any() else 0.0
            through = (score > reject) | rows.positive
            rows = rows.kept(np.flatnonzero(through), np.flatnonzero(held))
        return TrainedChain(trees, Chain.of_stages(sizes, rejects), stopped_by)


def passing(scores: Vector) -> Vector:
    """Return u(z), the soft decision to go on."""
    return np.asarray((np.tanh(scores) + 1) / 2)


@dataclass(frozen=True, eq=False)
class FCStages:
    """The stages of FCBoost on its rows: their scores and costs, and the criterion L."""

    scores: Vector  # float64 (M, n), f_m
    costs: Vector  # float64 (M,), c_m
    signs: Vector  # float64 (n,), y
    weight: Vector  # float64 (n,), p
    price: Vector  # float64 (n,), eta / n_negative for negatives, 0 for positives

    def solved(self) -> tuple[Vector, Vector, Vector, Vector]:
        """Return u(f_m), b_m, F_m and C_m, float64 (M, n) each."""
        u = passing(self.scores)
        reached = np.vstack([np.ones(u.shape[1]), np.cumprod(u, axis=0)[:-1]])
        final, cost = np.empty_like(u), np.empty_like(u)
        final[-1], cost[-1] = self.scores[-1], self.costs[-1]
        for m in range(len(u) - 2, -1, -1):
            final[m] = self.scores[m] + u[m] * (final[m + 1] - self.scores[m])
            cost[m] = self.costs[m] + u[m] * cost[m + 1]
        return u, reached, final, cost

    def value(self) -> float:
        """Return L."""
        _, _, final, cost = self.solved()
        return self.value_of(final[0], cost[0])

    def value_of(self, final: Vector, cost: Vector) -> float:
        """Return L of scores F_1 and costs C_1."""
        return float(self.weight @ np.exp(-self.signs * final) + self.price @ cost)

    def derivative(self) -> Vector:
        """Return dL / df_m(x_i), float64 (M, n)."""
        u, reached, final, cost = self.solved()
        pull = self.signs * self.weight * np.exp(-self.signs * final[0])
        psi, cost_ahead = np.ones_like(u), np.zeros_like(u)
        du = 2 * u * (1 - u)
        psi[:-1] = 1 - u[:-1] + du[:-1] * (final[1:] - self.scores[:-1])
        cost_ahead[:-1] = du[:-1] * cost[1:]
        derivative: Vector = reached * (self.price * cost_ahead - pull * psi)
        return derivative

    def along(self, m: int, votes: Vector) -> tuple[float, float]:
        """Find the best length a > 0 of a step of votes ±1 (n,) in stage m, and L there."""
        # F_1 and C_1 are linear in F_m and C_m, and what comes after stage m stays as it is.
        u, b, final, cost = self.solved()
        reached, score, price = b[m], self.scores[m], self.costs[m] + 1
        before, cost_before = final[0] - reached * final[m], cost[0] - reached * cost[m]

        def value(a: float) -> float:
            moved = score + a * votes
            here, here_cost = moved, price
            if m < len(u) - 1:
                goes_on = passing(moved)
                here = moved + goes_on * (final[m + 1] - moved)
                here_cost = price + goes_on * cost[m + 1]
            return self.value_of(before + reached * here, cost_before + reached * here_cost)

        bounds = 0.0, LONGEST_STEP
        found = minimize_scalar(value, bounds=bounds, method="bounded", options={"xatol": CLOSE})
        return float(found.x), float(found.fun)

    def extended(self) -> FCStages:
        """Add a last stage that scores as the last does and evaluates nothing yet."""
        scores = np.vstack([self.scores, self.scores[-1:]])
        return replace(self, scores=scores, costs=np.append(self.costs, 0.0))

    def moved(self, m: int, votes: Vector) -> FCStages:
        """Add a base classifier to stage m, with these votes (n,)."""
        scores, costs = self.scores.copy(), self.costs.copy()
        scores[m] += votes
        costs[m] += 1
        return replace(self, scores=scores, costs=costs)


class StagedTree(NamedTuple):
    """A base classifier of FCBoost, in the order in which they came."""

    tree: Nodes  # with votes ±a
    stage: int  # to which it was added
    is_last: bool  # whether that was the last one then, so that later stages count it, too


def fc_chain(grown: list[StagedTree], reject: float = 0.0) -> Chain:
    """Return the cascade that rejects scores up to `reject`; base classifiers by stage."""
    stage, is_last = (np.array(of) for of in list(zip(*grown, strict=True))[1:])
    order = np.argsort(stage, kind="stable")
    ends = np.cumsum(np.bincount(stage))
    stages = np.arange(len(ends))
    of = stage[order][:, None]
    counts = (of == stages) | (is_last[order][:, None] & (of < stages))
    return Chain(order, ends, np.full(len(ends), reject), counts)


@dataclass(eq=False, repr=False, kw_only=True)
class FCBoostClassifier(CascadeClassifier):
    """A cascade whose stages are boosted at once, for few errors and low cost together.

    Parameters
    ----------
    learner : Learner, default=None
        Learns the base classifiers; None means ``Stump()``; ``Haar()`` for patches.
    n_jobs : int, default=1
        Threads of training and prediction, -1 for all cores. No result depends on it.
    random_state : int, RandomState or None, default=None
        Decides which columns are open, and which features a ``Haar()`` learner draws.
    n_rounds : int, default=100
        Most base classifiers of all stages together.
    eta : float, default=0.02
        The price of one evaluation on a negative, in units of the exponential loss.
    positive_weight : float, default=1.0
        Weight of all positives together, in units of that of all negatives.
    threshold : float, default=0.0
        A stage rejects scores up to this.
    max_stages : int, default=10
        Most stages; training takes time for each of them in each round. None for no bound.
    max_features : int, default=None
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

    whole_numbers = ("n_rounds",)

    n_rounds: int = 100
    eta: float = 0.02
    positive_weight: float = 1.0
    threshold: float = 0.0
    max_stages: int | None = 10
    max_features: int | None = None

    def _check_parameters(self) -> None:
        check_between("eta", self.eta, 0.0, np.inf, "a price, 0 or more")
        wanted = "a number above 0 and at most 1e9"
        check_between("positive_weight", self.positive_weight, 1e-9, 1e9, wanted)
        check_between("threshold", self.threshold, -np.inf, np.inf, "a finite number")
        for name in ("max_stages", "max_features"):
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name), 1)

    def _train(self, rows: CascadeRows, seed: int) -> TrainedChain:
        grown = self._grown(rows, seed)
        stopped_by = "n_rounds" if len(grown) == self.n_rounds else "criterion"
        return TrainedChain([g.tree for g in grown], fc_chain(grown, self.threshold), stopped_by)

    def _grown(self, rows: CascadeRows, seed: int) -> list[StagedTree]:
        """Learn base classifiers and their stages, while a step makes L smaller."""
        n_negative = max(int((~rows.positive).sum()), 1)
        stages = FCStages(
            scores=np.zeros((1, len(rows.positive))),
            costs=np.zeros(1),
            signs=rows.signs,
            weight=balanced(rows.positive, self.positive_weight),
            price=np.where(rows.positive, 0.0, self.eta / n_negative),
        )
        grown: list[StagedTree] = []
        n_features, rng = rows.columns.n_features, np.random.default_rng(seed)
        for _ in range(self.n_rounds):
            open_rows = rows
            if self.max_features is not None:
                drawn = rng.choice(n_features, min(self.max_features, n_features), replace=False)
                open_rows = replace(rows, columns=rows.columns.restricted(drawn))
            n_stages = len(stages.scores)
            grows = bool(grown) and (self.max_stages is None or n_stages < self.max_stages)
            at = stages.extended() if grows else stages
            steps = []  # of each stage: L at the best length of the steepest tree, votes, the tree
            for m, steepness in enumerate(at.derivative()):
                nodes, votes = open_rows.steepest(-steepness)
                length, value = at.along(m, votes)
                steps.append((value, length * votes, weighed(nodes, length)))
            m = min(range(len(steps)), key=lambda m: steps[m][0])
            value, votes, tree = steps[m]
            if value >= stages.value() and grown:
                break
            stages = (at if m == n_stages else stages).moved(m, votes)
            grown.append(StagedTree(tree, m, m >= n_stages - 1))
        return grown
