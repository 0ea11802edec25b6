"""SoftCascade (Bourdev & Brandt 2005): a pool of base classifiers, put in order with rejection.

The share 1 - D of the positives that may be lost is spread over the steps t = 1 … T:

    v_t = k exp(alpha t / T) for alpha >= 0,  k exp(-alpha (1 - t / T)) for alpha < 0,  sum = 1 - D

so alpha < 0 spends it early, which is fast. Each step takes the base classifier with the largest
balanced edge, the mean of its votes over surviving positives minus that over surviving negatives,
and then rejects up to the largest threshold that keeps the losses within v_1 + … + v_t. The votes
stay those of the pool.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mddag.detection.cascades.chain import Chain, highest_reject

Vector = NDArray[np.float64]


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
        h = int(edge.argmax())
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
    return Chain.of_steps(np.array(order), np.array(rejects))


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
