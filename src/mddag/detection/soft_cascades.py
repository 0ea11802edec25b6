"""Cascades whose stages are single base classifiers, each counting all before it.

**SoftCascade** (Bourdev & Brandt 2005) puts a pool of base classifiers in order with rejection. The
share 1 - D of the positives that may be lost is spread over the steps t = 1 … T:

    v_t = k exp(alpha t / T) for alpha >= 0,  k exp(-alpha (1 - t / T)) for alpha < 0,  sum = 1 - D

so alpha < 0 spends it early, which is fast. Each step takes the base classifier with the largest
balanced edge, the mean of its votes over surviving positives minus that over surviving negatives,
and then rejects up to the largest threshold that keeps the losses within v_1 + … + v_t. The votes
stay those of the pool.

**WaldBoost** (Sochman & Matas 2005) is AdaBoost that rejects rows while it is trained. Each round
adds the base classifier that AdaBoost would add on the rows not yet rejected, and then rejects
where Wald's test finds a positive too unlikely, by the scores of rows held out. So later base
classifiers are trained for the rows that reach them. Of an ensemble that is given, the thresholds
alone are learned. With p(s, survived | class) the density of the scores of a class among rows that
survive so far,

    reject up to the largest r such that  p(s | positive) <= miss x p(s | negative)  for all s <= r.

miss is Wald's bound for a test that accepts nothing early: of the positives at most the share
miss x (share of the negatives that is rejected) is lost. Densities are Parzen windows (Gaussian, on
BINS bins), which fill the gaps between few rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.ndimage import gaussian_filter1d

from mddag._utils.checks import check_between, check_positive
from mddag.detection.cascade import (
    CascadeClassifier,
    CascadeRows,
    Chain,
    Flags,
    TrainedChain,
    Vector,
    balanced,
    highest_reject,
    votes_of,
)
from mddag.ensemble.nodes import Nodes

# Edges this close are equal but for rounding, which differs between machines: the first is taken.
TIE = 1e-9
FEWEST = 20  # rows of a class: fewer are no sample to train on
CROWDED = 0.7  # where a smaller share of the rows is left, the others are taken away
BINS = 256
NORMAL_RULE = 1.06  # the deviation times this times n^(-1/5) fits a normal density best
NOTHING = 1e-12  # a density of no row


def miss_budget(n_steps: int, detection_rate: float, alpha: float) -> Vector:
    """Return v_t, float64 (T,): the share of the positives that each step may lose."""
    t = np.arange(1, n_steps + 1) / n_steps
    shape = np.exp(alpha * (t - 1)) if alpha >= 0 else np.exp(-alpha * -t)  # at most 1: finite
    budget: Vector = shape * ((1 - detection_rate) / shape.sum())
    return budget


class SurvivingClass:
    """The rows of one class that no step has rejected, and the sums of their votes."""

    def __init__(self, votes: Vector) -> None:
        self.votes = votes
        self.alive = np.arange(len(votes))
        self.score = np.zeros(len(votes))
        self.sums = votes.sum(axis=0)

    @property
    def mean_votes(self) -> Vector:
        """Return the mean vote of each base classifier, (N,)."""
        mean: Vector = self.sums / max(len(self.alive), 1)
        return mean

    def add(self, h: int) -> None:
        """Add the votes of a base classifier to the scores."""
        self.score = self.score + self.votes[self.alive, h]

    def drop(self, reject: float) -> int:
        """Reject rows up to this score, and count them."""
        out = self.score <= reject
        n_out = int(np.count_nonzero(out))
        if n_out:  # sums are taken down by what goes: in all, one pass over the votes
            self.sums -= self.votes[self.alive[out]].sum(axis=0)
            self.alive, self.score = self.alive[~out], self.score[~out]
        return n_out


@dataclass(eq=False, repr=False, kw_only=True)
class SoftCascadeClassifier(CascadeClassifier):
    """A cascade made of the base classifiers of an ensemble, one a stage.

    Parameters
    ----------
    learner : Learner, default=None
        Learns the base classifiers of the pool; None means ``Stump()``; ``Haar()`` for patches.
    n_jobs : int, default=1
        Threads of training and prediction, -1 for all cores. No result depends on it.
    random_state : int, RandomState or None, default=None
        Decides which rows are held out, and which features a ``Haar()`` learner draws.
    ensemble : estimator or model, default=None
        The pool: anything that ``mddag.as_ensemble`` reads. If fitted (or wrapped in
        ``FrozenEstimator``, which survives ``clone``) it is used as it is, and every row given to
        ``fit`` sets thresholds. None means ``AdaBoostMHClassifier(learner, n_rounds=pool_size)``.
    pool_size : int, default=200
        Base classifiers of a pool that is trained here.
    n_steps : int, default=100
        Most base classifiers of the cascade, T.
    detection_rate : float, default=0.95
        Share of the positives to be kept to the end, D.
    alpha : float, default=0.0
        How the losses are spread over the steps: early for alpha < 0, late for alpha > 0.
    policy_fraction : float, default=0.3
        Share of the rows held out for order and thresholds where the pool is trained here.

    Attributes
    ----------
    chain_, ensemble_, policy_, dag_, classes_, stopped_by_
        See ``CascadeClassifier``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mddag.detection import SoftCascadeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SoftCascadeClassifier(pool_size=20, n_steps=10, random_state=0).fit(X, y)
    >>> bool(model.n_evaluated(X).mean() < len(model.ensemble_))
    True
    """

    whole_numbers = ("pool_size", "n_steps")
    fractions = ("policy_fraction", "detection_rate")

    ensemble: Any = None
    pool_size: int = 200
    n_steps: int = 100
    detection_rate: float = 0.95
    alpha: float = 0.0
    policy_fraction: float = 0.3

    def _check_parameters(self) -> None:
        check_between("alpha", self.alpha, -700, 700, "a number from -700 to 700, such as -4")

    def _train(self, rows: CascadeRows, seed: int) -> TrainedChain:
        trees = [found.tree for found in islice(rows.adaboost(), self.pool_size)]
        if not trees:  # the caller says so
            return TrainedChain([], Chain.of_steps(np.empty(0, np.intp), []), "chance")
        chain = self._chain(votes_of(rows.held, trees), rows.held.labels > 0)
        return TrainedChain(trees, chain, "n_steps")

    def _chain(self, votes: Vector, positive: Flags, bias: float = 0.0) -> Chain:
        budget = miss_budget(self.n_steps, self.detection_rate, self.alpha)
        parts = SurvivingClass(votes[positive]), SurvivingClass(votes[~positive])
        n_positive, spare = len(parts[0].score), 0.0
        unused = np.ones(votes.shape[1], bool)
        order, rejects = [], []
        for t in range(min(self.n_steps, votes.shape[1])):
            edge = np.where(unused, parts[0].mean_votes - parts[1].mean_votes, -np.inf)
            h = int(np.argmax(edge >= edge.max() - TIE))
            unused[h] = False
            for part in parts:
                part.add(h)
            spare += budget[t]
            reject = highest_reject(parts[0].score, parts[1].score, int(spare * n_positive + 1e-9))
            spare -= parts[0].drop(reject) / n_positive
            parts[1].drop(reject)
            order.append(h)
            rejects.append(reject)
            if len(parts[1].score) == 0:
                break
        return Chain.of_steps(np.array(order), np.array(rejects) + bias, bias)


class SurvivingRows:
    """Rows with their scores, and which of them no step has rejected."""

    def __init__(
        self, score: Vector, positive: Flags, survived: Vector | tuple[float, float] = (1.0, 1.0)
    ) -> None:
        self.score = score
        self.positive = positive
        self.alive = np.ones(len(positive), bool)
        # of one row of each class; the rows stand for the shares of the classes that survived
        self.share = np.asarray(survived) / np.maximum(self.n_left(), 1)

    def n_left(self, r: float = -np.inf) -> NDArray[np.intp]:
        """Count the rows of each class that survive a threshold too, intp (2,)."""
        return np.bincount(self.positive[self.alive & (self.score > r)], minlength=2)

    def threshold(self, miss: float, smoothing: float) -> float:
        """Return the score up to which Wald's test rejects."""
        positives, negatives = (
            self.score[self.alive & of] for of in (self.positive, ~self.positive)
        )
        return wald_reject(positives, negatives, self.share[::-1], miss, smoothing)

    def reject(self, r: float) -> None:
        """Take rows with scores up to r away."""
        self.alive &= self.score > r

    def weight(self, signs: Vector) -> Vector:
        """Return AdaBoost's weights of rows (n,); none where they are rejected."""
        margin = signs * self.score
        # The smallest margin is taken off, so that no weight overflows.
        decay = np.exp(margin[self.alive].min() - margin)
        weight = balanced(self.positive) * decay * self.alive
        return np.asarray(weight / weight.sum())

    def remaining(self) -> SurvivingRows:
        """Return the rows that are left."""
        survived = self.share * self.n_left()
        return SurvivingRows(self.score[self.alive], self.positive[self.alive], survived)


