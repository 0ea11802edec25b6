"""Wald's test on scores: reject where a positive is too unlikely to have come so far with them.

With p(s, survived | class) the density of the scores of a class among rows that survive so far,

    reject up to the largest r such that  p(s | positive) <= miss x p(s | negative)  for all s <= r.

miss is Wald's bound for a test that accepts nothing early: of the positives at most the share
miss x (share of the negatives that is rejected) is lost.
Densities are Parzen windows (Gaussian, on BINS bins), which fill the gaps between few rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

BINS = 256
NORMAL_RULE = 1.06  # the deviation times this times n^(-1/5) fits a normal density best
NOTHING = 1e-12  # a density of no row

Vector = NDArray[np.float64]


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
