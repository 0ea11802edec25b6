"""Levels: constants moved between the bias and the base classifiers, the full sum unchanged.

f^(0) = bias + start and every vote of h_j gets shift_j, with start + sum_j shift_j = 0. An order
wants this: the sum S_j of its first j votes follows the full score closely, but around another
level than the bias, and QUIT returns the sign of f. SKIP leaves out the constant with the vote.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mddag._read_only import ReadOnlyArrays, read_only
from mddag.votes import Tables


@dataclass(frozen=True, eq=False)
class Levels(ReadOnlyArrays):
    """Constants of base classifiers, numbered as in the source ensemble.

    start : float64 (K,), added to f^(0)
    shift : float64 (N, K), added to the vote of h_j; 0 where h_j never votes for k
    """

    start: NDArray[np.float64]
    shift: NDArray[np.float64]

    def __post_init__(self) -> None:
        start, shift = (read_only(a, np.float64) for a in (self.start, self.shift))
        if shift.ndim != 2 or start.shape != shift.shape[1:]:
            raise ValueError(
                f"start and shift have shapes {start.shape} and {shift.shape}; wanted (K,) and "
                "(N, K)"
            )
        if not (np.isfinite(start).all() and np.isfinite(shift).all()):
            raise ValueError("start or shift is not finite; wanted finite constants")
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "shift", shift)

    def applied(self, tables: Tables) -> Tables:
        """Tables whose leaves and bias hold the constants."""
        carrying = np.flatnonzero(_carriers(tables))
        base = np.searchsorted(tables.rounds, carrying, side="right") - 1
        values = tables.values.copy()
        for t, j in zip(carrying, base, strict=True):
            k = tables.score[t]
            votes = values[tables.starts[t] : tables.starts[t + 1]]
            if k >= 0:
                votes += self.shift[j, k]
            else:
                votes.reshape(-1, tables.n_scores)[:] += self.shift[j]
        return replace(tables, values=values, bias=tables.bias + self.start)

    def plus(self, other: Levels | None) -> Levels:
        """Both, one after the other."""
        if other is None:
            return self
        return Levels(self.start + other.start, self.shift + other.shift)


def carried(tables: Tables) -> NDArray[np.bool_]:
    """Whether h_j votes for score k, so that it can carry a constant of it, (N, K)."""
    can = np.zeros((tables.n_classifiers, tables.n_scores), bool)
    for j in range(tables.n_classifiers):
        score = tables.score[tables.rounds[j] : tables.rounds[j + 1]]
        can[j, score[score >= 0]] = True
        can[j] |= (score < 0).any()
    return can


def _carriers(tables: Tables) -> NDArray[np.bool_]:
    """The trees that carry constants: of each h_j the first that votes for all scores, or, where
    there is none, the first for each score; (n_trees,)."""
    carries = np.zeros(tables.n_trees, bool)
    for j in range(tables.n_classifiers):
        first = tables.rounds[j]
        score = tables.score[first : tables.rounds[j + 1]]
        if (score < 0).any():
            carries[first + int((score < 0).argmax())] = True
        else:
            carries[first + np.unique(score, return_index=True)[1]] = True
    return carries
