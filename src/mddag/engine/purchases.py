"""Purchases: which groups of features a base classifier needs when it is evaluated.

A row pays once for every group that the base classifiers on its path read, and for each wave: a
base classifier that needs a paid group the row does not have yet, all of whose groups are fetched
together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.arrays import ReadOnlyArrays, read_only
from mddag._utils.cached import cached_property
from mddag._utils.checks import check_is, described
from mddag.engine.trace import Trace
from mddag.ensemble.costs import read_groups
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.feature_prices import FeaturePrices

NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Purchases(ReadOnlyArrays):
    """Groups by base classifier."""

    prices: FeaturePrices  # the groups and their prices
    # (N, G), groups that base classifier j, numbered as in ``Trace.indices``, needs; groups that
    # these are computed from are added
    buys: NDArray[np.bool_]

    def __post_init__(self) -> None:
        check_is("prices", self.prices, FeaturePrices, "FeaturePrices: see FeaturePrices.of")
        array, n_groups = np.asarray(self.buys), self.prices.n_groups
        if array.dtype != bool or array.ndim != 2 or array.shape[1] != n_groups:
            raise ValueError(
                f"buys is {described(self.buys)}; wanted bools (N, {n_groups}): for each base "
                "classifier, the groups that it reads"
            )
        object.__setattr__(self, "buys", read_only(self.prices.closed(array), bool))

    @classmethod
    def of(cls, prices: FeaturePrices, ensemble: Ensemble) -> Purchases:
        """Return the groups of the features that the trees of each base classifier read."""
        check_is("prices", prices, FeaturePrices, "FeaturePrices: see FeaturePrices.of")
        prices.require(ensemble.n_features)
        if ensemble.callables:
            raise ValueError(
                "the base classifiers are callables, whose features are not known; wanted "
                "Purchases(prices, buys) with the groups of each"
            )
        return cls(prices, read_groups(prices, ensemble))

    def __len__(self) -> int:
        return len(self.buys)

    def __repr__(self) -> str:
        return f"<Purchases of {self.prices.n_groups} groups by {len(self)} base classifiers>"

    def require(self, ensemble: Ensemble) -> None:
        """Raise ValueError for purchases of another ensemble, or that lack what trees read."""
        self.prices.require(ensemble.n_features)
        if len(self) != len(ensemble):
            raise ValueError(
                f"purchases are of {len(self)} base classifiers, but there are {len(ensemble)}; "
                "wanted Purchases.of(prices, ensemble)"
            )
        if ensemble.callables:
            return
        read = Purchases(self.prices, read_groups(self.prices, ensemble))
        unpaid = np.argwhere(read.buys & ~self.buys)
        if len(unpaid):
            j, g = unpaid[0].tolist()
            raise ValueError(
                f"base classifier {j} reads the group {self.prices.names[g]!r}, which it does not "
                "buy; wanted buys with all that trees read, as Purchases.of(prices, ensemble) has"
            )

    def priced(self, trace: Trace) -> Trace:
        """Add the groups, the feature cost and the waves of each row to a trace."""
        first = self.first_uses(trace)
        groups = first < NEVER
        steps = np.sort(np.where(self.prices.paid, first, NEVER), axis=1)
        new = np.diff(steps, axis=1, prepend=-1) > 0
        waves = (new & (steps < NEVER)).sum(axis=1)
        return replace(trace, groups=groups, waves=waves, feature_cost=self.cost(groups, waves))

    def cost(self, groups: NDArray[np.bool_], waves: NDArray[Any]) -> NDArray[np.float64]:
        """Return the feature cost of rows with these groups (n, G) and waves (n,)."""
        total: NDArray[np.float64] = groups @ self.prices.costs + self.prices.wave_cost * waves
        return total

    def first_uses(self, trace: Trace) -> NDArray[np.int64]:
        """Return where on each row's path it first needs each group, (n, G), or NEVER."""
        first = np.full((len(trace), self.prices.n_groups), NEVER, np.int64)
        walked = np.flatnonzero(trace.n_evaluated)
        if len(walked) == 0:
            return first
        starts, place = trace.indptr[walked], np.arange(len(trace.indices))
        for g in self._wanted:
            at = np.where(self.buys[trace.indices, g], place, NEVER)
            found = np.minimum.reduceat(at, starts)
            first[walked, g] = np.where(found < NEVER, found - starts, NEVER)
        return first

    @cached_property
    def _wanted(self) -> NDArray[np.intp]:
        """Groups that any base classifier reads."""
        return np.flatnonzero(self.buys.any(axis=0))
