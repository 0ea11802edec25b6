"""SoftCascade (Bourdev & Brandt 2005): a pool of base classifiers, put in order with rejection.

The share 1 - D of the positives that may be lost is spread over the steps t = 1 … T:

    v_t = k exp(alpha t / T) for alpha >= 0,  k exp(-alpha (1 - t / T)) for alpha < 0,  sum = 1 - D

so alpha < 0 spends it early, which is fast. Each step takes the base classifier with the largest
balanced edge, the mean of its votes over surviving positives minus that over surviving negatives,
and then rejects up to the largest threshold that keeps the losses within v_1 + … + v_t. The votes
stay those of the pool.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.checks import check_between, check_fraction, check_whole
from mddag.boosting.training_set import TrainingSet
from mddag.detection.cascade import CascadeClassifier, Chain, Trained, highest_reject
from mddag.detection.cascade_rows import Supply, adaboost

Vector = NDArray[np.float64]

# Edges this close are equal but for rounding, which differs between machines: the first is taken.
TIE = 1e-9


def miss_budget(n_steps: int, detection_rate: float, alpha: float) -> Vector:
    """v_t, float64 (T,): the share of the positives that each step may lose."""
    t = np.arange(1, n_steps + 1) / n_steps
    shape = np.exp(alpha * (t - 1)) if alpha >= 0 else np.exp(-alpha * -t)  # at most 1: finite
    budget: Vector = shape * ((1 - detection_rate) / shape.sum())
    return budget


def soft_cascade(
    votes: Vector,
    positive: NDArray[np.bool_],
    *,
    n_steps: int,
    detection_rate: float,
    alpha: float,
    bias: float = 0.0,
) -> Chain:
    """The chain of at most `n_steps` stages over the pool with these votes (n, N).

    It ends early where no negative is left to be rejected.
    """
    budget = miss_budget(n_steps, detection_rate, alpha)
    parts = _Surviving(votes[positive]), _Surviving(votes[~positive])
    n_positive, spare = len(parts[0].score), 0.0
    unused = np.ones(votes.shape[1], bool)
    order, rejects = [], []
    for t in range(min(n_steps, votes.shape[1])):
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


class _Surviving:
    """The rows of one class that no step has rejected, and the sums of their votes.

    Sums are taken down by the rows that go, so the work is one pass over all votes.
    """

    def __init__(self, votes: Vector) -> None:
        self.votes = votes
        self.alive = np.arange(len(votes))
        self.score = np.zeros(len(votes))
        self.sums = votes.sum(axis=0)

    @property
    def mean_votes(self) -> Vector:
        mean: Vector = self.sums / max(len(self.alive), 1)
        return mean

    def add(self, h: int) -> None:
        self.score = self.score + self.votes[self.alive, h]

    def drop(self, reject: float) -> int:
        """Reject rows up to this score; how many."""
        out = self.score <= reject
        n_out = int(np.count_nonzero(out))
        if n_out:
            self.sums -= self.votes[self.alive[out]].sum(axis=0)
            self.alive, self.score = self.alive[~out], self.score[~out]
        return n_out


@dataclass(eq=False, repr=False, kw_only=True)
class SoftCascadeClassifier(CascadeClassifier):
    """A cascade made of the base classifiers of an ensemble, one a stage.

    Parameters
    ----------
    learner : Learner, default None
        Learns the base classifiers of the pool; None means ``Stump()``; ``Haar()`` for patches.
    ensemble : estimator or model, default None
        The pool: anything that ``mddag.as_ensemble`` reads. If fitted (or wrapped in
        ``FrozenEstimator``, which survives ``clone``) it is used as it is, and every row given to
        ``fit`` sets thresholds. None means ``AdaBoostMHClassifier(learner, n_rounds=pool_size)``.
    pool_size : int, default 200
        Base classifiers of a pool that is trained here.
    n_steps : int, default 100
        Most base classifiers of the cascade, T.
    detection_rate : float, default 0.95
        Share of the positives to be kept to the end, D.
    alpha : float, default 0.0
        How the losses are spread over the steps: early for alpha < 0, late for alpha > 0.
    policy_fraction : float, default 0.3
        Share of the rows held out for order and thresholds where the pool is trained here.
    n_threads : int, default 1
        Threads of training and prediction, -1 for all cores. No result depends on it.
    random_state : int, RandomState or None, default None
        Decides which rows are held out, and which features a ``Haar()`` learner draws.

    Attributes
    ----------
    chain_, ensemble_, policy_, dag_, classes_, stopped_by_
        See ``CascadeClassifier``.
    """

    refills = False

    ensemble: Any = None
    pool_size: int = 200
    n_steps: int = 100
    detection_rate: float = 0.95
    alpha: float = 0.0
    policy_fraction: float = 0.3

    def _check_parameters(self) -> None:
        check_fraction("policy_fraction", self.policy_fraction, zero=False)
        check_whole("pool_size", self.pool_size, 1)
        check_whole("n_steps", self.n_steps, 1)
        check_fraction("detection_rate", self.detection_rate, zero=False)
        check_between("alpha", self.alpha, -700, 700, "a number from -700 to 700, such as -4")

    def _train(self, given: TrainingSet, supply: Supply | None, seed: int) -> Trained:
        material = self._parted(given, seed, self.policy_fraction)
        rounds = islice(adaboost(material.coded, material.learner), self.pool_size)
        trees = [nodes for nodes, _ in rounds]
        held = material.aside
        votes = np.array([held.votes(nodes) for nodes in trees]).reshape(len(trees), len(held)).T
        return Trained(trees, self._chain(votes, held.positive), "n_steps")

    def _chain(self, votes: Vector, positive: NDArray[np.bool_], bias: float = 0.0) -> Chain:
        return soft_cascade(
            votes,
            positive,
            n_steps=self.n_steps,
            detection_rate=self.detection_rate,
            alpha=self.alpha,
            bias=bias,
        )
