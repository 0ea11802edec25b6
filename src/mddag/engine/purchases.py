"""What rows buy: groups of features that base classifiers read, and rows that wait for them.

A row pays once for every group that the base classifiers on its path read, and for each wave: a
base classifier that needs a paid group the row does not have yet, all of whose groups are fetched
together.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.arrays import ReadOnlyArrays, read_only
from mddag._utils.cached import cached_property
from mddag._utils.checks import described
from mddag.engine.program import Program
from mddag.engine.trace import Trace
from mddag.ensemble.costs import read_groups
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.feature_prices import FeaturePrices
from mddag.ensemble.patches import PatchFeatures

NEVER = np.iinfo(np.int64).max
RowNumbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Purchases(ReadOnlyArrays):
    """Groups by base classifier."""

    prices: FeaturePrices  # the groups and their prices
    # (N, G), groups that base classifier j, numbered as in ``Trace.indices``, needs; groups that
    # these are computed from are added
    buys: NDArray[np.bool_]

    def __post_init__(self) -> None:
        if self.buys.shape[1:] != (self.prices.n_groups,):
            raise ValueError(
                f"buys is {described(self.buys)}; wanted bools (N, {self.prices.n_groups}): for "
                "each base classifier, the groups that it reads"
            )
        object.__setattr__(self, "buys", read_only(self.prices.closed(self.buys), bool))

    @classmethod
    def of(cls, prices: FeaturePrices, ensemble: Ensemble) -> Purchases:
        """Return the groups of the features that the trees of each base classifier read."""
        why = None
        if ensemble.callables:
            why = "its base classifiers are callables, which read whole rows"
        elif isinstance(ensemble.features, PatchFeatures):
            why = "its features are computed from the pixels of a patch"
        if why is not None:
            raise ValueError(f"features cannot be bought one by one: {why}; use predict(X)")
        return cls(prices, read_groups(prices, ensemble))

    def __len__(self) -> int:
        return len(self.buys)

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
        unpaid = np.argwhere(self.prices.closed(read_groups(self.prices, ensemble)) & ~self.buys)
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


@dataclass(eq=False)
class LazyWalk:
    """n rows of which nothing is known at first; each goes as far as its groups let it.

    ``resume`` returns the groups that rows wait for, ``give`` provides values, ``finish`` returns
    scores, exits and classes. What is not bought is never read. See native/walk/lazy_run.hpp.
    """

    program: Program  # of trees, with a row walk
    purchases: Purchases
    n_rows: int
    n_jobs: int = 1
    had: NDArray[np.bool_] = field(init=False)  # (n, G), groups that were given

    def __post_init__(self) -> None:
        self.had = np.zeros((self.n_rows, self.purchases.prices.n_groups), bool)
        self._x = np.full((self.n_rows, self.program.ensemble.n_features), np.nan)
        order = self.program.policy.order[: self.program.policy.n_reached]
        wants = self.purchases.buys[order].astype(np.uint8)
        walk = self.program.walk
        kind = _core.LazyStageRun if isinstance(walk, _core.StageWalk) else _core.LazyRun
        self._run = kind(walk, np.ascontiguousarray(wants), self.n_rows)

    def resume(self, rows: RowNumbers) -> NDArray[np.bool_]:
        """Continue rows, whose numbers rise, and return the groups that they then lack, (m, G)."""
        lacking = np.zeros((len(rows), self.had.shape[1]), bool)
        self._run.resume(self._x, rows, lacking.view(np.uint8), self.n_jobs)
        return lacking

    def give(self, group: int, rows: RowNumbers, values: NDArray[np.float64]) -> None:
        """Provide the values (m, size) of the columns of a group, for rows whose numbers rise."""
        self._x[rows[:, None], self.purchases.prices.columns[group]] = values
        self.had[rows, group] = True
        self._run.give(rows, group)

    def finish(self) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.intp]]:
        """Return scores (n, K), exit steps and class codes (n,).

        A row that still waits has those so far, and the class of its scores.
        """
        n = self.n_rows
        scores = np.empty((n, self.program.ensemble.n_scores))
        exit_step, codes = np.empty(n, np.int32), np.empty(n, np.int64)
        self._run.finish(scores, exit_step, codes)
        return scores, exit_step, codes.astype(np.intp, copy=False)
