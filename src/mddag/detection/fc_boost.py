"""FCBoost (Saberian & Vasconcelos 2010): all stages of a cascade grow at once, under one criterion.

The criterion adds an exponential loss and the price of the evaluations, with soft decisions between
stages. With u(z) = (tanh(s z) + 1) / 2 the last-stage cascade of f_1 … f_M scores and costs

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
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from mddag._utils.checks import check_between, check_positive, check_whole
from mddag.boosting.training_set import TrainingSet
from mddag.detection.cascade import CascadeClassifier, Chain, Trained
from mddag.detection.cascade_rows import CodedRows, Supply, balanced, weighed
from mddag.ensemble.nodes import Nodes

LONGEST_STEP = 2.0  # a base classifier without error among millions of rows gets less
CLOSE = 1e-3  # of a step: where its length is found

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SoftStages:
    """Scores of the stages of rows, and what they cost.

    scores : float64 (M, n), f_m
    costs  : float64 (M,), c_m
    slope  : s of u(z) = (tanh(s z) + 1) / 2
    """

    scores: Matrix
    costs: Vector
    slope: float

    def passed(self) -> Matrix:
        """u(f_m), float64 (M, n)."""
        return soft_step(self.scores, self.slope)

    def reached(self, u: Matrix) -> Matrix:
        """b_m, float64 (M + 1, n); the last is for a stage to come."""
        return np.vstack([np.ones(u.shape[1]), np.cumprod(u, axis=0)])

    def backward(self, u: Matrix) -> tuple[Matrix, Matrix]:
        """F_m and C_m, float64 (M, n) each."""
        final, cost = np.empty_like(u), np.empty_like(u)
        final[-1], cost[-1] = self.scores[-1], self.costs[-1]
        for m in range(len(u) - 2, -1, -1):
            final[m] = self.scores[m] + u[m] * (final[m + 1] - self.scores[m])
            cost[m] = self.costs[m] + u[m] * cost[m + 1]
        return final, cost

    def extended(self) -> SoftStages:
        """With a new last stage that scores as the last does and evaluates nothing yet."""
        return replace(
            self,
            scores=np.vstack([self.scores, self.scores[-1:]]),
            costs=np.append(self.costs, 0.0),
        )

    def moved(self, m: int, votes: Vector) -> SoftStages:
        """One base classifier more in stage m, with these votes (n,)."""
        scores, costs = self.scores.copy(), self.costs.copy()
        scores[m] += votes
        costs[m] += 1
        return replace(self, scores=scores, costs=costs)


@dataclass(frozen=True, eq=False)
class Criterion:
    """L of rows.

    signs   : float64 (n,), y
    weight  : float64 (n,), p
    price   : float64 (n,), eta / n_negative for negatives, 0 for positives
    """

    signs: Vector
    weight: Vector
    price: Vector

    def value(self, stages: SoftStages) -> float:
        final, cost = stages.backward(stages.passed())
        return self.of(final[0], cost[0])

    def of(self, final: Vector, cost: Vector) -> float:
        """L of scores F_1 and costs C_1."""
        return float(self.weight @ np.exp(-self.signs * final) + self.price @ cost)

    def derivative(self, stages: SoftStages) -> Matrix:
        """dL / df_m(x_i), float64 (M, n)."""
        u = stages.passed()
        reached, (final, cost) = stages.reached(u)[:-1], stages.backward(u)
        pull = self.signs * self.weight * np.exp(-self.signs * final[0])
        psi, dear = np.ones_like(u), np.zeros_like(u)
        du = 2 * stages.slope * u * (1 - u)
        psi[:-1] = 1 - u[:-1] + du[:-1] * (final[1:] - stages.scores[:-1])
        dear[:-1] = du[:-1] * cost[1:]
        derivative: Matrix = reached * (self.price * dear - pull * psi)
        return derivative

    def along(self, stages: SoftStages, m: int, votes: Vector) -> tuple[float, float]:
        """The best length a > 0 of a step of votes ±1 (n,) in stage m, and L there.

        F_1 and C_1 are linear in F_m and C_m, and what comes behind stage m stays as it is.
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


def soft_step(z: Matrix, slope: float) -> Matrix:
    """u(z) = (tanh(s z) + 1) / 2."""
    u: Matrix = (np.tanh(slope * z) + 1) / 2
    return u


