"""Follow a policy from set to set.

    t = target[s][cell of values[s]]        t = s means QUIT

A row starts in set 0 and stops where its target is the set that it is in.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag.acquisition.feature_sets import FeatureSets

Edges = NDArray[np.float64]
Targets = NDArray[np.intp]


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
