"""Condensation: a few base classifiers, reweighed, whose sum follows the full score.

Boosting takes many small steps, and many of them say nearly the same: a stump that comes again and
again, trees of one learning rate that split alike. One of these, with the weight of all, says it
for one evaluation. So

    F ~ b + sum_{j in S} a_j h_j,     a = argmin |F - b - sum_{j in S} a_j h_j|^2 + ridge |a|^2,

where S grows by orthogonal matching pursuit: next is the h_j whose part of what is still missing is
largest, per price. Everything follows from the covariances of the votes; labels are not needed.
Instead of F the sum may follow other scores, such as those of a teacher.

Unlike an order this gives up the full sum: those who evaluate all of S get an approximation of F.
How many base classifiers are enough is for held-out rows to say.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._checks import check_whole
from mddag.arrangement import Arrangement
from mddag.covariances import covariances, covariances_with, mean_votes, narrowness, sampled, shares
from mddag.ordering.order import checked_numbers
from mddag.revision import Revision
from mddag.votes import Votes

RIDGE = 1e-4  # of the mean variance of a base classifier's votes
NEGLIGIBLE = 1e-9  # a price
MAX_ROWS = 20_000  # that are looked at, evenly spaced where there are more; rows times K
MOST, LEAST = 256, 8  # base classifiers to condense to, unless asked otherwise
Vector = NDArray[np.float64]


def usual_sizes(n_classifiers: int, every: int = 1) -> tuple[int, ...]:
    """A third of the base classifiers and half as many thrice, in whole decisions."""
    wanted = [min(n_classifiers // 3, MOST) // 2**i for i in range(4)]
    whole = [-(-size // every) * every for size in wanted if size >= LEAST]
    return tuple(size for size in dict.fromkeys(whole) if size < n_classifiers)


@dataclass(frozen=True, eq=False)
class Condensation:
    """The pursuit, up to a largest size; what it chose for a smaller one comes first.

    means       : float64 (N, K), of the votes
    level       : float64 (K,), the mean of what is wanted, above the bias
    products    : float64 (N, N), <h_j, h_l>, with the ridge
    with_wanted : float64 (N,), <h_j, F>, or with what is wanted instead
    chosen      : intp (most,), base classifiers in the order in which they were chosen
    """

    means: Vector
    level: Vector
    products: Vector
    with_wanted: Vector
    chosen: NDArray[np.intp]

    @classmethod
    def of(
        cls,
        votes: Votes,
        most: int,
        costs: ArrayLike | None = None,
        weight: ArrayLike | None = None,
        focus: float = 1.0,
        *,
        wanted: Vector | None = None,
        ridge: float = RIDGE,
    ) -> Condensation:
        """Condense to `most` base classifiers.

        costs, weight : prices of base classifiers (N,), weights of rows (n,); 1 by default
        focus         : how much more rows count that are decided narrowly; 0 for all alike
        wanted        : scores (n, K) that the sum is to follow; the full ones by default
        ridge         : in units of the mean variance of a base classifier's votes
        """
        n_classifiers = votes.tables.n_classifiers
        check_whole("most", most, 1)
        if most > n_classifiers:
            raise ValueError(f"most is {most}, but there are {n_classifiers} base classifiers")
        if wanted is not None and wanted.shape != (len(votes), votes.tables.n_scores):
            raise ValueError(
                f"wanted scores have shape {wanted.shape}; wanted one per row and score of the "
                f"votes, {(len(votes), votes.tables.n_scores)}"
            )
        prices = checked_numbers("costs", costs, n_classifiers)
        weight = checked_numbers("weight", weight, len(votes))
        sample, rows = sampled(votes, max(MAX_ROWS // votes.tables.n_scores, 1))
        weight = weight[rows] * narrowness(sample, focus)
        products = covariances(sample, weight)
        means = mean_votes(sample, weight)
        if wanted is None:
            with_wanted, level = products.sum(axis=1), means.sum(axis=0)
        else:
            with_wanted = covariances_with(sample, weight, wanted[rows])
            level = shares(weight) @ wanted[rows] - votes.tables.bias
        ridge = max(ridge * np.trace(products) / n_classifiers, np.finfo(float).tiny)
        products[np.diag_indices_from(products)] += ridge
        chosen = pursued(products, with_wanted, prices, most)
        return cls(means, level, products, with_wanted, chosen)

    def arrangement(self, size: int) -> Arrangement:
        """The first `size` that were chosen, with the weights that these want."""
        check_whole("size", size, 1)
        if size > len(self.chosen):
            raise ValueError(f"size is {size}, but only {len(self.chosen)} were chosen")
        kept, n = self.chosen[:size], len(self.products)
        scale = np.zeros(n)
        scale[kept] = _weights(self.products, self.with_wanted, kept)
        start = self.level - scale @ self.means
        order = np.concatenate([kept, np.setdiff1d(np.arange(n), kept)])
        return Arrangement(order, Revision(start, np.zeros_like(self.means), scale), size)


def pursued(products: Vector, with_wanted: Vector, prices: Vector, most: int) -> NDArray[np.intp]:
    """The first `most` base classifiers, from covariances (N, N) and those with what is wanted."""
    variances = np.maximum(np.diag(products), np.finfo(float).tiny)
    prices = np.maximum(prices, NEGLIGIBLE)  # what is free comes first, by what it tells
    missing, chosen = with_wanted, np.empty(0, np.intp)
    left = np.ones(len(products), bool)
    for _ in range(most):
        gains = missing**2 / variances / prices
        j = int(np.where(left, gains, -1.0).argmax())
        left[j] = False
        chosen = np.append(chosen, j)
        missing = with_wanted - products[:, chosen] @ _weights(products, with_wanted, chosen)
    return chosen


def _weights(products: Vector, with_wanted: Vector, chosen: NDArray[np.intp]) -> Vector:
    among = products[np.ix_(chosen, chosen)]
    return np.asarray(np.linalg.solve(among, with_wanted[chosen]), np.float64)
