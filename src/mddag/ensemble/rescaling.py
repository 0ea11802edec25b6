"""Rescaling: what a policy changes in votes, h_jk -> scale_jk h_jk + shift_jk and f^(0) -> + start.

In another order the sum of the first j votes follows the full score around another level than the
bias, and QUIT returns the sign of f. Then scales are 1 and start + sum_j shift_j = 0, so that the
full sum keeps its value. A condensation needs other weights; those left out have scale 0. SKIP
leaves out the constant with the vote.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mddag._utils.arrays import ReadOnlyArrays, read_only
from mddag.ensemble.votes import Tables


@dataclass(frozen=True, eq=False)
class Rescaling(ReadOnlyArrays):
    """Weights and constants of base classifiers, numbered as in the source ensemble."""

    start: NDArray[np.float64]  # (K,), added to f^(0)
    shift: NDArray[np.float64]  # (N, K), added to the vote of h_j; 0 where h_j never votes for k
    # (N, K), multiplies the vote of h_j before; None makes it 1
    scale: NDArray[np.float64] = None  # type: ignore[assignment]
    # refitted votes of all leaves in place of ``Tables.values``
    leaves: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        start, shift = (read_only(a, np.float64) for a in (self.start, self.shift))
        if shift.ndim != 2 or start.shape != shift.shape[1:]:
            raise ValueError(
                f"start and shift have shapes {start.shape} and {shift.shape}; wanted (K,) and "
                "(N, K)"
            )
        scale = read_only(np.ones_like(shift) if self.scale is None else self.scale, np.float64)
        if scale.shape != shift.shape:
            raise ValueError(f"scale has shape {scale.shape}; wanted {shift.shape}, as shift has")
        if self.leaves is not None:
            object.__setattr__(self, "leaves", read_only(self.leaves, np.float64))
        leaves = np.empty(0) if self.leaves is None else self.leaves
        if not all(np.isfinite(a).all() for a in (start, shift, scale, leaves)):
            raise ValueError("start, shift, scale or leaves is not finite; wanted finite numbers")
        for name, array in (("start", start), ("shift", shift), ("scale", scale)):
            object.__setattr__(self, name, array)

    def applied(self, tables: Tables) -> Tables:
        """Return tables with rescaled leaves and bias."""
        tree, score = _owners(tables)
        base = np.repeat(np.arange(tables.n_classifiers), np.diff(tables.rounds))[tree]
        values = tables.values
        if self.leaves is not None:
            values = self.leaves
            if values.shape != tables.values.shape or not tables.of_trees:
                count = len(tables.values)
                found = f"{count} values" if tables.of_trees else "votes without leaves"
                raise ValueError(
                    f"the rescaling has votes of {len(values)} leaves, but there are {found}; "
                    "wanted the trees that it was fitted to"
                )
        values = values * self.scale[base, score]
        carried_there = _carriers(tables)[tree]
        values[carried_there] += self.shift[base, score][carried_there]
        return replace(tables, values=values, bias=tables.bias + self.start)

    def then(self, other: Rescaling) -> Rescaling:
        """Combine this rescaling and another one of its result."""
        if other.leaves is not None:
            raise ValueError("the second rescaling has votes of its own; wanted weights alone")
        return Rescaling(
            self.start + other.start,
            other.scale * self.shift + other.shift,
            other.scale * self.scale,
            self.leaves,
        )

    def numbered(self, index: NDArray[np.intp], n_classifiers: int) -> Rescaling:
        """Return the same with other numbers: its j-th is number index[j] of `n_classifiers`.

        The others stay as they are.
        """
        if self.leaves is not None:
            raise ValueError("a rescaling with votes of leaves cannot be renumbered")
        shape = (n_classifiers, len(self.start))
        shift, scale = np.zeros(shape), np.ones(shape)
        shift[index], scale[index] = self.shift, self.scale
        return Rescaling(self.start, shift, scale)


def carried(tables: Tables) -> NDArray[np.bool_]:
    """Return whether h_j votes for score k, so that it can carry a constant of it, (N, K)."""
    can = np.zeros((tables.n_classifiers, tables.n_scores), bool)
    for j in range(tables.n_classifiers):
        score = tables.score[tables.rounds[j] : tables.rounds[j + 1]]
        can[j, score[score >= 0]] = True
        can[j] |= (score < 0).any()
    return can


def _owners(tables: Tables) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the tree and the score of each of the values, (n_values,)."""
    lengths = np.diff(tables.starts)
    tree = np.repeat(np.arange(tables.n_trees), lengths)
    within = np.arange(len(tree)) - tables.starts[tree]
    score = np.where(tables.score[tree] < 0, within % tables.n_scores, tables.score[tree])
    return tree, score


def _carriers(tables: Tables) -> NDArray[np.bool_]:
    """Return the trees that carry constants, (n_trees,).

    These are the first tree of each h_j that votes for all scores, or else the first for each
    score.
    """
    base = np.repeat(np.arange(tables.n_classifiers), np.diff(tables.rounds))
    for_all = np.zeros(tables.n_classifiers, bool)
    for_all[base[tables.score < 0]] = True
    candidate = (tables.score < 0) | ~for_all[base]
    # -1 is one more key: of the trees of one h_j and one key the first carries
    key = base * (tables.n_scores + 1) + tables.score + 1
    at = np.flatnonzero(candidate)
    carries = np.zeros(tables.n_trees, bool)
    carries[at[np.unique(key[at], return_index=True)[1]]] = True
    return carries
