"""FeaturePrices: what features cost, and which of them come together.

A group is a set of columns that one fetch brings; its price is paid once per row, however many of
its columns are read. A wave is one round trip for all groups that are wanted at the same time:

    feature cost of a row = sum of the prices of its groups + wave_cost x its waves

Groups have disjoint columns. A feature that the user lists in several groups is computed from
them: it forms a group of its own, which `needs` the others and comes with them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_between, check_is, checked_prices, described
from mddag._internal.read_only import ReadOnlyArrays, read_only
from mddag.features.features import Features
from mddag.features.price_list import group_costs, grouped_columns

Name = str | int


@dataclass(frozen=True, eq=False)
class FeaturePrices(ReadOnlyArrays):
    """G groups of columns with their prices.

    names     : of the groups; a feature in no group has its own name, or its position
    columns   : for each group, the positions of its columns, in the order that a fetch has
    costs     : float64 (G,), the price of each group; 0 is free
    wave_cost : the price of a round trip
    needs     : for each group, the groups that it is computed from; mostly none

    Users' dicts and arrays become a FeaturePrices by ``FeaturePrices.of``.
    """

    names: tuple[Name, ...]
    columns: tuple[tuple[int, ...], ...]
    costs: NDArray[np.float64]
    wave_cost: float = 0.0
    needs: tuple[tuple[int, ...], ...] = field(default=())

    def __post_init__(self) -> None:
        n = len(self.columns)
        if len(self.names) != n or len(set(self.names)) != n:
            raise ValueError(f"there are {n} groups; wanted a name of its own for each of them")
        costs = checked_prices("costs", self.costs, n, "group")
        object.__setattr__(self, "costs", read_only(costs, np.float64))
        check_between("wave_cost", self.wave_cost, 0.0, np.inf, "a finite number, 0 or more")
        if not self.needs:
            object.__setattr__(self, "needs", ((),) * n)
        _check_columns(self.columns)
        _check_needs(self.needs, n)

    @classmethod
    def of(
        cls,
        features: Features,
        feature_costs: Any = None,
        feature_groups: Any = None,
        wave_cost: float = 0.0,
    ) -> FeaturePrices:
        """The prices that a user gives, checked.

        feature_costs  : an array (d,); or a dict by feature, name or position, and by group name;
                         None is 1 for each group. With prices by feature, a group costs their sum
        feature_groups : {name: [features]}, or a list of lists; features in no group are groups of
                         their own, and features in several groups are computed from them
        """
        check_is("features", features, Features, "Features, such as ensemble.features")
        names, columns, needs = grouped_columns(features, feature_groups)
        costs = group_costs(features, feature_costs, names, columns, needs)
        return cls(names, columns, costs, wave_cost, needs)

    def __str__(self) -> str:
        wave = f", {self.wave_cost:g} per wave" if self.wave_cost else ""
        shown = [f"{n} {c:g}" for n, c in zip(self.names, self.costs.tolist(), strict=True)]
        few = ", ".join(shown[:6]) + (", …" if len(shown) > 6 else "")
        return f"prices: {self.costs.sum():g} for {self.n_groups} groups ({few}){wave}"

    @property
    def n_groups(self) -> int:
        """G."""
        return len(self.columns)

    @property
    def full_cost(self) -> float:
        """The price of all groups, fetched in one wave."""
        return float(self.costs.sum()) + (float(self.wave_cost) if self.paid.any() else 0.0)

    @property
    def paid(self) -> NDArray[np.bool_]:
        """Which groups are not free, (G,). A fetch of free groups alone is no wave."""
        return self.costs > 0

    def closed(self, sets: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Sets of groups (m, G) with all groups that theirs are computed from."""
        found = sets.copy()
        for g in range(self.n_groups)[::-1]:  # what a group needs stands before it
            if self.needs[g]:
                found[:, self.needs[g]] |= found[:, [g]]
        return found

    def group_of(self, n_features: int) -> NDArray[np.int64]:
        """The group of each column, (n_features,); -1 for columns of no group."""
        group = np.full(n_features, -1, np.int64)
        for g, columns in enumerate(self.columns):
            group[list(columns)] = g
        return group

    def require(self, n_features: int) -> None:
        """Refuse prices that do not fit a model of so many features."""
        held = [c for columns in self.columns for c in columns]
        if len(held) != n_features or max(held, default=-1) >= n_features:
            raise ValueError(
                f"the groups have {len(held)} columns, but the model reads {n_features}; wanted "
                "each column in one group: make the prices by FeaturePrices.of(features, ...)"
            )


def _check_columns(columns: tuple[tuple[int, ...], ...]) -> None:
    held = [c for group in columns for c in group]
    if (
        any(not group for group in columns)
        or len(set(held)) != len(held)
        or min(held, default=0) < 0
    ):
        raise ValueError(
            f"columns are {described(columns)} with empty groups, or a column twice; wanted "
            "disjoint groups of one column or more"
        )


def _check_needs(needs: tuple[tuple[int, ...], ...], n: int) -> None:
    if len(needs) != n or any(not 0 <= g < i for i, group in enumerate(needs) for g in group):
        raise ValueError(
            f"needs is {described(needs)}; wanted for each of the {n} groups the numbers of "
            "groups before it"
        )
