"""WaldBoost (Sochman & Matas 2005): AdaBoost that rejects rows while it is trained.

Each round adds the base classifier that AdaBoost would add on the rows not yet rejected, and then
rejects where Wald's test finds a positive too unlikely, by the scores of rows held out. So later
base classifiers are trained for the rows that reach them, and negatives that are rejected can be
replaced. Of an ensemble that is given, the thresholds alone are learned.

With p(s, survived | class) the density of the scores of a class among rows that survive so far,

    reject up to the largest r such that  p(s | positive) <= miss x p(s | negative)  for all s <= r.

miss is Wald's bound for a test that accepts nothing early: of the positives at most the share
miss x (share of the negatives that is rejected) is lost.
Densities are Parzen windows (Gaussian, on BINS bins), which fill the gaps between few rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from mddag._utils.checks import check_fraction, check_positive, check_whole
from mddag._utils.warnings import doubt
from mddag.boosting.training_set import TrainingSet
from mddag.detection.cascade import CascadeClassifier, Chain, Trained, passing
from mddag.detection.cascade_rows import (
    ROUNDING,
    Material,
    Supply,
    balanced,
    final_scores,
    step_length,
    weighed,
)
from mddag.ensemble.nodes import Nodes

FEWEST = 20  # rows of a class: fewer are no sample to train on
CROWDED = 0.7  # where a smaller share of the rows is left, the others are taken away
BINS = 256
NORMAL_RULE = 1.06  # the deviation times this times n^(-1/5) fits a normal density best
NOTHING = 1e-12  # a density of no row

Vector = NDArray[np.float64]


@dataclass
class Boosting:
    """Rows of AdaBoost, some of which are rejected; those have no weight."""

    material: Material
    score: Vector
    tested: Surviving

    def __post_init__(self) -> None:
        positive = self.material.coded.positive
        self.signs = np.where(positive, 1.0, -1.0)
        self.prior = balanced(positive)
        self.alive = np.ones(len(positive), bool)
        self.perfect = False  # whether the last base classifier has no error

    @classmethod
    def begin(cls, material: Material) -> Boosting:
        held = material.aside
        zeros = np.zeros(len(material.boosted)), np.zeros(len(held))
        return cls(material, zeros[0], Surviving.of(zeros[1], held.positive))

    @property
    def n_left(self) -> NDArray[np.intp]:
        """Rows of each class that are left to boost on, intp (2,)."""
        return self._left(self.alive)

    def round(self, miss: float, smoothing: float, fewest: int) -> tuple[Nodes, float] | None:
        """One more base classifier and threshold; None if none is better than chance.

        A threshold that leaves a class fewer than `fewest` rows rejects nothing instead.
        """
        margin = self.signs * self.score
        weight = self.prior * np.exp(margin[self.alive].min() - margin) * self.alive
        weight /= weight.sum()
        nodes, votes = self.material.coded.steepest(self.material.learner, weight * self.signs)
        right = float(weight[votes == self.signs].sum())
        alpha = step_length(right, int(self.alive.sum()))
        if alpha <= 0:
            return None
        self.perfect = right > 1 - ROUNDING
        tree = weighed(nodes, alpha)
        r = self.tested.add(self.material.aside.votes(tree), miss, smoothing)
        self.score = self.score + alpha * votes
        left = self.alive & (self.score > r)
        if min(self._left(left).min(), self.tested.left_by(r).min()) < fewest:
            return tree, -np.inf
        self.alive = left
        self.tested.reject(r)
        return tree, r

    def _left(self, rows: NDArray[np.bool_]) -> NDArray[np.intp]:
        return np.bincount(self.signs[rows] > 0, minlength=2)

    def without_rejected(self) -> Boosting:
        """The rows that are left alone."""
        here, held = np.flatnonzero(self.alive), np.flatnonzero(self.tested.alive)
        kept = self.material.kept(here, held)
        tested = self.tested
        again = Surviving.of(tested.score[held], tested.positive[held], tested.survived)
        return Boosting(kept, self.score[here], again)

    def refilled(
        self, supply: Supply, wanted: tuple[int, int], chain: Chain, trees: list[Nodes]
    ) -> Boosting:
        """With negatives that pass all steps so far in the places of those that did not."""
        kept = self.without_rejected().material
        material = kept.refilled(supply, wanted, partial(passing, chain, trees))
        boosted, held = (final_scores(rows, trees) for rows in (material.boosted, material.held))
        survived = self.tested.survived
        return Boosting(material, boosted, Surviving.of(held, material.held.labels > 0, survived))


def wald_boost(
    material: Material,
    *,
    n_rounds: int,
    miss: float,
    smoothing: float,
    supply: Supply | None = None,
) -> Trained:
    """Train the cascade; negatives that are rejected are replaced by the supply, if there is one.

    Without a supply the last FEWEST rows of a class are never rejected, but boosted on to the end.
    It is stopped by "n_rounds", "negatives" (the supply has too few that pass), "perfect" or
    "chance" (the last base classifier, the next one).
    """
    trees: list[Nodes] = []
    rejects: list[float] = []
    rows, wanted, stopped_by = Boosting.begin(material), material.n_negatives, "n_rounds"
    fewest = FEWEST if supply is None else 0
    while len(trees) < n_rounds:
        found = rows.round(miss, smoothing, fewest)
        if found is None:
            stopped_by = "chance"
            break
        trees.append(found[0])
        rejects.append(found[1])
        if rows.perfect:
            stopped_by = "perfect"
            break
        if min(rows.alive.mean(), rows.tested.alive.mean()) >= CROWDED:
            continue
        if supply is None:
            rows = rows.without_rejected()
            continue
        rows = rows.refilled(supply, wanted, chain_of(rejects), trees)
        if min(rows.n_left.min(), rows.tested.n_left.min()) < FEWEST:
            stopped_by = "negatives"
            break
    return Trained(trees, chain_of(rejects), stopped_by)


def chain_of(rejects: Any, bias: float = 0.0) -> Chain:
    """One base classifier a stage, in the order in which they come."""
    return Chain.of_steps(np.arange(len(rejects)), np.array(rejects), bias)


@dataclass
class Surviving:
    """Rows held out, and which of them no step has rejected.

    share : P(a negative, a positive survives) / surviving rows of the class
    """

    score: Vector
    positive: NDArray[np.bool_]
    share: tuple[float, float]

    def __post_init__(self) -> None:
        self.alive = np.ones(len(self.positive), bool)

    @classmethod
    def of(
        cls, score: Vector, positive: NDArray[np.bool_], survived: tuple[float, float] = (1.0, 1.0)
    ) -> Surviving:
        """Rows that all survive; `survived` are the shares of the classes that have until now."""
        n = np.bincount(positive, minlength=2)
        return cls(score, positive, (survived[0] / max(n[0], 1), survived[1] / max(n[1], 1)))

    def add(self, votes: Vector, miss: float, smoothing: float) -> float:
        """The threshold after one more base classifier with these votes (n,)."""
        self.score = self.score + votes
        classes = self.positive, ~self.positive
        positives, negatives = (self.score[self.alive & of] for of in classes)
        return wald_reject(positives, negatives, self.share[::-1], miss, smoothing)

    def reject(self, r: float) -> None:
        """Take rows with scores up to r away."""
        self.alive &= self.score > r

    def left_by(self, r: float) -> NDArray[np.intp]:
        """Rows of each class that survive a threshold, intp (2,)."""
        return np.bincount(self.positive[self.alive & (self.score > r)], minlength=2)

    @property
    def n_left(self) -> NDArray[np.intp]:
        """Surviving rows of each class, intp (2,)."""
        return self.left_by(-np.inf)

    @property
    def survived(self) -> tuple[float, float]:
        """The shares of the classes that have survived until now."""
        n = self.n_left
        return float(self.share[0] * n[0]), float(self.share[1] * n[1])


def wald_rejects(
    votes: Vector, positive: NDArray[np.bool_], *, miss: float, smoothing: float, bias: float = 0.0
) -> Vector:
    """Thresholds of base classifiers in their order, by votes (n, N) on rows held out.

    Fewer than N where a class runs out of rows.
    """
    tested, rejects = Surviving.of(np.full(len(positive), bias), positive), []
    for t in range(votes.shape[1]):
        rejects.append(tested.add(votes[:, t], miss, smoothing))
        tested.reject(rejects[-1])
        if tested.n_left.min() == 0:
            break
    return np.array(rejects)


def wald_reject(
    positives: Vector, negatives: Vector, shares: tuple[float, float], miss: float, smoothing: float
) -> float:
    """The threshold r for surviving rows with these scores (n,) of each class; -inf if none.

    shares    : what one row of each class stands for, 1 / rows of the class at the start
    smoothing : width of the Parzen window, in units of the width that fits a normal density
    """
    if len(positives) == 0 or len(negatives) == 0:
        return -np.inf
    low = min(positives.min(), negatives.min())
    high = max(positives.max(), negatives.max())
    width = smoothing * NORMAL_RULE * float(positives.std()) * len(positives) ** -0.2
    width = max(width, (high - low) / BINS, 1e-9)
    low, high = low - 3 * width, high + 3 * width
    step = (high - low) / BINS
    density = [
        share * gaussian_filter1d(_counts(scores, low, step), width / step, mode="constant")
        for scores, share in zip((positives, negatives), shares, strict=True)
    ]
    likely = (density[0] > miss * density[1]) & (density[0] > NOTHING)
    first = int(likely.argmax()) if likely.any() else BINS
    return low + first * step if first else -np.inf


def _counts(scores: Vector, low: float, step: float) -> Vector:
    bins = ((scores - low) / step).astype(np.intp)
    return np.bincount(bins, minlength=BINS).astype(float)


@dataclass(eq=False, repr=False, kw_only=True)
class WaldBoostClassifier(CascadeClassifier):
    """AdaBoost with a likelihood ratio test after every base classifier.

    Parameters
    ----------
    learner : Learner, default None
        Learns the base classifiers; None means ``Stump()``; ``Haar()`` for patches.
    ensemble : model, default None
        A fitted model whose base classifiers are taken as they come: anything that
        ``mddag.as_ensemble`` reads. Every row given to ``fit`` then sets thresholds. (Wrapped in
        ``FrozenEstimator`` it survives ``clone``.)
    n_rounds : int, default 200
        Most base classifiers.
    miss_rate : float, default 0.05
        Wald's bound: at most about this share of the positives is lost, often much less.
    smoothing : float, default 0.5
        Width of the Parzen window, in units of the width that fits a normal density best.
    policy_fraction : float, default 0.3
        Share of the rows held out for thresholds.
    n_threads : int, default 1
        Threads of training and prediction, -1 for all cores. No result depends on it.
    random_state : int, RandomState or None, default None
        Decides which rows are held out, and which features a ``Haar()`` learner draws.

    Attributes
    ----------
    chain_, ensemble_, policy_, dag_, classes_, stopped_by_
        See ``CascadeClassifier``.
    """

    ensemble: Any = None
    n_rounds: int = 200
    miss_rate: float = 0.05
    smoothing: float = 0.5
    policy_fraction: float = 0.3

    def _check_parameters(self) -> None:
        check_fraction("policy_fraction", self.policy_fraction, zero=False)
        check_whole("n_rounds", self.n_rounds, 1)
        check_fraction("miss_rate", self.miss_rate, zero=False)
        check_positive("smoothing", self.smoothing)

    def _train(self, given: TrainingSet, supply: Supply | None, seed: int) -> Trained:
        trained = wald_boost(
            self._parted(given, seed, self.policy_fraction),
            n_rounds=self.n_rounds,
            miss=self.miss_rate,
            smoothing=self.smoothing,
            supply=supply,
        )
        if trained.stopped_by == "negatives":
            doubt(
                f"too few of the negatives given pass the first {len(trained.trees)} of "
                f"{self.n_rounds} rounds to train another, so the cascade ends there; give "
                "a larger pool, or a smaller miss_rate"
            )
        return replace(trained, chain=_accepting(trained.chain))

    def _chain(self, votes: Vector, positive: NDArray[np.bool_], bias: float) -> Chain:
        rejects = wald_rejects(
            votes[:, : self.n_rounds],
            positive,
            miss=self.miss_rate,
            smoothing=self.smoothing,
            bias=bias,
        )
        return _accepting(chain_of(rejects, bias))


def _accepting(chain: Chain) -> Chain:
    """At the end a row must have f > 0, as in AdaBoost, even where Wald's test would go on."""
    rejects = chain.rejects.copy()
    rejects[-1:] = np.maximum(rejects[-1:], 0.0)
    return replace(chain, rejects=rejects)
