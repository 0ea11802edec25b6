"""Cascades: the candidates of ``Rejection``, and what rows do in them.

A candidate has a setting (an order, a final length T, a price beta) and the reject thresholds that
were learned for it. The policy of a cascade needs one cell boundary alone: with the levels

    f'_t = f_t - r_t  for t < T,       f'_T = f_T - theta

as constants of the votes (``Rescaling``) a row quits where f' <= 0, up to rounding. So the sign of
f' is the verdict everywhere: a row that was rejected is of class 0, at the end f > theta is 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.rescaling import Rescaling
from mddag.ensemble.votes import Tables, Votes, partial_sums
from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, QUIT, Policy
from mddag.solvers.rejection.operating_point import Ends
from mddag.solvers.rejection.thresholds import NEVER, last_steps, shares_by_class

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Setting:
    """order: its number among the orders; length: T; beta: the price of one evaluation."""

    order: int
    length: int
    beta: float


@dataclass(frozen=True, eq=False)
class Passing:
    """Rows in a cascade.

    ends  : their scores, -inf where they were rejected
    steps : (n,), how many they evaluate
    price : (T + 1,), of that many steps
    """

    ends: Ends
    steps: NDArray[np.int32]
    price: Floats

    @property
    def mean_cost(self) -> float:
        """On negatives."""
        return float(self.ends.negative_shares @ self.price[self.steps[~self.ends.positive]])

    @property
    def mean_steps(self) -> float:
        """On negatives."""
        return float(self.ends.negative_shares @ self.steps[~self.ends.positive])


@dataclass(frozen=True, eq=False)
class Cascade:
    """One order and its thresholds.

    order      : (N,), base classifiers
    thresholds : (T,), -inf where nothing is rejected
    theta      : what the score at the end must exceed
    ties_pass  : whether rows within rounding of theta pass; else they do not
    """

    order: NDArray[np.intp]
    thresholds: Floats
    theta: float = 0.0
    ties_pass: bool = False

    @property
    def length(self) -> int:
        return len(self.thresholds)

    def at(self, theta: float, ties_pass: bool = False) -> Cascade:
        """The same with another threshold at the end."""
        return replace(self, theta=theta, ties_pass=ties_pass)

    def passing(
        self,
        sums: Floats,
        positive: NDArray[np.bool_],
        costs: Floats,
        weight: Floats | None = None,
    ) -> Passing:
        """What rows with the sums f_1 … f_T' (T', n), T' >= T, in this order do."""
        last = last_steps(sums, self.thresholds)
        scores = np.where(last < self.length - 1, -np.inf, sums[self.length - 1])
        ends = Ends(scores, positive, shares_by_class(positive, weight))
        price = np.concatenate([[0.0], np.cumsum(costs[self.order[: self.length]])])
        return Passing(ends, last + 1, price)

    def policy(self, votes: Votes, every: int = 1) -> Policy:
        """The cascade as a policy over base classifiers with these votes."""
        n_steps, tables = len(self.order), votes.tables
        rescaling = self._rescaling(tables, _rounding(self._rescaling(tables, 0.0).applied(tables)))
        actions = np.full((-(-n_steps // every), 2), QUIT, np.uint8)
        looks = np.concatenate([[NEVER], self.thresholds[:-1]])[::every]
        actions[: len(looks), 1] = EVAL
        actions[: len(looks), 0] = np.where(looks == NEVER, EVAL, QUIT)
        edge = -_rounding(rescaling.applied(tables))
        return Policy(actions, Grid(np.array([edge])), self.order, every, rescaling)

    def _rescaling(self, tables: Tables, rounding: float) -> Rescaling:
        """The levels as constants of the votes."""
        levels = self._levels(tables, rounding)
        shift = np.zeros((len(self.order), 1))
        shift[self.order[: self.length], 0] = np.diff(levels)
        return Rescaling(levels[:1], shift)

    def _levels(self, tables: Tables, rounding: float) -> Floats:
        """What is added to f_0 … f_T, (T + 1,); a step that rejects nothing has the next one's.

        Rows at a threshold are on the side where the learned cascade has them, whatever executors
        round: reject thresholds are raised by twice that, since rows quit below -rounding, and
        theta, which is the score of some row, is moved away from it.
        """
        most = 1.0 + float(np.abs(tables.bias).sum() + tables.reach().sum())  # |f| is below
        theta = min(max(self.theta, -most), most) + (-rounding if self.ties_pass else rounding)
        levels = np.concatenate([[NEVER], self.thresholds[:-1] + 2 * rounding, [theta]])
        for t in range(len(levels) - 2, -1, -1):
            if levels[t] == NEVER:
                levels[t] = levels[t + 1]
        return -levels


def _rounding(tables: Tables) -> float:
    """More than executors, which add int32 numbers, may be off by: so far below 0 a row quits, and
    never with a score above 0."""
    most = float(np.abs(tables.bias).sum() + tables.reach().sum())
    return 8.0 * (tables.n_trees + 2) * max(most, 1e-300) / 2**31


def ordered_sums(votes: Votes, order: NDArray[np.intp], length: int) -> Floats:
    """f_1 … f_length of rows in an order, (length, n)."""
    sums = np.empty((length, len(votes)))
    for t, scores in enumerate(partial_sums(votes.reordered(order[:length]))):
        if t:
            sums[t - 1] = scores[:, 0]
    return sums
