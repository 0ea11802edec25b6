"""WaldBoost (Sochman & Matas 2005): AdaBoost that rejects rows while it is trained.

Each round adds the base classifier that AdaBoost would add on the rows not yet rejected, and then
rejects where Wald's test finds a positive too unlikely (``likelihood_ratio``). So later base
classifiers are trained for the rows that reach them. Likelihoods are of rows held out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.detection.cascades.chain import Chain
from mddag.detection.cascades.coded_rows import CodedRows, balanced, step_length
from mddag.detection.cascades.likelihood_ratio import wald_reject
from mddag.ensemble.nodes import Nodes

FEWEST_NEGATIVES = 20  # fewer are no sample to train on
CROWDED = 0.7  # where fewer rows than this share are left, the others are taken away

Vector = NDArray[np.float64]


@dataclass
class Ratio:
    """Wald's test on rows held out, step by step."""

    positive: NDArray[np.bool_]
    miss: float
    smoothing: float

    def __post_init__(self) -> None:
        self.score = np.zeros(len(self.positive))
        self.alive = np.ones(len(self.positive), bool)
        n_positive = max(int(self.positive.sum()), 1)
        self.shares = 1 / n_positive, 1 / max(len(self.positive) - n_positive, 1)

    def reject(self, votes: Vector) -> float:
        """The threshold after one more base classifier with these votes (n,)."""
        self.score += votes
        positives, negatives = (
            self.score[self.alive & of] for of in (self.positive, ~self.positive)
        )
        r = wald_reject(positives, negatives, self.shares, self.miss, self.smoothing)
        self.alive &= self.score > r
        return r


def wald_rejects(
    votes: Vector, positive: NDArray[np.bool_], *, miss: float, smoothing: float
) -> Vector:
    """Thresholds of base classifiers in their order, by votes (n, N) on rows held out.

    Fewer than N where a class runs out of rows.
    """
    ratio, rejects = Ratio(positive, miss, smoothing), []
    for t in range(votes.shape[1]):
        rejects.append(ratio.reject(votes[:, t]))
        if not (ratio.alive & positive).any() or not (ratio.alive & ~positive).any():
            break
    return np.array(rejects)


def wald_boost(
    boosted: CodedRows,
    held: CodedRows,
    learner: Any,
    *,
    n_rounds: int,
    miss: float,
    smoothing: float,
) -> tuple[list[Nodes], Chain, str]:
    """Base classifiers with votes ±alpha, the chain that they make, and why there are no more."""
    ratio = Ratio(held.positive, miss, smoothing)
    rows, signs, weight = boosted, boosted.signs, balanced(boosted.positive)
    score = np.zeros(len(rows))
    trees: list[Nodes] = []
    rejects: list[float] = []
    stopped_by = "n_rounds"
    while len(trees) < n_rounds:
        weight = weight / weight.sum()
        nodes, votes = rows.steepest(learner, weight * signs)
        alpha = step_length(float(weight[votes == signs].sum()), int(np.count_nonzero(weight)))
        if alpha <= 0:
            stopped_by = "chance"
            break
        trees.append(Nodes(nodes.records, alpha * nodes.votes, nodes.words))
        rejects.append(ratio.reject(held.votes(trees[-1])))
        score += alpha * votes
        weight = weight * np.exp(-alpha * votes * signs)
        weight[score <= rejects[-1]] = 0
        left = weight > 0
        if min(np.count_nonzero(left & of) for of in (rows.positive, ~rows.positive)) < 20:
            stopped_by = "negatives"
            break
        if np.count_nonzero(left) < CROWDED * len(left):
            kept = np.flatnonzero(left)
            rows, signs, weight, score = rows.taken(kept), signs[kept], weight[kept], score[kept]
    order = np.arange(len(trees))
    return trees, Chain.of_steps(order, np.array(rejects)), stopped_by
