"""SetSample: what rows lose where they quit, and the number by which each set decides on them.

    losses[i, s]  the loss of row i if it quits with the model of set s
    values[i, s]  what decides in set s: the score (two classes), the margin between the two best
                  (more classes), or what the full model is expected to gain (``gain``)

Rows are in folds: the actions of a fold are learned on the other folds, so that a member is judged
by rows that had no part in its actions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mddag.solvers.acquisition.feature_sets import FeatureSets

FOLDS = 5
N_CELLS = 24


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

    def edges(self, s: int, n_cells: int = N_CELLS) -> NDArray[np.float64]:
        """Edges of cells that hold about equally many rows, midway between values of rows."""
        values = np.unique(self.values[:, s])
        if len(values) < 2:
            return np.empty(0)
        wanted = np.quantile(self.values[:, s], np.arange(1, n_cells) / n_cells)
        above = np.clip(np.searchsorted(values, wanted, side="right"), 1, len(values) - 1)
        edges = (values[above - 1] + values[above]) / 2
        if self.around is not None and values[0] < self.around < values[-1]:
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


def folds_of(n: int, seed: int, n_folds: int = FOLDS) -> NDArray[np.intp]:
    """A fold for each of n rows, all about equally large."""
    return np.random.default_rng(seed).permutation(n) % min(n_folds, max(n, 1))
