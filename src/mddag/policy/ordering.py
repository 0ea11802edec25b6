"""Orderings: the sequence in which the base classifiers are considered.

A policy decides on h_1 … h_N in sequence, so those whose sum soon resembles the full score should
come first. The sequence of AdaBoost is already sorted by importance, that of gradient boosting is
not. An order has no weights: the full sum keeps its value.
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
    """Protocol of orderings: any callable of (votes, costs, weight) that returns a permutation.

    Examples
    --------
    >>> import numpy as np
    >>> import mddag
    >>> def largest_first(votes, costs=None, weight=None):
    ...     return np.argsort(-votes.tables.reach())
    >>> largest_first(mddag.Votes.from_dense([[1.0, -3.0, 2.0], [-1.0, 3.0, 2.0]]))
    array([1, 2, 0])
    """

    def __call__(
        self, votes: Votes, costs: ArrayLike | None = None, weight: ArrayLike | None = None
    ) -> NDArray[np.intp]:
        """Return the base classifiers in the order in which to consider them.

        Parameters
        ----------
        votes : Votes
            Votes of the base classifiers on a sample.
        costs : array-like of shape (N,), default=None
            Price of each base classifier; 1 by default.
        weight : array-like of shape (n,), default=None
            Weight of each row; 1 by default.

        Returns
        -------
        ndarray of shape (N,), intp
            A permutation.
        """
        ...


def checked_ordering(ordering: Any) -> None:
    """Raise TypeError unless `ordering` can order base classifiers."""
    if isinstance(ordering, type) or not callable(ordering):
        raise TypeError(
            f"ordering is {ordering!r}; wanted a callable of (votes, costs, weight), such as "
            "Correlation()"
        )


@dataclass
class Given(Ordering, Parameters):
    """Keep the given sequence.

    Examples
    --------
    >>> import mddag
    >>> from mddag.policy import Given
    >>> Given()(mddag.Votes.from_dense([[1.0, -3.0], [-1.0, 3.0]]))
    array([0, 1])
    """

    def __call__(
        self, votes: Votes, costs: ArrayLike | None = None, weight: ArrayLike | None = None
    ) -> NDArray[np.intp]:
        check_votes(votes)
        return np.arange(votes.tables.n_classifiers)


NEGLIGIBLE = 1e-9  # of |F|^2: a partial sum that varies less is a constant


@dataclass
class Correlation(Ordering, Parameters):
    """Order base classifiers greedily by how soon their sum correlates with the full score.

    With F = sum_j h_j, f the sum so far and <., .> the weighted covariance over the rows, next is
    the classifier that maximizes [corr(f + h_j, F) - corr(f, F)] / price_j. For K > 1 covariances
    are summed over the classes after centering, since a shift of all scores decides nothing. Labels
    are not used.

    Parameters
    ----------
    focus : float, default=1.0
        How much more rows with a narrow F count, as rows far from a tie have quit before: weights
        are ``exp(-focus |F| / rms F)``. 0 for equal weights.
    max_rows : int, default=20_000
        Number of evenly spaced rows to use; for K > 1 scores, rows times K.

    Notes
    -----
    One pass over the rows computes the matrix of all <h_j, h_l>; each step then costs O(N).
    Constants and factors between f and F do not matter here; levels (``arrangement``) add the
    constants.

    Examples
    --------
    >>> import numpy as np
    >>> import mddag
    >>> from mddag.policy import Correlation
    >>> votes = np.random.default_rng(0).normal(size=(100, 4)) * [0.1, 3.0, 1.0, 2.0]
    >>> Correlation()(mddag.Votes.from_dense(votes))
    array([1, 3, 2, 0])
    """

    focus: float = 1.0
    max_rows: int = 20_000

    def __post_init__(self) -> None:
        check_whole("max_rows", self.max_rows, 1)
        check_between("focus", self.focus, 0, np.inf, "a finite number, 0 or more")

    def __call__(
        self, votes: Votes, costs: ArrayLike | None = None, weight: ArrayLike | None = None
    ) -> NDArray[np.intp]:
        check_votes(votes)
        prices = checked_prices("costs", costs, votes.tables.n_classifiers, "base classifier")
        weight = checked_prices("weight", weight, len(votes), "row")
        sample, rows = sampled(votes, max(self.max_rows // votes.tables.n_scores, 1))
        weight = weight[rows] * narrowness(sample, self.focus, weight[rows])
        return greedy(covariances(sample, weight), prices)


def greedy(covariances: NDArray[np.float64], prices: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the order for covariances (N, N)."""
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
