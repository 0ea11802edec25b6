"""Paid: the paper's state doubled by what has been read, for features that cost.

    s_j = (j, f, [all groups of features that h_j may read were read before])

So the released program of the authors indexes its value functions, by 2j + the bit (2014): a base
classifier whose features are there already is cheap, and one that is dear may be worth skipping.
Carried are the scores and the groups of the base classifiers evaluated so far. SKIP may change the
bit, since the next step reads other groups, so chains of SKIPs do not fold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_is, described
from mddag._internal.read_only import ReadOnlyArrays, read_only
from mddag.mdp.grid import Grid

WORD = 32  # bits of a word of groups
MOST_GROUPS = 2**20  # every row carries a bit for each
Carried = tuple[NDArray[np.float64], NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class Paid(ReadOnlyArrays):
    """Scores, and whether what a step reads is there.

    grid  : the cells of the scores
    wants : bool (N, G), the groups that step j may read

    The cells of rows that have all groups of a step stand behind those of the others. Carried are
    the scores (n, K) and the groups that were read (n, G).
    """

    grid: Grid
    wants: NDArray[np.bool_]

    def __post_init__(self) -> None:
        check_is("grid", self.grid, Grid, "a Grid")
        wants = np.asarray(self.wants)
        if wants.dtype != bool or wants.ndim != 2 or wants.shape[1] == 0:
            raise ValueError(
                f"wants is {described(self.wants)}; wanted bools (N, G): for each step, the groups "
                "of features that it reads, of which there are one or more"
            )
        if wants.shape[1] > MOST_GROUPS:
            raise ValueError(
                f"there are {wants.shape[1]} groups of features, and every row carries which of "
                f"them it has read; wanted at most {MOST_GROUPS}: put features into larger groups"
            )
        object.__setattr__(self, "wants", read_only(wants, bool))

    @property
    def has_kernels(self) -> bool:
        """Not those of scores alone; the walk and rollouts have kernels of their own."""
        return False

    @property
    def n_cells(self) -> int:
        return 2 * self.grid.n_cells

    @property
    def n_steps(self) -> int:
        """N."""
        return len(self.wants)

    @cached_property
    def native(self) -> NDArray[np.uint32]:
        """What kernels take: the groups of each step as words."""
        return words_of(self.wants)

    def start(self, bias: NDArray[np.float64], n_rows: int) -> Carried:
        """The bias; nothing has been read."""
        return np.tile(bias, (n_rows, 1)), np.zeros((n_rows, self.wants.shape[1]), bool)

    def cells(self, carried: Carried, j: int, rows: NDArray[np.intp]) -> NDArray[np.int32]:
        scores, read = carried
        return self.doubled(self.grid.cells(scores[rows]), read[rows], j)

    def doubled(
        self, cells: NDArray[np.int32], read: NDArray[np.bool_], j: int
    ) -> NDArray[np.int32]:
        """The cells at step j of rows with cells (n,) by their scores, which have read (n, G)."""
        if j == self.n_steps:  # nothing is left to read
            return cells
        there = ~(self.wants[j] & ~read).any(axis=1)
        found: NDArray[np.int32] = cells + there.astype(np.int32) * np.int32(self.grid.n_cells)
        return found

    def add(
        self, carried: Carried, j: int, rows: NDArray[np.intp], votes: NDArray[np.float64]
    ) -> None:
        scores, read = carried
        scores[rows] += votes
        read[rows] |= self.wants[j]

    def folds(self, j: int, to: int) -> bool:
        return to < self.n_steps and bool((self.wants[j] == self.wants[to]).all())

    def scores(self, carried: Carried) -> NDArray[np.float64]:
        return carried[0]

    def start_of_kernels(self, bias: NDArray[np.float64], n_rows: int) -> NDArray[np.float64]:
        """The start as kernels keep it: scores, then words, float64 (n, K + n_words)."""
        numbers = np.zeros((n_rows, len(bias) + self.native.shape[1]))
        numbers[:, : len(bias)] = bias
        return numbers

    def carried_of_kernels(self, numbers: NDArray[np.float64]) -> Carried:
        """What rows carry, from what kernels keep."""
        n_scores, n_groups = self.grid.n_scores, self.wants.shape[1]
        words = numbers[:, n_scores:].astype(np.uint32)
        at = np.arange(n_groups)
        read = words[:, at // WORD] >> (at % WORD).astype(np.uint32) & 1 == 1
        return numbers[:, :n_scores], read

    def for_steps(self, n_steps: int) -> Paid:
        """The first steps alone, or more steps, which are not reached and read nothing."""
        n_more = max(n_steps - self.n_steps, 0)
        return replace(self, wants=np.pad(self.wants, ((0, n_more), (0, 0)))[:n_steps])

    def on_grid(self, grid: Grid) -> Paid:
        """The same with other cells."""
        return replace(self, grid=grid)


def words_of(sets: NDArray[np.bool_]) -> NDArray[np.uint32]:
    """Sets of groups (n, G) as words of bits (n, n_words), group g being bit g % 32 of its word."""
    n, n_groups = sets.shape
    n_words = -(-n_groups // WORD)
    padded = np.zeros((n, n_words * WORD), np.uint32)
    padded[:, :n_groups] = sets
    bits: Any = padded.reshape(n, n_words, WORD) << np.arange(WORD, dtype=np.uint32)
    return np.ascontiguousarray(bits.sum(axis=2, dtype=np.uint32))
