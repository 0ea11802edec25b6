"""Choose sets of feature groups, and price the way from one to another.

    fare(S, T) = sum of the prices of the groups in T but not in S, and wave_cost

A row goes upwards only, from S to a larger set T that contains it; it quits where the target of a
policy, by the cell of the number that the model of S gives it, is S itself. The first set holds
what is free; the last one is that of the given model. Subsets have the lower numbers.

With few groups every subset gets a model. With more, sets are prefixes of a few orders of the
groups. An order is found greedily by a model of rows in which random groups are hidden (missing),
so that it scores any set: the next group is the one whose log-loss (regressors: squared error)
falls most per price^power. Power 1 prefers cheap groups, 0 useful ones. Rows that are decided stop
buying, so one order of classifiers weights rows by p (1 - p), p the largest probability so far.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from mddag._utils.cached import cached_property
from mddag.ensemble.feature_prices import FeaturePrices

ALL_SUBSETS = 7  # groups up to which all subsets have models: 128
MOST_PREFIXES = 20  # sets of an order
MOST_ROWS = 6000  # that train the model of hidden groups
PROBED = 600  # rows that compare groups
COPIES = 3
LEAST_WEIGHT = 3e-4  # of a row that is decided
Floats = NDArray[np.float64]
Held = NDArray[np.bool_]
Edges = NDArray[np.float64]
Targets = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class FeatureSets:
    """M sets of groups."""

    prices: FeaturePrices
    held: Held  # (M, G), groups of each set, subsets first; the last is the given model's

    @classmethod
    def of(cls, prices: FeaturePrices, sets: Iterable[Held]) -> FeatureSets:
        """Complete sets with all that they need, those without a price first, each once."""
        none = np.zeros(prices.n_groups, bool)
        wanted = completed(prices, np.array([none, *sets]))
        rows = np.unique(wanted, axis=0)
        by_content = [tuple((~row).tolist()) for row in rows]
        order = sorted(range(len(rows)), key=lambda i: (int(rows[i].sum()), by_content[i]))
        return cls(prices, rows[order])

    def __len__(self) -> int:
        return len(self.held)

    @cached_property
    def cost(self) -> Floats:
        """Return the price of the groups of each set, (M,), without waves."""
        return self.held @ self.prices.costs

    @cached_property
    def leads(self) -> NDArray[np.bool_]:
        """Whether T, the column, contains S, the row, and costs more, (M, M)."""
        contains = ~(self.held[:, None] & ~self.held[None]).any(axis=2)
        larger = self.cost[None] > self.cost[:, None]
        found: NDArray[np.bool_] = contains & larger
        return found

    @cached_property
    def fares(self) -> Floats:
        """What it costs to go from S, the row, to T, where it leads there, (M, M)."""
        fares = self.cost[None] - self.cost[:, None] + self.prices.wave_cost
        return np.where(self.leads, fares, np.inf)

    def columns(self, s: int) -> NDArray[np.intp]:
        """Return the columns of X that set s holds, in rising order."""
        held = [c for g in np.flatnonzero(self.held[s]) for c in self.prices.columns[g]]
        return np.array(sorted(held), np.intp)

    def names(self, s: int) -> list[str | int]:
        """Return the names of the groups of set s."""
        return [self.prices.names[g] for g in np.flatnonzero(self.held[s])]

    def chains(self, risk: Floats) -> list[list[int]]:
        """Return chains of nested sets from the first to the last, given the risk of each (M,).

        The next set of a chain is the one whose risk falls most, per price or as it is.
        """
        leads = self.leads.astype(np.int64)
        covers = self.leads & ~(leads @ leads > 0)  # nothing lies between
        found = []
        for power in (1.0, 0.0):
            chain = [0]
            while covers[chain[-1]].any():
                s, to = chain[-1], np.flatnonzero(covers[chain[-1]])
                worth = (risk[s] - risk[to]) / self.fares[s, to] ** power
                chain.append(int(to[np.argmax(worth)]))
            found.append(chain)
        return [list(chain) for chain in dict.fromkeys(map(tuple, found))]


@dataclass(frozen=True, eq=False)
class Stops:
    """Where n rows stopped."""

    last: NDArray[np.intp]  # (n,), last set
    cost: NDArray[np.float64]  # (n,), price paid
    seen: NDArray[np.bool_]  # (n, M), mask of the sets evaluated


@dataclass(frozen=True, eq=False)
class SetPolicy:
    """A policy over sets.

    For each set there are rising `edges`, of which cell c holds edges[c - 1] < value <= edges[c],
    and `targets`, one for each cell.
    """

    edges: tuple[Edges, ...]
    targets: tuple[Targets, ...]

    def __len__(self) -> int:
        return len(self.targets)

    @classmethod
    def static(cls, n_sets: int, s: int) -> SetPolicy:
        """Send all rows to set s at once."""
        targets = [np.array([t]) for t in range(n_sets)]
        targets[0] = np.array([s])
        return cls(tuple(np.empty(0) for _ in targets), tuple(targets))

    def follow(self, sets: FeatureSets, values: NDArray[np.float64]) -> Stops:
        """Take rows with these values (n, M) through the sets."""
        n = len(values)
        at, cost = np.zeros(n, np.intp), np.zeros(n)
        seen = np.zeros(values.shape, bool)
        for s in self.reachable():
            here = np.flatnonzero(at == s)
            seen[here, s] = True
            to = self.targets[s][np.searchsorted(self.edges[s], values[here, s])]
            on = to != s
            cost[here[on]] += sets.fares[s, to[on]]
            at[here] = to
        start = self.targets[0]
        if (start == start[0]).all() and start[0] != 0:  # nobody needs the model of the first set
            seen[:, 0] = False
        return Stops(at, cost, seen)

    def reachable(self) -> list[int]:
        """Return the sets that a row may come to, in rising order."""
        found = {0}
        for s in range(len(self)):
            if s in found:
                found.update(self.targets[s].tolist())
        return sorted(found)


def completed(prices: FeaturePrices, held: Held) -> Held:
    """Add to sets (n, G) what their groups are computed from, and what is or comes free."""
    found = prices.closed(held)
    for g in np.flatnonzero(~prices.paid):  # what a group needs stands before it
        found[:, g] |= found[:, list(prices.needs[g])].all(axis=1)
    return found


def completed_set(prices: FeaturePrices, held: Held) -> Held:
    """Complete one set (G,)."""
    found: Held = completed(prices, held[None])[0]
    return found


def candidate_sets(
    prices: FeaturePrices, full: Held, X: Floats, y: NDArray[Any], seed: int
) -> list[Held]:
    """Choose sets of groups that deserve a model, within those that the full model reads."""
    paid = np.flatnonzero(full & prices.paid)
    if len(paid) <= ALL_SUBSETS:
        chosen = (c for k in range(len(paid) + 1) for c in combinations(paid.tolist(), k))
        return [_with(full, prices, list(groups)) for groups in chosen]
    orders = group_orders(prices, full, X, y, seed)
    return [held for order in orders for held in prefixes(prices, full, order)]


def group_orders(
    prices: FeaturePrices, full: Held, X: Floats, y: NDArray[Any], seed: int
) -> list[list[int]]:
    """Return orders of the paid groups of the full model.

    They are by gain per price, by gain alone, from the second best group, and for undecided rows.
    """
    costs = prices.costs[full & prices.paid]
    hidden = _HiddenGroups(prices, full, X, y, np.random.default_rng(seed))
    same = np.ptp(costs) <= 1e-9 * costs.max(initial=0.0)
    ways = [(1.0, 0), (1.0, 1)] if same else [(1.0, 0), (0.3, 0), (1.0, 1)]
    orders = [hidden.order(*way) for way in ways]
    return orders if hidden.regresses else [*orders, hidden.order(1.0, undecided=True)]


def prefixes(prices: FeaturePrices, full: Held, order: list[int]) -> list[Held]:
    """Return the sets of an order that are spaced evenly by the logarithm of their price."""
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
        shuffled = rng.permutation(len(X))
        n_probed = min(PROBED, len(X) // 3)
        probed, rest = shuffled[:n_probed], shuffled[n_probed:]  # which the model has not seen
        rows = np.concatenate([rng.permutation(rest)[:MOST_ROWS] for _ in range(COPIES)])
        shown = rng.random((len(rows), prices.n_groups)) < rng.random((len(rows), 1))
        self.regresses = bool(np.issubdtype(y.dtype, np.floating))
        kind = HistGradientBoostingRegressor if self.regresses else HistGradientBoostingClassifier
        self.model = kind(
            max_iter=60, max_leaf_nodes=24, max_bins=63, early_stopping=False, random_state=0
        ).fit(self._hidden(X[rows], shown), y[rows])
        self.X, self.y = X[probed], y[probed]

    def order(self, power: float, first: int = 0, undecided: bool = False) -> list[int]:
        """Sort the paid groups, the best next one first, from number `first` of the best on."""
        left = np.flatnonzero(self.full & self.prices.paid).tolist()
        held, found, now = np.zeros(len(self.full), bool), list[int](), np.inf
        weight: Floats | None = None
        while left:
            p = self._probabilities(held | np.eye(len(held), dtype=bool)[left])
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
            held[found[-1]] = True
        return found

    def _probabilities(self, sets: Held) -> Floats:
        """Predict the probed rows in each set, (n_sets, n, n_classes); or one number each."""
        n = len(self.X)
        rows = np.concatenate([self._hidden(self.X, np.tile(held, (n, 1))) for held in sets])
        if self.regresses:
            return np.asarray(self.model.predict(rows)).reshape(len(sets), n, 1)
        return np.asarray(self.model.predict_proba(rows)).reshape(len(sets), n, -1)

    def _risks(self, p: Floats, weight: Floats | None) -> Floats:
        """Return the log-loss of each set, (n_sets,), or its squared error."""
        if self.regresses:
            return np.asarray(np.square(p[:, :, 0] - self.y).mean(axis=1))
        place = np.searchsorted(self.model.classes_, self.y)
        right = np.maximum(p[:, np.arange(len(self.X)), place], 1e-12)
        return np.asarray(np.average(-np.log(right), axis=1, weights=weight))

    def _hidden(self, X: Floats, shown: NDArray[np.bool_]) -> Floats:
        shown = completed(self.prices, shown & self.prices.paid)
        group = self.prices.group_of(X.shape[1])
        return np.where(shown[:, group], X, np.nan)
