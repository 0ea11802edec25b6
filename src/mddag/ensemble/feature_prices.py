"""Prices of features, and which of them are fetched together.

A group is a set of columns that one fetch brings; its price is paid once per row. A wave is one
round trip for all groups that are wanted at the same time, so the feature cost of a row is the sum
of the prices of its groups plus wave_cost times its waves. A feature that is listed in several
groups is computed from them: it forms a group of its own that `needs` the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.arrays import ReadOnlyArrays, read_only
from mddag._utils.checks import check_between, check_is, checked_prices, described
from mddag.ensemble.features import Features

Name = str | int
Columns = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class FeaturePrices(ReadOnlyArrays):
    """G groups of columns with their prices; made by ``FeaturePrices.of``."""

    # names of the groups; a feature in no group has its own name or position
    names: tuple[Name, ...]
    columns: tuple[tuple[int, ...], ...]  # columns of each group, in the order of a fetch
    costs: NDArray[np.float64]  # (G,), price of each group; 0 is free
    wave_cost: float = 0.0  # price of a round trip
    # groups that each group is computed from, mostly none
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
        held = [c for group in self.columns for c in group]
        empty = any(not group for group in self.columns)
        if empty or len(set(held)) != len(held) or min(held, default=0) < 0:
            raise ValueError(
                f"columns are {described(self.columns)} with empty groups, or a column twice; "
                "wanted disjoint groups of one column or more"
            )
        late = any(not 0 <= g < i for i, group in enumerate(self.needs) for g in group)
        if len(self.needs) != n or late:
            raise ValueError(
                f"needs is {described(self.needs)}; wanted for each of the {n} groups the numbers "
                "of groups before it"
            )

    @classmethod
    def of(
        cls,
        features: Features,
        feature_costs: Any = None,
        feature_groups: Any = None,
        wave_cost: float = 0.0,
    ) -> FeaturePrices:
        """Check the prices that a user gives.

        `feature_costs` are an array (d,), or a dict by feature or group, by name or position; a
        group costs the sum of its features, and None is 1 for each group. `feature_groups` are
        {name: [features]} or a list of lists; other features are groups of their own, and features
        in several groups are computed from them.
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
        """Number of groups, G."""
        return len(self.columns)

    @property
    def paid(self) -> NDArray[np.bool_]:
        """Mask of the groups that are not free, (G,); a fetch of free groups alone is no wave."""
        return self.costs > 0

    def closed(self, sets: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Add to sets of groups (m, G) all groups that theirs are computed from."""
        found = sets.copy()
        for g in range(self.n_groups)[::-1]:  # what a group needs stands before it
            if self.needs[g]:
                found[:, self.needs[g]] |= found[:, [g]]
        return found

    def group_of(self, n_features: int) -> NDArray[np.int64]:
        """Return the group of each column, (n_features,), -1 for columns of no group."""
        group = np.full(n_features, -1, np.int64)
        for g, columns in enumerate(self.columns):
            group[list(columns)] = g
        return group

    def require(self, n_features: int) -> None:
        """Raise ValueError unless the prices fit a model with this many features."""
        held = [c for columns in self.columns for c in columns]
        if len(held) != n_features or max(held, default=-1) >= n_features:
            raise ValueError(
                f"the groups have {len(held)} columns, but the model reads {n_features}; wanted "
                "each column in one group: make the prices by FeaturePrices.of(features, ...)"
            )


def grouped_columns(features: Features, groups: Any) -> tuple[tuple[Name, ...], Columns, Columns]:
    """Return the names of all groups, their columns, and the groups that they need.

    First come the given groups, then features in no group, then features in several.
    """
    given: dict[Name, tuple[int, ...]] = {}
    for name, group in _named(groups):
        if name in given:
            raise ValueError(f"feature_groups has the group {name!r} twice; list it once")
        given[name] = _members(features, name, group)
    for name, group in given.items():
        if name in (features.names or ()) and name not in {features.called(c) for c in group}:
            raise ValueError(
                f"the group {name!r} has the name of a feature that it does not hold; give the "
                "group another name"
            )
    uses = Counter(column for group in given.values() for column in group)
    own = {name: tuple(c for c in group if uses[c] == 1) for name, group in given.items()}
    empty = next((name for name, group in own.items() if not group), None)
    if empty is not None:
        raise ValueError(
            f"all features of the group {empty!r} are in other groups, too, so nothing is left to "
            "fetch; a feature in several groups is computed from them: leave one of its own"
        )
    own |= {features.called(c): (c,) for c in range(features.n) if uses[c] == 0}
    order = list(given)
    computed: dict[tuple[int, ...], list[int]] = {}
    for column in sorted(c for c, n in uses.items() if n > 1):
        parts = tuple(i for i, name in enumerate(order) if column in given[name])
        computed.setdefault(parts, []).append(column)
    joined: dict[Name, tuple[int, ...]] = {
        "+".join(str(order[i]) for i in parts): tuple(c) for parts, c in computed.items()
    }
    taken = next((name for name in joined if name in own), None)
    if taken is not None:
        raise ValueError(
            f"features that are in several groups make the group {taken!r}, but another has that "
            "name; give that one another name"
        )
    needs = ((),) * len(own) + tuple(computed)
    own |= joined
    return tuple(own), tuple(own.values()), needs


def group_costs(
    features: Features, costs: Any, names: Sequence[Name], columns: Columns, needs: Columns
) -> NDArray[np.float64]:
    """Return the price of each group: given by its name, or the sum of its features' prices."""
    if costs is None:
        return np.array([0.0 if needed else 1.0 for needed in needs])
    if not isinstance(costs, Mapping):
        by_feature = checked_prices("feature_costs", costs, features.n, "feature")
        return np.array([by_feature[list(group)].sum() for group in columns])
    wanted = "a finite number, 0 or more: 0 for what is free"
    of_groups: dict[Any, float] = {}
    of_columns: dict[Any, float] = {}
    for key, value in costs.items():
        check_between(f"feature_costs[{key!r}]", value, 0.0, np.inf, wanted)
        if key in names:
            of_groups[key] = float(value)
            continue
        column = _column(features, key, "feature_costs", names)
        if column in of_columns:
            raise ValueError(
                f"feature_costs has the feature {features.called(column)!r} by name and by "
                "position; give one price"
            )
        of_columns[column] = float(value)
    found = []
    for name, group, needed in zip(names, columns, needs, strict=True):
        priced = [c for c in group if c in of_columns]
        if name in of_groups and priced:
            raise ValueError(
                f"feature_costs has a price for the group {name!r} and for its feature "
                f"{features.called(priced[0])!r}; give one"
            )
        if len(priced) < len(group) and name not in of_groups and not needed:
            lacking = features.called(next(c for c in group if c not in priced))
            of_group = "" if name == lacking and len(group) == 1 else f" of the group {name!r}"
            raise ValueError(
                f"feature_costs has no price for the feature {lacking!r}{of_group}; give one for "
                "each feature or group, 0 for what is free"
            )
        # what is computed is free unless it has a price
        found.append(of_groups.get(name, sum(of_columns[c] for c in priced)))
    return np.array(found, float)


def _named(groups: Any) -> list[tuple[Name, Any]]:
    if groups is None:
        return []
    if isinstance(groups, Mapping):
        bad = next((name for name in groups if not isinstance(name, str) or not name), None)
        if bad is not None:
            raise TypeError(
                f"feature_groups has a group named {described(bad)}; wanted names that are strings"
            )
        return list(groups.items())
    if isinstance(groups, (list, tuple)):
        return [(_joined(group), group) for group in groups]
    raise TypeError(
        f"feature_groups is {described(groups)}; wanted a dict {{name: [features]}}, or a list of "
        "lists of features"
    )


def _joined(group: Any) -> str:
    """Name a group that was given without a name."""
    members = list(group) if isinstance(group, (list, tuple, range, np.ndarray)) else [group]
    return "+".join(map(str, members))


def _members(features: Features, name: Name, group: Any) -> tuple[int, ...]:
    if isinstance(group, (str, Integral)):
        group = [group]
    if isinstance(group, np.ndarray):
        group = group.tolist()
    if not isinstance(group, (list, tuple, range)) or len(group) == 0:
        got = "empty" if isinstance(group, (list, tuple, range)) else described(group)
        raise ValueError(
            f"the group {name!r} is {got}; wanted a list of one feature or more, by name or "
            "position"
        )
    columns = tuple(_column(features, key, f"the group {name!r}") for key in group)
    twice = next((c for i, c in enumerate(columns) if c in columns[:i]), None)
    if twice is not None:
        raise ValueError(
            f"the group {name!r} has the feature {features.called(twice)!r} twice; list it once"
        )
    return columns


def _column(features: Features, key: Any, where: str, groups: Sequence[Name] = ()) -> int:
    whole = isinstance(key, Integral) and not isinstance(key, bool)
    if whole and 0 <= int(key) < features.n:
        return int(key)
    if isinstance(key, str) and features.names is not None and key in features.names:
        return features.names.index(key)
    if features.names is None:
        known = f"a position, 0 to {features.n - 1}"
    else:
        known = f"a position, 0 to {features.n - 1}, or a name such as {features.names[0]!r}"
    named = [name for name in groups if isinstance(name, str)]
    if named and groups:
        known += f", or a group such as {named[0]!r}"
    raise ValueError(f"{where} has {described(key)}, which is no feature; wanted {known}")