def wald_reject(
    positives: Vector, negatives: Vector, shares: ArrayLike, miss: float, smoothing: float
) -> float:
    """Return r for surviving rows with these scores; one row of a class stands for its share."""
    if len(positives) == 0 or len(negatives) == 0:
        return -np.inf
    low = min(positives.min(), negatives.min())
    high = max(positives.max(), negatives.max())
    width = smoothing * NORMAL_RULE * float(positives.std()) * len(positives) ** -0.2
    width = max(width, (high - low) / BINS, 1e-9)
    low, high = low - 3 * width, high + 3 * width
    step = (high - low) / BINS
    density = []
    for scores, share in zip((positives, negatives), np.asarray(shares), strict=True):
        counts = np.bincount(((scores - low) / step).astype(np.intp), minlength=BINS)
        density.append(
            share * gaussian_filter1d(counts.astype(float), width / step, mode="constant")
        )
    likely = (density[0] > miss * density[1]) & (density[0] > NOTHING)
    first = int(likely.argmax()) if likely.any() else BINS
    return low + first * step if first else -np.inf


@dataclass(eq=False, repr=False, kw_only=True)
class WaldBoostClassifier(CascadeClassifier):
    """AdaBoost with a likelihood ratio test after every base classifier.

    Parameters
    ----------
    learner : Learner, default=None
        Learns the base classifiers; None means ``Stump()``; ``Haar()`` for patches.
    n_jobs : int, default=1
        Threads of training and prediction, -1 for all cores. No result depends on it.
    random_state : int, RandomState or None, default=None
        Decides which rows are held out, and which features a ``Haar()`` learner draws.
    ensemble : model, default=None
        A fitted model whose base classifiers are taken as they come: anything that
        ``mddag.as_ensemble`` reads. Every row given to ``fit`` then sets thresholds. (Wrapped in
        ``FrozenEstimator`` it survives ``clone``.)
    n_rounds : int, default=200
        Most base classifiers.
    miss_rate : float, default=0.05
        Wald's bound: at most about this share of the positives is lost, often much less.
    smoothing : float, default=0.5
        Width of the Parzen window, in units of the width that fits a normal density best.
    policy_fraction : float, default=0.3
        Share of the rows held out for thresholds.

    Attributes
    ----------
    chain_, ensemble_, policy_, dag_, classes_, stopped_by_
        See ``CascadeClassifier``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mddag.detection import WaldBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = WaldBoostClassifier(n_rounds=20, random_state=0).fit(X, y)
    >>> bool(model.n_evaluated(X).mean() < len(model.ensemble_))
    True
    """

    whole_numbers = ("n_rounds",)
    fractions = ("policy_fraction", "miss_rate")

    ensemble: Any = None
    n_rounds: int = 200
    miss_rate: float = 0.05
    smoothing: float = 0.5
    policy_fraction: float = 0.3

    def _check_parameters(self) -> None:
        check_positive("smoothing", self.smoothing)

    def _train(self, rows: CascadeRows, seed: int) -> TrainedChain:
        trained = self._boosted(rows)
        return replace(trained, chain=_accepting(trained.chain))

    def _chain(self, votes: Vector, positive: Flags, bias: float = 0.0) -> Chain:
        rejects = self._rejects(votes[:, : self.n_rounds], positive, bias)
        return _accepting(Chain.of_steps(np.arange(len(rejects)), rejects, bias))

    def _boosted(self, rows: CascadeRows) -> TrainedChain:
        """Train up to "n_rounds", a "perfect" base classifier, or one no better than "chance"."""
        trees: list[Nodes] = []
        rejects: list[float] = []
        stopped_by = "n_rounds"
        here, held = (
            SurvivingRows(np.zeros(len(part)), part.labels > 0)
            for part in (rows.boosted, rows.held)
        )
        while len(trees) < self.n_rounds:
            found = rows.next_tree(here.weight(rows.signs))
            if found is None:
                stopped_by = "chance"
                break
            here.score = here.score + found.votes
            held.score = held.score + rows.held_votes(found.tree)
            r = held.threshold(self.miss_rate, self.smoothing)
            if min(here.n_left(r).min(), held.n_left(r).min()) < FEWEST:
                r = -np.inf  # the last rows of a class are not rejected, but boosted on to the end
            here.reject(r)
            held.reject(r)
            trees.append(found.tree)
            rejects.append(r)
            if found.is_perfect:
                stopped_by = "perfect"
                break
            if min(here.alive.mean(), held.alive.mean()) < CROWDED:
                rows = rows.kept(np.flatnonzero(here.alive), np.flatnonzero(held.alive))
                here, held = here.remaining(), held.remaining()
        return TrainedChain(trees, Chain.of_steps(np.arange(len(trees)), rejects), stopped_by)

    def _rejects(self, votes: Vector, positive: Flags, bias: float = 0.0) -> Vector:
        """Learn thresholds of base classifiers by their votes (n, N), until a class has no rows."""
        tested, rejects = SurvivingRows(np.full(len(positive), bias), positive), []
        for of_step in votes.T:
            tested.score = tested.score + of_step
            rejects.append(tested.threshold(self.miss_rate, self.smoothing))
            tested.reject(rejects[-1])
            if tested.n_left().min() == 0:
                break
        return np.array(rejects)


def _accepting(chain: Chain) -> Chain:
    """Return the chain with f > 0 wanted at the end, as in AdaBoost, where Wald's test goes on."""
    rejects = chain.rejects.copy()
    rejects[-1:] = np.maximum(rejects[-1:], 0.0)
    return replace(chain, rejects=rejects)
