"""QWYC in an order of its own: next is the base classifier after which most rows can quit.

"Quit when you can" (Wang, Gupta & You): rows whose partial sum is low or high enough quit, as long
as at most a share `rate` of all rows gets another label than by the full ensemble. The greedy order
takes, at each step, the base classifier with the smallest  price x rows still there / rows that
quit after it. Labels are not used; one score only. It costs O(n N^2), so it takes few rows, and
sums rounded to cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.arrays import spaced_rows
from mddag._utils.checks import Parameters, check_fraction, check_whole, checked_prices
from mddag.ensemble.votes import Votes
from mddag.policy.arrangement import Arrangement
from mddag.policy.mdp import MDP
from mddag.solvers.exits import QWYC, Bands, cuts

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


@dataclass
class QWYCOrder(Parameters):
    """The joint order of QWYC.

    rate     : share of the rows that may get another label than by the full ensemble
    max_rows : rows that are looked at, evenly spaced where there are more
    n_cells  : cells of the partial sums between which thresholds lie
    """

    rate: float = 0.01
    max_rows: int = 1000
    n_cells: int = 128

    def __post_init__(self) -> None:
        check_fraction("rate", self.rate, zero=True)
        check_whole("max_rows", self.max_rows, 1)
        check_whole("n_cells", self.n_cells, 2)

    def __call__(
        self, votes: Votes, costs: ArrayLike | None = None, weight: ArrayLike | None = None
    ) -> NDArray[np.intp]:
        """See `Ordering`."""
        prices = checked_prices("costs", costs, votes.tables.n_classifiers, "base classifier")
        weight = checked_prices("weight", weight, len(votes), "row")
        counting = np.flatnonzero(weight)
        rows = counting[spaced_rows(len(counting), self.max_rows)]
        dense = votes.rows(rows).dense()[:, :, 0]
        sums = np.full(len(rows), votes.tables.bias[0])
        return self._greedy(dense, sums, weight[rows], prices)

    def _greedy(
        self, votes: Matrix, sums: Vector, weight: Vector, prices: Vector
    ) -> NDArray[np.intp]:
        left, order = np.arange(len(prices)), []
        budget, full = self.rate * weight.sum(), sums + votes.sum(axis=1) > 0
        while len(left) and len(sums):
            after = sums[:, None] + votes[:, left]
            cells = self._cells(after)
            wrong = weight[:, None] * ((after > 0) != full[:, None])
            there, missed = (_by_cell(cells, w, self.n_cells) for w in (weight, wrong))
            low, high, quit_weight = cuts(there, missed, budget)
            # where no row can quit yet, the sum that disagrees least is the best to go on from
            worth = quit_weight / weight.sum() - 1e-6 * wrong.sum(axis=0) / weight.sum()
            best = int(_per_price(worth, prices[left]).argmax())
            stay = (cells[:, best] > low[best]) & (cells[:, best] < high[best])
            budget -= wrong[~stay, best].sum()
            order.append(left[best])
            sums, votes, weight, full = after[stay, best], votes[stay], weight[stay], full[stay]
            left = np.delete(left, best)
        return np.array([*order, *left], np.intp)

    def _cells(self, sums: Matrix) -> NDArray[np.intp]:
        low, high = sums.min(), sums.max()
        scale = (self.n_cells - 1) / (high - low) if high > low else 0.0
        cells: NDArray[np.intp] = ((sums - low) * scale).astype(np.intp)
        return cells


class OrderedQWYC(QWYC):
    """QWYC in its own order."""

    def candidates(self, mdp: MDP) -> Bands:
        """The full ensemble, then the rates."""
        order = QWYCOrder()(mdp.votes, mdp.costs, mdp.weight)
        bands = super().candidates(mdp.arranged(Arrangement(order)))
        bands.order = order
        return bands


def _by_cell(cells: NDArray[np.intp], weight: Vector | Matrix, n_cells: int) -> Matrix:
    """Histograms of the columns of cells (n, m), (m, n_cells)."""
    m = cells.shape[1]
    flat = cells + np.arange(m) * n_cells
    each = np.broadcast_to(weight if weight.ndim == 2 else weight[:, None], cells.shape)
    sums = np.bincount(flat.ravel(), each.ravel(), m * n_cells).astype(np.float64, copy=False)
    return sums.reshape(m, n_cells)


def _per_price(worth: Vector, prices: Vector) -> Vector:
    prices = np.maximum(prices, 1e-9)
    return np.where(worth > 0, worth / prices, worth * prices)
