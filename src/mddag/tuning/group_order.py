"""Group order: which group of features to buy next, by one model of rows with hidden groups.

A model is trained on copies of the rows in which random groups are hidden (missing), so it scores
any set of groups. From what is free on, the group is added whose log-loss (of numbers: squared
error) falls most per price^power; power 1 prefers cheap groups, 0 useful ones. Rows that are
decided stop buying, so one order of classifiers counts rows by how undecided they are: p (1 - p),
p the largest probability so far. Each order gives a chain of nested sets.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from mddag.features.prices import FeaturePrices
from mddag.solvers.acquisition.feature_sets import completed, completed_set

ALL_SUBSETS = 7  # up to so many groups all subsets have models: 128
MOST_PREFIXES = 20  # sets of a chain
MOST_ROWS = 6000  # of the model
PROBED = 600  # rows that compare groups
COPIES = 3
LEAST_WEIGHT = 3e-4  # of a row that is decided
Floats = NDArray[np.float64]
Held = NDArray[np.bool_]


def candidate_sets(
    prices: FeaturePrices, full: Held, X: Floats, y: NDArray[Any], seed: int
) -> list[Held]:
    """Sets of groups worth a model, within those that the full model reads."""
    paid = np.flatnonzero(full & prices.paid)
    if len(paid) <= ALL_SUBSETS:
        chosen = (c for k in range(len(paid) + 1) for c in combinations(paid.tolist(), k))
        return [_with(full, prices, list(groups)) for groups in chosen]
    orders = group_orders(prices, full, X, y, seed)
    return [held for order in orders for held in prefixes(prices, full, order)]


def group_orders(
    prices: FeaturePrices, full: Held, X: Floats, y: NDArray[Any], seed: int
) -> list[list[int]]:
    """Orders of the paid groups of the full model: by gain per price, by gain alone, one that
    begins with the second best group, and one for undecided rows."""
    paid = np.flatnonzero(full & prices.paid)
    rng = np.random.default_rng(seed)
    hidden = _HiddenGroups(prices, full, X, y, rng)
    same = np.ptp(prices.costs[paid]) <= 1e-9 * prices.costs[paid].max(initial=0.0)
    ways = [(1.0, 0), (1.0, 1)] if same else [(1.0, 0), (0.3, 0), (1.0, 1)]
    orders = [hidden.order(*way) for way in ways]
    return orders if hidden.numbers else [*orders, hidden.order(1.0, undecided=True)]


def prefixes(prices: FeaturePrices, full: Held, order: list[int]) -> list[Held]:
    """The sets of an order that are spaced evenly by the logarithm of their price."""
    costs = np.cumsum(prices.costs[order])
    n = min(MOST_PREFIXES, len(order))
    wanted = np.geomspace(costs[0], costs[-1], n)
    ends = np.unique(np.searchsorted(costs, wanted * (1 - 1e-9)))
    return [_with(full, prices, order[: end + 1]) for end in ends.tolist()]


def _with(full: Held, prices: FeaturePrices, groups: list[int]) -> Held:
    held = np.zeros(len(full), bool)
    held[groups] = True
    return completed_set(prices, held) & full


class _HiddenGroups:
    """A model of rows some of whose groups are hidden."""

    def __init__(
        self,
        prices: FeaturePrices,
        full: Held,
        X: Floats,
        y: NDArray[Any],
        rng: np.random.Generator,
    ) -> None:
        self.prices, self.full = prices, full
        self.columns = [list(c) for c in prices.columns]
        shuffled = rng.permutation(len(X))
        n_probed = min(PROBED, len(X) // 3)
        probed, rest = shuffled[:n_probed], shuffled[n_probed:]  # which the model has not seen
        rows = np.concatenate([rng.permutation(rest)[:MOST_ROWS] for _ in range(COPIES)])
        shown = rng.random((len(rows), prices.n_groups)) < rng.random((len(rows), 1))
        self.numbers = bool(np.issubdtype(y.dtype, np.floating))
        kind = HistGradientBoostingRegressor if self.numbers else HistGradientBoostingClassifier
        self.model = kind(
            max_iter=60, max_leaf_nodes=24, max_bins=63, early_stopping=False, random_state=0
        ).fit(self._hidden(X[rows], shown), y[rows])
        self.X, self.y = X[probed], y[probed]

    def order(self, power: float, first: int = 0, undecided: bool = False) -> list[int]:
        """The paid groups, the best next one first; it begins with number `first` of the best."""
        left = np.flatnonzero(self.full & self.prices.paid).tolist()
        held, found, now = np.zeros(len(self.full), bool), list[int](), np.inf
        weight: Floats | None = None
        while left:
            p = self._probabilities([_plus(held, g) for g in left])
            risks = self._risks(p, weight)
            now = float(risks.max()) if now == np.inf else now
            worth = (now - risks) / np.maximum(self.prices.costs[left], 1e-12) ** power
            best = int(np.argsort(-worth, kind="stable")[0 if found else min(first, len(left) - 1)])
            if not (worth > 0).any():  # nothing helps on these few rows: the cheapest
                best = int(np.argmin(self.prices.costs[left]))
            if undecided:
                largest = p[best].max(axis=1)
                weight = largest * (1 - largest) + LEAST_WEIGHT
            now = float(self._risks(p[[best]], weight)[0])
            found.append(left.pop(best))
            held = _plus(held, found[-1])
        return found

    def _probabilities(self, sets: list[Held]) -> Floats:
        """Of each class for the probed rows in each set, (n_sets, n, n_classes); or one number."""
        n = len(self.X)
        rows = np.concatenate([self._hidden(self.X, np.tile(held, (n, 1))) for held in sets])
        if self.numbers:
            return np.asarray(self.model.predict(rows)).reshape(len(sets), n, 1)
        return np.asarray(self.model.predict_proba(rows)).reshape(len(sets), n, -1)

    def _risks(self, p: Floats, weight: Floats | None) -> Floats:
        """The log-loss of each set, (n_sets,), or its squared error."""
        n = len(self.X)
        if self.numbers:
            return np.asarray(np.square(p[:, :, 0] - self.y).mean(axis=1))
        place = np.searchsorted(self.model.classes_, self.y)
        right = np.maximum(p[:, np.arange(n), place], 1e-12)
        return np.asarray(np.average(-np.log(right), axis=1, weights=weight))

    def _hidden(self, X: Floats, shown: NDArray[np.bool_]) -> Floats:
        rows, shown = X.copy(), completed(self.prices, shown & self.prices.paid)
        for g, columns in enumerate(self.columns):
            rows[np.ix_(~shown[:, g], np.array(columns))] = np.nan
        return rows


def _plus(held: Held, group: int) -> Held:
    more = held.copy()
    more[group] = True
    return more
