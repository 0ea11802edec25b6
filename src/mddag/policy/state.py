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

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.arrays import ReadOnlyArrays, read_only
from mddag._utils.cached import cached_property
from mddag._utils.checks import check_is, described
from mddag.policy.grid import Grid


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


MOST_COLUMNS = 2**16  # every row carries all of them
Carried = tuple[NDArray[np.float64], NDArray[np.intp]]


@dataclass(frozen=True, eq=False)
class Stages(ReadOnlyArrays):
    """A state of several score columns, of which step j reads one and writes some.

        cell at step j = that of column reads[j] on the grid
        EVAL           : column c += h_j(x) for each c with writes[j, c]

    A column holds all K scores; its cell is that of the grid (for K > 1 the top class and the
    margin). A stage of a Viola-Jones cascade has a column of its own: its first step still reads
    the column of the stage before, which may refuse the row, and writes its own. A stage of FCBoost
    writes the columns of several stages. Every column starts at the bias. The final score of a row
    is that of the column which the step behind its last evaluation reads, reads[exit_step]: the one
    it was last judged by, unless it skips to a step that reads another.

    grid   : the cells of every column
    reads  : intp (N + 1,), the column that step j reads; the last is for rows that pass the end
    writes : bool (N, C), the columns that step j adds its vote to; by default reads[j] alone

    Carried are the columns (n, C x K), one behind the other, and the exit steps so far (n,).
    """

    grid: Grid
    reads: NDArray[np.intp]
    writes: NDArray[np.bool_] = None  # type: ignore[assignment]  # set below: it takes the reads

    def __post_init__(self) -> None:
        check_is("grid", self.grid, Grid, "a Grid")
        reads = _checked_reads(self.reads)
        object.__setattr__(self, "reads", read_only(reads, np.intp))
        object.__setattr__(self, "writes", read_only(_checked_writes(self.writes, reads), bool))

    @property
    def has_kernels(self) -> bool:
        """Not those of one score column; the walk and rollouts have kernels of their own."""
        return False

    @property
    def n_cells(self) -> int:
        return self.grid.n_cells

    @property
    def n_steps(self) -> int:
        """N."""
        return len(self.writes)

    @property
    def n_columns(self) -> int:
        """C."""
        return int(self.writes.shape[1])

    @cached_property
    def native(self) -> _core.Stages:
        """What kernels take: the columns that are read, and those that are written, step by step;
        the last number is the column of the end."""
        reads = self.reads.astype(np.int64)
        step, column = np.nonzero(self.writes)
        starts = np.searchsorted(step, np.arange(self.n_steps + 1))
        columns = column.astype(np.int64)
        return reads, starts.astype(np.int64), columns, self.n_columns, int(reads[-1])

    def start(self, bias: NDArray[np.float64], n_rows: int) -> Carried:
        """The bias in every column; no step has been evaluated."""
        return np.tile(bias, (n_rows, self.n_columns)), np.zeros(n_rows, np.intp)

    def cells(self, carried: Carried, j: int, rows: NDArray[np.intp]) -> NDArray[np.int32]:
        return self.grid.cells(self.column(carried[0], int(self.reads[j]))[rows])

    def add(
        self, carried: Carried, j: int, rows: NDArray[np.intp], votes: NDArray[np.float64]
    ) -> None:
        columns, exit_step = carried
        for column in np.flatnonzero(self.writes[j]):
            self.column(columns, int(column))[rows] += votes
        exit_step[rows] = j + 1

    def folds(self, j: int, to: int) -> bool:
        return bool(self.reads[j] == self.reads[to])

    def scores(self, carried: Carried) -> NDArray[np.float64]:
        columns, exit_step = carried
        by_column = columns.reshape(len(columns), self.n_columns, self.grid.n_scores)
        final: NDArray[np.float64] = by_column[np.arange(len(columns)), self.reads[exit_step]]
        return final

    def column(self, columns: NDArray[np.float64], c: int) -> NDArray[np.float64]:
        """The scores of column c, a view (n, K) of the columns."""
        n_scores = self.grid.n_scores
        return columns[:, c * n_scores : (c + 1) * n_scores]

    def for_steps(self, n_steps: int) -> Stages:
        """The first steps alone, or more steps, which are not reached: they read what the end reads
        and write nothing."""
        n_more = max(n_steps - self.n_steps, 0)
        return replace(
            self,
            reads=np.pad(self.reads, (0, n_more), mode="edge")[: n_steps + 1],
            writes=np.pad(self.writes, ((0, n_more), (0, 0)))[:n_steps],
        )

    def on_grid(self, grid: Grid) -> Stages:
        """The same columns with other cells."""
        return replace(self, grid=grid)


def _checked_reads(reads: Any) -> NDArray[Any]:
    array: NDArray[Any] = np.asarray(reads)
    if array.ndim != 1 or len(array) == 0 or array.dtype.kind not in "iu":
        raise ValueError(
            f"reads is {described(reads)}; wanted integers (N + 1,): the score column that each "
            "step reads, and the one for the end"
        )
    bad = np.flatnonzero((array < 0) | (array >= MOST_COLUMNS))
    if len(bad):
        raise ValueError(
            f"step {bad[0]} reads column {array[bad[0]]}; wanted 0 to {MOST_COLUMNS - 1}"
        )
    return array


def _checked_writes(writes: Any, reads: NDArray[Any]) -> NDArray[np.bool_]:
    n_steps = len(reads) - 1
    if writes is None:
        own: NDArray[np.bool_] = reads[:-1, None] == np.arange(reads.max() + 1)
        return own
    array: NDArray[Any] = np.asarray(writes)
    if array.ndim != 2 or len(array) != n_steps or array.dtype != bool:
        raise ValueError(
            f"writes is {described(writes)}; wanted bools ({n_steps}, C): for each step, which "
            "score columns it adds its vote to"
        )
    if reads.max() >= array.shape[1]:
        raise ValueError(
            f"step {reads.argmax()} reads column {reads.max()}, but writes has "
            f"{array.shape[1]} columns"
        )
    return array
