"""FeatureSets: the sets of groups that a row may have paid for, and what it costs to go from one
to another.

    fare(S, T) = sum of the prices of the groups in T but not in S, and wave_cost

A row goes upwards only, from S to a larger set T that contains it. The first set holds what is
free; the last one is that of the given model. Sets are numbered so that a subset has the lower
number.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mddag._internal.read_only import ReadOnlyArrays, read_only
from mddag.features.prices import FeaturePrices


@dataclass(frozen=True, eq=False)
class FeatureSets(ReadOnlyArrays):
    """M sets of groups.

    prices : of the G groups
    held   : bool (M, G), the groups of each set, subsets first; the last is the given model's
    """

    prices: FeaturePrices
    held: NDArray[np.bool_]

    def __post_init__(self) -> None:
        object.__setattr__(self, "held", read_only(self.held, bool))

    @classmethod
    def of(cls, prices: FeaturePrices, sets: Iterable[NDArray[np.bool_]]) -> FeatureSets:
        """Distinct sets with all that they need, those without a price in front."""
        none = np.zeros(prices.n_groups, bool)
        wanted = completed(prices, np.array([none, *sets]))
        rows = np.unique(wanted, axis=0)
        by_content = [tuple((~row).tolist()) for row in rows]
        order = sorted(range(len(rows)), key=lambda i: (int(rows[i].sum()), by_content[i]))
        return cls(prices, rows[order])

    def __len__(self) -> int:
        return len(self.held)

    @cached_property
    def cost(self) -> NDArray[np.float64]:
        """The price of the groups of each set, (M,), without waves."""
        return self.held @ self.prices.costs

    @cached_property
    def leads(self) -> NDArray[np.bool_]:
        """(M, M): whether T, the column, contains S, the row, and costs more."""
        contains = ~(self.held[:, None] & ~self.held[None]).any(axis=2)
        larger = self.cost[None] > self.cost[:, None]
        found: NDArray[np.bool_] = contains & larger
        return found

    @cached_property
    def fares(self) -> NDArray[np.float64]:
        """(M, M): what it costs to go from S, the row, to T; where it leads there."""
        fares = self.cost[None] - self.cost[:, None] + self.prices.wave_cost
        return np.where(self.leads, fares, np.inf)

    def columns(self, s: int) -> NDArray[np.intp]:
        """The columns of X that set s holds, in rising order."""
        held = [c for g in np.flatnonzero(self.held[s]) for c in self.prices.columns[g]]
        return np.array(sorted(held), np.intp)

    def names(self, s: int) -> list[str | int]:
        """The names of the groups of set s."""
        return [self.prices.names[g] for g in np.flatnonzero(self.held[s])]

    def taken(self, which: NDArray[np.intp]) -> FeatureSets:
        """Some of the sets, in rising order of their numbers."""
        return FeatureSets(self.prices, self.held[which])


def completed_set(prices: FeaturePrices, held: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The same of one set (G,)."""
    found: NDArray[np.bool_] = completed(prices, held[None])[0]
    return found


def completed(prices: FeaturePrices, held: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Sets (n, G) with the groups that theirs are computed from, and with those that are free or
    come free with them."""
    found = prices.closed(held)
    for g in np.flatnonzero(~prices.paid):  # what a group needs stands before it
        found[:, g] |= found[:, list(prices.needs[g])].all(axis=1)
    return found