@dataclass(frozen=True, eq=False)
class Grown:
    """Base classifiers in the order in which they came.

    trees : with votes ±a
    stage : the stage that each was added to
    last  : whether that was the last one then, so that later stages count it, too
    """

    trees: list[Nodes]
    stage: list[int]
    last: list[bool]

    def first(self, n: int) -> Grown:
        """The first n of them."""
        return Grown(self.trees[:n], self.stage[:n], self.last[:n])

    def chain(self, reject: float = 0.0) -> Chain:
        """The cascade that rejects scores up to `reject`; base classifiers by stage."""
        stage, last = np.array(self.stage), np.array(self.last)
        order = np.argsort(stage, kind="stable")
        ends = np.cumsum(np.bincount(stage))
        stages = np.arange(len(ends))
        of = stage[order][:, None]
        counts = (of == stages) | (last[order][:, None] & (of < stages))
        return Chain(order, ends, np.full(len(ends), reject), counts)


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
) -> Grown:
    """Base classifiers and their stages; fewer than `n_rounds` where no step makes L smaller.

    positive_weight : of all positives together, in units of that of all negatives
    max_features    : columns that are open to each round, drawn anew; None for all
    """
    n_negative = max(int((~rows.positive).sum()), 1)
    price = np.where(rows.positive, 0.0, eta / n_negative)
    criterion = Criterion(rows.signs, balanced(rows.positive, positive_weight), price)
    stages = SoftStages(np.zeros((1, len(rows))), np.zeros(1), slope)
    grown = Grown([], [], [])
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
        best = _best_step(criterion, at, open_rows, learner)
        if best.value >= criterion.value(stages) and grown.trees:
            break
        m = best.stage
        stages = (at if m == n_stages else stages).moved(m, best.length * best.votes)
        grown.trees.append(best.nodes)
        grown.stage.append(m)
        grown.last.append(m >= n_stages - 1)
    return grown


@dataclass(frozen=True, eq=False)
class _Step:
    stage: int
    nodes: Nodes
    votes: Vector
    length: float
    value: float


def _best_step(criterion: Criterion, stages: SoftStages, rows: CodedRows, learner: Any) -> _Step:
    steps = []
    for m, slope in enumerate(criterion.derivative(stages)):
        nodes, votes = rows.steepest(learner, -slope)
        length, value = criterion.along(stages, m, votes)
        steps.append(_Step(m, weighed(nodes, length), votes, length, value))
    return min(steps, key=lambda step: step.value)


@dataclass(eq=False, repr=False, kw_only=True)
class FCBoostClassifier(CascadeClassifier):
    """A cascade whose stages are boosted at once, for few errors and low cost together.

    Parameters
    ----------
    learner : Learner, default None
        Learns the base classifiers; None means ``Stump()``; ``Haar()`` for patches.
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
        Columns open to each round, drawn anew; None for all.
    n_threads : int, default 1
        Threads of training and prediction, -1 for all cores. No result depends on it.
    random_state : int, RandomState or None, default None
        Decides which columns are open, and which features a ``Haar()`` learner draws.

    Attributes
    ----------
    chain_, ensemble_, policy_, dag_, classes_, stopped_by_
        See ``CascadeClassifier``.
    """

    refills = False

    n_rounds: int = 100
    eta: float = 0.02
    slope: float = 1.0
    positive_weight: float = 1.0
    threshold: float = 0.0
    max_stages: int | None = 10
    max_features: int | None = None

    def _check_parameters(self) -> None:
        check_whole("n_rounds", self.n_rounds, 1)
        check_between("eta", self.eta, 0.0, np.inf, "a price, 0 or more")
        check_positive("slope", self.slope)
        wanted = "a number above 0 and at most 1e9"
        check_between("positive_weight", self.positive_weight, 1e-9, 1e9, wanted)
        check_between("threshold", self.threshold, -np.inf, np.inf, "a finite number")
        if self.max_stages is not None:
            check_whole("max_stages", self.max_stages, 1)
        if self.max_features is not None:
            check_whole("max_features", self.max_features, 1)

    def _train(self, given: TrainingSet, supply: Supply | None, seed: int) -> Trained:
        """All rows are boosted on: the criterion has no thresholds to be set."""
        learner = self._learner()
        grown = fc_boost(
            CodedRows.of(given, learner, self.n_threads),
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
        return Trained(grown.trees, grown.chain(self.threshold), stopped_by)
