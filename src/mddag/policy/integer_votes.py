"""Fixed point: votes as int32, so that a sum does not depend on the order of its terms.

A score is a sum of integers times 2^-exponent, with the largest exponent for which no sum leaves 31
bits: scores lie within (n_trees + 1) / 2 units of the float64 sums, about 1e-7 of their range for
hundreds of trees. Scores often lie exactly on an edge of the grid, and rounding must not lift them
over it, so a sum is above an edge if it is so by more than rounding may have added.
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
    """Values and bias of some tables as integers."""

    values: NDArray[np.int32]  # As Tables.values
    bias: NDArray[np.int32]  # (K,), initial scores
    exponent: int  # A unit is 2^-exponent
    n_trees: int  # number of votes that a score sums

    @classmethod
    def of(cls, tables: Tables) -> IntegerVotes:
        """Choose the finest units for these tables."""
        with np.errstate(over="ignore"):
            total = _largest_sum(tables)
        if not np.isfinite(total):
            raise ValueError(
                f"votes can sum up to {total}; wanted finite leaf values and a finite bias"
            )
        room = LARGEST - tables.n_trees - 1  # what rounding may add
        # Fine units also where all votes are 0: edges move by some units to allow for rounding.
        units = room / total if total > 0 else np.inf
        exponent = max(math.floor(math.log2(min(units, 2.0**1000))), -1000)
        values, bias = (_rounded(v, exponent) for v in (tables.values, tables.bias))
        return cls(values, bias, exponent, tables.n_trees)

    @property
    def unit(self) -> float:
        """Value of one unit."""
        return math.ldexp(1.0, -self.exponent)

    @property
    def bound(self) -> float:
        """Largest distance of a score from the exact sum: half a unit per tree and for the bias."""
        return (self.n_trees + 1) / 2 * self.unit

    def scores(self, sums: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return sums as scores; exact."""
        return np.ldexp(sums.astype(np.float64), -self.exponent)

    def edges(self, edges: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return, by edge, the largest sum that is not above it, nor above it by rounding alone.

        A margin between two scores has the rounding of both: half a unit twice for each tree.
        """
        with np.errstate(over="ignore"):  # an edge beyond all sums
            whole: NDArray[np.float64] = np.floor(np.ldexp(edges, self.exponent))
        limits = whole + (self.n_trees + 1)
        return np.clip(limits, -(2.0**33), 2.0**33).astype(np.int64)


def _largest_sum(tables: Tables) -> float:
    """Return the largest |bias + sum of votes| that any score could reach."""
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
