"""Fixed point: votes as int32, so that a sum is the same in whatever order it is taken.

    score = sum of integers x 2^-exponent

The exponent is the largest with which no sum of votes can leave 31 bits. Each vote is rounded by at
most half a unit, so scores lie within (n_trees + 1) / 2 units of the float64 sums: about 1e-7 of
the score range for hundreds of trees.

States often lie on an edge exactly: on a grid of quantiles the first state of all rows does, and
every sum that many rows share. Rounding must not lift them over it, so a sum is above an edge if it
is so by more than rounding may have added.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag._utils.arrays import ReadOnlyArrays, read_only
from mddag.ensemble.votes import Tables

LARGEST = 2**31 - 1


@dataclass(frozen=True, eq=False)
class IntegerVotes(ReadOnlyArrays):
    """The values and the bias of some tables as integers.

    values   : int32, as Tables.values
    bias     : int32 (K,)
    exponent : a unit is 2^-exponent
    n_trees  : how many votes a score sums
    """

    values: NDArray[np.int32]
    bias: NDArray[np.int32]
    exponent: int
    n_trees: int

    @classmethod
    def of(cls, tables: Tables) -> IntegerVotes:
        """The finest units for these tables."""
        with np.errstate(over="ignore"):
            total = _largest_sum(tables)
        if not np.isfinite(total):
            raise ValueError(
                f"votes can sum up to {total}; wanted finite leaf values and a finite bias"
            )
        room = LARGEST - tables.n_trees - 1  # what rounding may add
        exponent = math.floor(math.log2(min(room / total, 2.0**1000))) if total > 0 else 0
        exponent = max(exponent, -1000)
        values, bias = (_rounded(v, exponent) for v in (tables.values, tables.bias))
        return cls(values, bias, exponent, tables.n_trees)

    @property
    def unit(self) -> float:
        return math.ldexp(1.0, -self.exponent)

    @property
    def bound(self) -> float:
        """How far a score of all trees may lie from the float64 sum, rounding errors of that apart.

        A tree adds half a unit, and so does the bias.
        """
        return (self.n_trees + 1) / 2 * self.unit

    def scores(self, sums: NDArray[np.int32]) -> NDArray[np.float64]:
        """Sums as scores; exact."""
        return np.ldexp(sums.astype(np.float64), -self.exponent)

    def edges(self, edges: NDArray[np.float64]) -> NDArray[np.int64]:
        """By edge, the largest sum that is not above it, nor above it by rounding alone.

        A margin between two scores has the rounding of both: half a unit twice for each tree.
        """
        with np.errstate(over="ignore"):  # an edge beyond all sums
            whole: NDArray[np.float64] = np.floor(np.ldexp(edges, self.exponent))
        limits = whole + (self.n_trees + 1)
        return np.clip(limits, -(2.0**33), 2.0**33).astype(np.int64)


def _largest_sum(tables: Tables) -> float:
    """The largest |bias + sum of votes| that any score could reach."""
    reach = np.abs(tables.bias).astype(np.float64)
    for_all = tables.score < 0
    if not for_all.any():  # as most ensembles are: no tree votes for all scores
        np.add.at(reach, tables.score, tables.largest_votes())
        return float(reach.max(initial=0.0))
    for t in range(tables.n_trees):
        table = np.abs(tables.values[tables.starts[t] : tables.starts[t + 1]])
        if not for_all[t]:
            reach[tables.score[t]] += table.max(initial=0.0)
        elif len(table):
            reach += table.reshape(-1, tables.n_scores).max(axis=0)
    return float(reach.max(initial=0.0))


def _rounded(values: NDArray[np.float64], exponent: int) -> NDArray[np.int32]:
    integers: NDArray[np.int32] = read_only(np.rint(np.ldexp(values, exponent)), np.int32)
    return integers
