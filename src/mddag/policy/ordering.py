"""The contract of an ordering: votes of base classifiers come in, a better sequence goes out.

A policy decides on h_1 … h_N in sequence, so those whose sum soon resembles the full score should
come first. The paper takes the sequence "sorted by importance"; AdaBoost's is, a gradient-boosted
one is not. An order is a permutation without weights: the full sum keeps its value.

    arrangement = arranged(ordering, mdp.votes)
    policy = solver.solve(mdp.arranged(arrangement, grid)).after(arrangement)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.checks import Parameters, check_between, check_whole, checked_prices
from mddag.ensemble.votes import Votes, check_votes
from mddag.policy.covariances import covariances, narrowness, sampled


class Ordering(Protocol):
    """Any callable of (votes, costs, weight) that returns a permutation is an order."""

    def __call__(
        self, votes: Votes, costs: ArrayLike | None = None, weight: ArrayLike | None = None
    ) -> NDArray[np.intp]:
        """Base classifiers in the order in which to evaluate them, intp (N,).

        costs  : price of each base classifier (N,), 1 by default
        weight : what each row counts for (n,), 1 by default
        """
        ...


def checked_ordering(ordering: Any) -> None:
    """Refuse what cannot order base classifiers."""
    if isinstance(ordering, type) or not callable(ordering):
        raise TypeError(
            f"ordering is {ordering!r}; wanted a callable of (votes, costs, weight), such as "
            "Correlation()"
        )


@dataclass
class Given(Parameters):
    """The sequence as it is: AdaBoost's, or one that was sorted before."""

    def __call__(
        self, votes: Votes, costs: ArrayLike | None = None, weight: ArrayLike | None = None
    ) -> NDArray[np.intp]:
        """See `Ordering`."""
        check_votes(votes)
        return np.arange(votes.tables.n_classifiers)


NEGLIGIBLE = 1e-9  # of |F|^2: a partial sum that varies less is a constant


@dataclass
class Correlation(Parameters):
    """Greedy order by correlation with the full score, per price where prices differ.

    With F = sum_j h_j, and <., .> the weighted covariance over the rows (for K > 1 summed over the
    classes, after centring over them, since a shift of all scores decides nothing),

        next = argmax_j [ corr(f + h_j, F) - corr(f, F) ] / price_j,
        corr(f, F) = <f, F> / |f| |F|.

    Constants and factors between f and F do not matter here; levels (``arrangement``) add the
    constants. Rows with a narrow F have larger weights, w = exp(-focus |F| / |F|_rms): other rows
    have quit before. One pass over the rows makes the matrix of all <h_j, h_l>; after that a step
    costs O(N). Labels are not used.

    focus    : how much more the rows count that are decided narrowly; 0 for all alike
    max_rows : rows that are looked at, evenly spaced where there are more; of K > 1 scores, rows
               times K
    """

    focus: float = 1.0
    max_rows: int = 20_000

    def __post_init__(self) -> None:
        check_whole("max_rows", self.max_rows, 1)
        check_between("focus", self.focus, 0, np.inf, "a finite number, 0 or more")

    def __call__(
        self, votes: Votes, costs: ArrayLike | None = None, weight: ArrayLike | None = None
    ) -> NDArray[np.intp]:
        """See `Ordering`."""
        check_votes(votes)
        prices = checked_prices("costs", costs, votes.tables.n_classifiers, "base classifier")
        weight = checked_prices("weight", weight, len(votes), "row")
        sample, rows = sampled(votes, max(self.max_rows // votes.tables.n_scores, 1))
        weight = weight[rows] * narrowness(sample, self.focus, weight[rows])
        return greedy(covariances(sample, weight), prices)


def greedy(covariances: NDArray[np.float64], prices: NDArray[np.float64]) -> NDArray[np.intp]:
    """The order, from covariances (N, N)."""
    with_full, squares = covariances.sum(axis=1), np.diag(covariances)
    with_sum, square, product, reached = np.zeros(len(prices)), 0.0, 0.0, 0.0
    floor = max(NEGLIGIBLE * covariances.sum(), np.finfo(float).tiny)
    prices = np.maximum(prices, NEGLIGIBLE)  # what is free comes first, by its gain
    left, order = np.ones(len(prices), bool), np.empty(len(prices), np.intp)
    for step in range(len(prices)):
        norms = np.sqrt(np.maximum(square + 2 * with_sum + squares, floor))
        gains = (product + with_full) / norms - reached
        worth = np.where(gains > 0, gains / prices, gains * prices)
        j = int(np.where(left, worth, -np.inf).argmax())
        order[step], left[j] = j, False
        reached += gains[j]
        product += with_full[j]
        square += 2 * with_sum[j] + squares[j]
        with_sum += covariances[j]
    return order
