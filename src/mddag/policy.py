"""Policy: a_j = pi(s_j), one action per step j and cell of the grid.

EVAL evaluates h_j and goes on, SKIP goes on without it, QUIT returns the classifier built so far.
Since SKIP leaves f alone and all steps share one grid, chains of SKIPs fold exactly into a jump
table: ``next[j, cell]`` is the next base classifier to evaluate, N meaning quit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mddag.grid import Grid

EVAL, SKIP, QUIT = 0, 1, 2
ACTIONS = ("eval", "skip", "quit")


@dataclass(frozen=True, eq=False)
class Policy:
    """What to do at step j in each cell.

    actions : uint8 (N, n_cells) of EVAL, SKIP, QUIT
    grid    : the cells
    order   : intp (N,), step j decides on base classifier order[j] of the source ensemble
    """

    actions: NDArray[np.uint8]
    grid: Grid
    order: NDArray[np.intp]

    def __post_init__(self) -> None:
        n_steps = len(self.order)
        if self.actions.shape != (n_steps, self.grid.n_cells):
            raise ValueError(
                f"actions have shape {self.actions.shape}; wanted ({n_steps}, {self.grid.n_cells})"
                " for the steps of the order and the cells of the grid"
            )

    @property
    def n_steps(self) -> int:
        return len(self.order)

    @cached_property
    def next(self) -> NDArray[np.int32]:
        """The jump table, int32 (N + 1, n_cells): the next step to evaluate from step j on."""
        table = np.full((self.n_steps + 1, self.grid.n_cells), self.n_steps, np.int32)
        for j in range(self.n_steps - 1, -1, -1):
            row = self.actions[j]
            table[j] = np.where(row == EVAL, j, np.where(row == SKIP, table[j + 1], self.n_steps))
        return table

    @property
    def native(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The policy as the kernels take it: jump table and order."""
        return self.next, self.order.astype(np.int64, copy=False)

    @classmethod
    def constant(cls, action: int, n_steps: int, grid: Grid) -> Policy:
        """The same action everywhere: EVAL gives the full ensemble, QUIT its bias."""
        actions = np.full((n_steps, grid.n_cells), action, np.uint8)
        return cls(actions, grid, np.arange(n_steps))

    @classmethod
    def prefix(cls, n_evaluated: int, n_steps: int, grid: Grid) -> Policy:
        """Evaluate the first `n_evaluated` base classifiers, then quit."""
        policy = cls.constant(EVAL, n_steps, grid)
        policy.actions[n_evaluated:] = QUIT
        return policy
