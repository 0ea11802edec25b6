"""Orderings: the sequence in which the base classifiers are considered.

A policy decides on h_1 … h_N in sequence, so those whose sum soon resembles the full score should
come first. The sequence of AdaBoost is already sorted by importance, that of gradient boosting is
not. An order has no weights: the full sum keeps its value. It is made from covariances of votes,
<h_j, h_l> over rows; labels are not used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.arrays import spaced_rows
from mddag._utils.checks import Parameters, check_between, check_whole, checked_prices
from mddag.ensemble.votes import Votes, check_votes


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


BLOCK = 250_000  # votes that stand in memory as numbers at a time: 2 MB


def covariances(votes: Votes, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the covariances of the votes of h_j and h_l for all classes together, (N, N)."""
    n_classifiers, n_scores = votes.tables.n_classifiers, votes.tables.n_scores
    products = np.zeros((n_classifiers, n_classifiers))
    means, unit = np.zeros((n_scores, n_classifiers)), _unit(votes)
    for share, block in _vote_blocks(votes, weight, unit):
        if n_scores > 1:
            block -= block.mean(axis=2, keepdims=True)
        means += np.einsum("i,ijk->kj", share, block)
        block *= np.sqrt(share)[:, None, None]
        flat = block.transpose(0, 2, 1).reshape(len(block) * n_scores, n_classifiers)
        products += _gram(flat.astype(np.float32))
    products -= means.T @ means
    products *= unit**2
    return products


def class_covariances(votes: Votes, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the covariances of the votes of h_j and h_l for each class, (K, N, N)."""
    n_classifiers, n_scores = votes.tables.n_classifiers, votes.tables.n_scores
    products = np.zeros((n_scores, n_classifiers, n_classifiers))
    means, unit = np.zeros((n_scores, n_classifiers)), _unit(votes)
    for share, block in _vote_blocks(votes, weight, unit):
        means += np.einsum("i,ijk->kj", share, block)
        block *= np.sqrt(share)[:, None, None]
        of_class = block.transpose(2, 0, 1).astype(np.float32)
        for total, part in zip(products, of_class, strict=True):
            total += _gram(part)
    for total, mean in zip(products, means, strict=True):
        total -= np.outer(mean, mean)
    products *= unit**2
    return products


def covariances_with(
    votes: Votes, weight: NDArray[np.float64], wanted: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the covariances of the votes of h_j and wanted scores (n, K), (K, N)."""
    tables, n_leaves = votes.tables, votes.tables.n_leaves
    share = shares(weight)
    pull = share[:, None] * (wanted - share @ wanted)  # about the mean: votes need not be
    found = np.zeros((tables.n_scores, tables.n_classifiers))
    for j in range(tables.n_classifiers):
        for t in range(tables.rounds[j], tables.rounds[j + 1]):
            score, table = tables.score[t], tables.table(t)
            for k in range(tables.n_scores) if score < 0 else (score,):
                pulls = np.bincount(votes.codes[:, t], pull[:, k], n_leaves[t])
                found[k, j] += pulls @ table[:, k]
    return found


def _vote_blocks(
    votes: Votes, weight: NDArray[np.float64], unit: float
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Yield the rows' shares of all weight (m,) and their votes (m, N, K), block by block."""
    first = int((weight > 0).argmax())  # that counts
    share, origin = shares(weight), votes.rows(slice(first, first + 1)).dense()
    for rows in _blocks(len(votes), votes):
        yield share[rows], (votes.rows(rows).dense() - origin) / unit


def _unit(votes: Votes) -> float:
    """Return a power of 2, so that nothing is rounded, about as large as the largest vote."""
    largest = float(votes.tables.reach().max(initial=0.0))
    return float(2.0 ** np.floor(np.log2(largest))) if largest > 0 else 1.0


def mean_votes(votes: Votes, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of h_jk over the rows, (N, K); 0 if all weights are 0."""
    tables, n_leaves, total = votes.tables, votes.tables.n_leaves, weight.sum()
    means = np.zeros((tables.n_classifiers, tables.n_scores))
    for j in range(tables.n_classifiers if total > 0 else 0):
        for t in range(tables.rounds[j], tables.rounds[j + 1]):
            counts = np.bincount(votes.codes[:, t], weight, n_leaves[t])
            means[j] += counts / total @ tables.table(t)
    return means


def shares(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale weights to sum to 1; they stay 0 if all are."""
    total = weight.sum()
    return weight / total if total > 0 else weight


def sampled(votes: Votes, most: int) -> tuple[Votes, NDArray[np.intp]]:
    """Return the votes on at most `most` evenly spaced rows, and which rows these are."""
    rows = spaced_rows(len(votes), most)
    return (votes if len(rows) == len(votes) else votes.rows(rows)), rows


def narrowness(
    votes: Votes, focus: float, weight: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return exp(-focus m / rms m), (n,), where m is |F| or the margin of the two best scores.

    `weight` is that of the rows in the mean of m^2, (n,); 1 by default.
    """
    scores = votes.scores()
    if scores.shape[1] == 1:
        margin = np.abs(scores[:, 0])
    else:
        scores.partition(-2, axis=1)
        margin = scores[:, -1] - scores[:, -2]
    counts = weight is None or weight.any()
    rms = np.sqrt(np.average(margin**2, weights=weight)) if counts else 0.0
    return np.exp(-focus * margin / rms) if rms > 0 else np.ones(len(margin))


def _blocks(n: int, votes: Votes) -> Iterator[slice]:
    """Split n rows into parts whose votes as numbers fit into `BLOCK`."""
    size = max(BLOCK // max(votes.tables.n_classifiers * votes.tables.n_scores, 1), 1)
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def _gram(block: NDArray[np.float32]) -> NDArray[np.float32]:
    """Multiply columns; in float32 the BLAS is twice as fast, and sums of blocks are float64."""
    return block.T @ block
