"""SetSample: what rows lose where they quit, and the number by which each set decides on them.

    losses[i, s]  the loss of row i if it quits with the model of set s
    values[i, s]  what decides in set s: the score (two classes), the margin between the two best
                  (more classes), or what the full model is expected to gain (``gain``)

Rows are in folds: the actions of a fold are learned on the other folds, so that a member is judged
by rows that had no part in its actions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mddag.solvers.acquisition.feature_sets import FeatureSets

FOLDS = 5
N_CELLS = 24
GAP = 1e-4  # of the range: executors, which add integers, round by less


@dataclass(frozen=True, eq=False)
class SetSample:
    """n rows in M sets.

    sets   : the sets and their fares
    values : float64 (n, M)
    losses : float64 (n, M), what actions are learned by
    judged : float64 (n, M), what members are judged by
    fold   : intp (n,)
    weight : float64 (n,), what each row counts for
    around : a value at which cells must end, such as 0 where the label changes; None for none
    """

    sets: FeatureSets
    values: NDArray[np.float64]
    losses: NDArray[np.float64]
    judged: NDArray[np.float64]
    fold: NDArray[np.intp]
    weight: NDArray[np.float64]
    around: float | None = 0.0

    def __len__(self) -> int:
        return len(self.values)

    @property
    def n_folds(self) -> int:
        return int(self.fold.max()) + 1

    @cached_property
    def edges(self) -> tuple[NDArray[np.float64], ...]:
        """For each set, edges of cells that hold about equally many rows, midway between values."""
        return tuple(self._edges(values) for values in self.values.T)

    @cached_property
    def cells(self) -> NDArray[np.intp]:
        """The cell of each row in each set, (n, M)."""
        both = zip(self.edges, self.values.T, strict=True)
        return np.stack([np.searchsorted(edges, values) for edges, values in both], axis=1)

    def _edges(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        edges = between(values, np.arange(1, N_CELLS) / N_CELLS)
        if self.around is not None and values.min() < self.around < values.max():
            edges = np.append(edges, self.around)
        return np.unique(edges)

    def taken(self, which: NDArray[np.intp]) -> SetSample:
        """Some of the sets."""
        return replace(
            self,
            sets=self.sets.taken(which),
            values=self.values[:, which],
            losses=self.losses[:, which],
            judged=self.judged[:, which],
        )


def between(values: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Numbers above about these shares of the values, each midway between two of them, rising.

    Rows that a model cannot tell apart have one value but for rounding: no number lies between.
    """
    ordered = np.sort(values)
    apart = np.flatnonzero(np.diff(ordered) > GAP * (ordered[-1] - ordered[0]))
    if len(apart) == 0:
        return np.empty(0)
    middles = (ordered[apart] + ordered[apart + 1]) / 2
    at = np.searchsorted(middles, np.quantile(ordered, shares))
    return np.unique(middles[np.minimum(at, len(middles) - 1)])


def folds_of(n: int, seed: int, n_folds: int = FOLDS) -> NDArray[np.intp]:
    """A fold for each of n rows, all about equally large."""
    return np.random.default_rng(seed).permutation(n) % min(n_folds, max(n, 1))
