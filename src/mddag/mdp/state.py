"""State: what decides on the action at step j, and how it becomes a cell of the policy's table.

    s_j = (j, what is carried for a row)     Eq. (4); in the paper the scores f are carried

A policy has one action for each step and cell. A state says what is carried for every row, in which
cell a row is at step j, and what evaluating h_j changes. SKIP and QUIT change nothing that is
carried. Where a chain of SKIPs stays in one cell it folds into the jump table of the policy; where
the cell depends on j or on other rows, the row is looked at again.

All rows of a batch take step j before any of them takes step j + 1, so a cell may depend on what is
carried for other rows. The step and the cell in which a row quits follow from what is carried for
it at the end, as long as its cells do not depend on other rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mddag.mdp.grid import Grid


class State(Protocol):
    """Anything with these members is a state; there is nothing to inherit.

    A state that depends on the number of steps also has ``n_steps``, which policies compare with
    theirs, and ``for_steps(n_steps)``, the same state of fewer or more steps; see ``for_steps``.
    A state whose cells depend on the other rows of a query also has ``executor(program)``, which
    gives the ``dag.executors.QueryExecutor`` that runs its policies.

    grid        : the cells of the scores, from which a state makes its own
    has_kernels : whether kernels can run it: they take f, the grid and a folded jump table, no more
    n_cells     : columns of a policy's actions
    """

    @property
    def grid(self) -> Grid: ...

    @property
    def has_kernels(self) -> bool: ...

    @property
    def n_cells(self) -> int: ...

    def start(self, bias: NDArray[np.float64], n_rows: int) -> Any:
        """What is carried for so many rows before the first step: arrays that `add` changes.

        bias : float64 (K,), f^(0)
        """
        ...

    def cells(self, carried: Any, j: int, rows: NDArray[np.intp]) -> NDArray[np.integer[Any]]:
        """The cells of some of the rows at step j, (n,), before h_j is evaluated on any row.

        Where a policy has verdicts, j may be N: the cells of rows that have passed all steps.
        """
        ...

    def add(self, carried: Any, j: int, rows: NDArray[np.intp], votes: NDArray[np.float64]) -> None:
        """Step j evaluated its base classifier on some of the rows, with these votes (n, K)."""
        ...

    def folds(self, j: int, to: int) -> bool:
        """Whether a row that skips the steps j … to - 1 is, at step `to`, in its cell of step j."""
        ...

    def scores(self, carried: Any) -> NDArray[np.float64]:
        """The final scores, float64 (n_rows, K)."""
        ...


def for_steps(state: State, n_steps: int) -> State:
    """The state of a policy that is cut to so many steps, or that gets more, which no row reaches.

    A state that knows nothing of steps stays as it is.
    """
    resized: State = state.for_steps(n_steps) if hasattr(state, "for_steps") else state
    return resized


@dataclass(frozen=True, eq=False)
class Score:
    """The paper's state: the scores f are carried, and the cell is theirs on one grid for all j."""

    grid: Grid

    @property
    def has_kernels(self) -> bool:
        return True

    @property
    def n_cells(self) -> int:
        return self.grid.n_cells

    def start(self, bias: NDArray[np.float64], n_rows: int) -> NDArray[np.float64]:
        """f^(0), float64 (n_rows, K)."""
        return np.tile(bias, (n_rows, 1))

    def cells(
        self, carried: NDArray[np.float64], j: int, rows: NDArray[np.intp]
    ) -> NDArray[np.int32]:
        return self.grid.cells(carried[rows])

    def add(
        self,
        carried: NDArray[np.float64],
        j: int,
        rows: NDArray[np.intp],
        votes: NDArray[np.float64],
    ) -> None:
        carried[rows] += votes

    def folds(self, j: int, to: int) -> bool:
        return True

    def scores(self, carried: NDArray[np.float64]) -> NDArray[np.float64]:
        return carried

    def on_grid(self, grid: Grid) -> Score:
        """The scores with other cells."""
        return Score(grid)
