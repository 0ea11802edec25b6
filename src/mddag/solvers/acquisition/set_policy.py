"""SetPolicy: in each set and cell, QUIT or the larger set to go to.

    t = target[s][cell of values[s]]        t = s means QUIT

A row starts in set 0 and stops where its target is the set that it is in.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag.solvers.acquisition.feature_sets import FeatureSets


@dataclass(frozen=True, eq=False)
class Stops:
    """Where n rows stopped.

    last  : intp (n,), the set in which each quits
    cost  : float64 (n,), what it paid for features
    seen  : bool (n, M), the sets whose model it evaluated
    """

    last: NDArray[np.intp]
    cost: NDArray[np.float64]
    seen: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SetPolicy:
    """A policy over sets.

    edges   : for each set, float64, rising; cell c holds edges[c - 1] < value <= edges[c]
    targets : for each set, intp, one for each cell
    """

    edges: tuple[NDArray[np.float64], ...]
    targets: tuple[NDArray[np.intp], ...]

    def __len__(self) -> int:
        return len(self.targets)

    @classmethod
    def static(cls, n_sets: int, s: int) -> SetPolicy:
        """All rows go to set s at once."""
        targets = [np.array([t]) for t in range(n_sets)]
        targets[0] = np.array([s])
        return cls(tuple(np.empty(0) for _ in targets), tuple(targets))

    def follow(self, sets: FeatureSets, values: NDArray[np.float64]) -> Stops:
        """Take rows with these values (n, M) through the sets."""
        n = len(values)
        at, cost = np.zeros(n, np.intp), np.zeros(n)
        seen = np.zeros(values.shape, bool)
        for s in range(len(self)):
            here = np.flatnonzero(at == s)
            seen[here, s] = True
            to = self.targets[s][np.searchsorted(self.edges[s], values[here, s])]
            on = to != s
            cost[here[on]] += sets.fares[s, to[on]]
            at[here] = to
        if not self._evaluates_first(sets):
            seen[:, 0] = at == 0
        return Stops(at, cost, seen)

    def _evaluates_first(self, sets: FeatureSets) -> bool:
        """Whether rows need the model of the first set: not where all of them leave it alike."""
        return len(np.unique(self.targets[0])) > 1 or self.targets[0][0] == 0

    def used(self, seen: NDArray[np.bool_], least: float) -> NDArray[np.intp]:
        """The sets that at least a share of the rows evaluate, and the last."""
        share = seen.mean(axis=0)
        share[-1] = 1.0
        return np.flatnonzero(share >= least)
