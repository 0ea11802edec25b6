"""Correlation: next is the base classifier that most raises the correlation with the full score.

With F = f^(0) + sum_j h_j, and <., .> the weighted mean over the rows of products (for K > 1 summed
over the classes, after centring over them, since a shift of all scores decides nothing),

    next = argmax_j  [ corr(f + h_j, F) - corr(f, F) ] / price_j,     corr(f, F) = <f, F> / |f| |F|.

The correlation is about zero, not about the mean, and f begins with the bias f^(0): quitting
returns the sign of f, so a partial sum that follows F around another level is of no use. Rows that
F decides narrowly count for more, w = exp(-focus |F| / |F|_rms): the others will have quit.

One pass over the rows makes the matrix of all <h_j, h_l>; after that a step costs O(N). It needs no
labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._checks import check_whole
from mddag.ordering.order import blocks, checked_numbers, spaced_rows
from mddag.parameters import Parameters
from mddag.votes import Votes

NEGLIGIBLE = 1e-9  # of |F|^2: a partial sum that is smaller has told nothing


@dataclass
class Correlation(Parameters):
    """Greedy order by correlation with the full score, per price where prices differ.

    focus    : how much more the rows count that are decided narrowly; 0 for all alike
    max_rows : rows that are looked at, evenly spaced where there are more; of K > 1 scores, rows
               times K
    """

    focus: float = 1.0
    max_rows: int = 20_000

    def __post_init__(self) -> None:
        check_whole("max_rows", self.max_rows, 1)
        if not 0 <= self.focus < np.inf:
            raise ValueError(f"focus is {self.focus}; wanted a finite number, 0 or more")

    def __call__(
        self, votes: Votes, costs: ArrayLike | None = None, weight: ArrayLike | None = None
    ) -> NDArray[np.intp]:
        """See `Ordering`."""
        prices = checked_numbers("costs", costs, votes.tables.n_classifiers)
        weight = checked_numbers("weight", weight, len(votes))
        rows = spaced_rows(len(votes), max(self.max_rows // votes.tables.n_scores, 1))
        sample, weight = votes.rows(rows), weight[rows]
        return greedy(moments(sample, weight * narrowness(sample, self.focus)), prices)


def narrowness(votes: Votes, focus: float) -> NDArray[np.float64]:
    """exp(-focus m / rms m), m being |F| or the margin between the two best scores, (n,)."""
    scores = votes.scores()
    if scores.shape[1] == 1:
        margin = np.abs(scores[:, 0])
    else:
        scores.partition(-2, axis=1)
        margin = scores[:, -1] - scores[:, -2]
    rms = np.sqrt(np.mean(margin**2))
    return np.exp(-focus * margin / rms) if rms > 0 else np.ones(len(margin))


def moments(votes: Votes, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean products of the bias, first, and the votes of each h_j, (N + 1, N + 1)."""
    n_classifiers, bias = votes.tables.n_classifiers, votes.tables.bias
    total = np.zeros((n_classifiers + 1, n_classifiers + 1))
    for rows in blocks(len(votes), votes):
        terms = np.empty((rows.stop - rows.start, n_classifiers + 1, len(bias)))
        terms[:, 0], terms[:, 1:] = bias, votes.rows(rows).dense()
        if len(bias) > 1:
            terms -= terms.mean(axis=2, keepdims=True)
        terms *= np.sqrt(weight[rows])[:, None, None]
        # float32 products of the BLAS are twice as fast; their sums are kept in float64
        flat = terms.transpose(0, 2, 1).reshape(-1, n_classifiers + 1).astype(np.float32)
        total += flat.T @ flat
    return total


def greedy(moments: NDArray[np.float64], prices: NDArray[np.float64]) -> NDArray[np.intp]:
    """From mean products (N + 1, N + 1); the first row is the bias, which is in every sum."""
    with_full, squares = moments.sum(axis=1)[1:], np.diag(moments)[1:]
    with_sum, square, product = moments[0, 1:].copy(), moments[0, 0], moments[0].sum()
    floor = max(NEGLIGIBLE * moments.sum(), np.finfo(float).tiny)
    prices = np.maximum(prices, NEGLIGIBLE)  # what is free comes first, by what it tells
    reached = product / np.sqrt(max(square, floor))
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
        with_sum += moments[1 + j, 1:]
    return order
