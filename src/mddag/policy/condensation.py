"""Condensation: a few base classifiers with new weights whose sum approximates the full score.

Boosting takes many small steps, so many votes are nearly the same, and one of them with the weight
of all replaces them. For each class k, F_k ~ b_k + sum_{j in S} a_jk h_jk by least squares with a
ridge penalty, where S grows by orthogonal matching pursuit: next is the h_j with the largest
reduction of the squared error per price. Labels are not used; held-out rows decide elsewhere how
many are enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from mddag.ensemble.rescaling import Rescaling
from mddag.ensemble.votes import Votes
from mddag.policy.arrangement import Arrangement
from mddag.policy.covariances import (
    class_covariances,
    covariances_with,
    mean_votes,
    narrowness,
    sampled,
    shares,
)

RIDGE = 1e-4  # of the mean variance of a base classifier's votes
NEGLIGIBLE = 1e-9  # a price
TINY = np.finfo(float).tiny
MAX_ROWS = 20_000  # that are looked at, evenly spaced where there are more; rows times K
MOST, LEAST = 256, 8  # base classifiers to condense to, by default
MOST_PRODUCTS = 2**25  # covariances in memory, by default: 256 MB
Vector = NDArray[np.float64]


def usual_sizes(
    n_classifiers: int, every: int = 1, n_scores: int = 1, *, closely: bool = False
) -> tuple[int, ...]:
    """Return a third of the base classifiers and three times half as many, in whole decisions.

    With several classes, which need more, or to be followed closely, half of them are added.
    """
    if n_scores * n_classifiers**2 > MOST_PRODUCTS:
        return ()
    wanted = [min(n_classifiers // 3, MOST) // 2**i for i in range(4)]
    if n_scores > 1 or closely:
        wanted.insert(0, min(n_classifiers // 2, MOST))
    whole = [-(-size // every) * every for size in wanted if size >= LEAST]
    return tuple(size for size in dict.fromkeys(whole) if size < n_classifiers)


@dataclass(frozen=True, eq=False)
class Condensation:
    """The pursuit up to a largest size; what it chose for a smaller one comes first."""

    means: Vector  # (N, K), means of the votes
    level: Vector  # (K,), mean of the wanted scores, above the bias
    chosen: NDArray[np.intp]  # (most,), base classifiers in the order in which they were chosen
    lower: Vector  # (K, most, most), L of their covariances L D L', with ones on the diagonal
    reduced: Vector  # (K, most), weight of each if it were the last; L' a = reduced

    @classmethod
    def of(
        cls,
        votes: Votes,
        most: int,
        costs: Vector | None = None,
        weight: Vector | None = None,
        focus: float = 1.0,
        *,
        wanted: Vector | None = None,
        ridge: float = RIDGE,
    ) -> Condensation:
        """Condense to `most` base classifiers.

        The sum follows the scores `wanted` (n, K), by default the full ones. `focus` is how much
        more rows with a narrow score count, `ridge` the penalty in units of the mean variance of a
        base classifier's votes.
        """
        n_classifiers = votes.tables.n_classifiers
        prices = np.ones(n_classifiers) if costs is None else costs
        weight = np.ones(len(votes)) if weight is None else weight
        sample, rows = sampled(votes, max(MAX_ROWS // votes.tables.n_scores, 1))
        weight = weight[rows] * narrowness(sample, focus, weight[rows])
        products, means = class_covariances(sample, weight), mean_votes(sample, weight)
        if wanted is None:
            missing, level = products.sum(axis=2), means.sum(axis=0)
        else:
            missing = covariances_with(sample, weight, wanted[rows])
            level = shares(weight) @ wanted[rows] - votes.tables.bias
        missing[np.diagonal(products, axis1=1, axis2=2) <= 0] = 0.0  # constants have no part in it
        for of_class in products:
            diagonal = np.diag_indices(n_classifiers)
            of_class[diagonal] += max(ridge * np.trace(of_class) / n_classifiers, TINY)
        return cls(means, level, *pursued(products, missing, prices, most))

    def arrangement(self, size: int) -> Arrangement:
        """Return the first `size` that were chosen, with their weights."""
        kept, scale, n = self.chosen[:size], np.zeros_like(self.means), len(self.means)
        for k, (lower, reduced) in enumerate(zip(self.lower, self.reduced, strict=True)):
            upper = lower[:size, :size].T
            scale[kept, k] = solve_triangular(upper, reduced[:size], unit_diagonal=True)
        start = self.level - (scale * self.means).sum(axis=0)
        order = np.concatenate([kept, np.setdiff1d(np.arange(n), kept)])
        return Arrangement(order, Rescaling(start, np.zeros_like(self.means), scale), size)


def pursued(
    products: Vector, missing: Vector, prices: Vector, most: int
) -> tuple[NDArray[np.intp], Vector, Vector]:
    """Return `chosen`, `lower` and `reduced` for covariances (K, N, N) that include the ridge.

    `missing` (K, N) are the covariances with the wanted scores, which are used up. A base
    classifier that is chosen is swept out of what F has in common with all, and later ones are
    swept by it before they are: one column of L and one entry of D a step.
    """
    n_scores, n = products.shape[:2]
    variances = np.diagonal(products, axis1=1, axis2=2)
    prices = np.maximum(prices, NEGLIGIBLE)  # what is free comes first, by its gain
    chosen, left = np.empty(most, np.intp), np.ones(n, bool)
    columns, pivots = np.empty((n_scores, n, most)), np.empty((n_scores, most))
    reduced = np.empty_like(pivots)
    for step in range(most):
        gains = (missing**2 / variances).sum(axis=0) / prices
        j = chosen[step] = int(np.where(left, gains, -1.0).argmax())
        left[j] = False
        for k, covariances in enumerate(products):
            before = columns[k, :, :step]
            column = covariances[j] - before @ (pivots[k, :step] * before[j])
            pivots[k, step] = column[j]
            columns[k, :, step] = column / column[j]
            reduced[k, step] = missing[k, j] / column[j]
            missing[k] -= column * reduced[k, step]
    return chosen, np.tril(columns[:, chosen], -1) + np.eye(most), reduced
