"""State: what is carried for a row, Eq. (4), and how it becomes a cell of the policy's table.

In the paper the scores f are carried. EVAL changes what is carried; SKIP and QUIT do not. All rows
of a batch take step j before any takes step j + 1, so a cell may depend on other rows.
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
    """Protocol of states: any object with these members is one.

    A state that depends on the number of steps also has ``n_steps`` and ``for_steps(n_steps)``, the
    same state for fewer or more steps. A state whose cells depend on other rows of a query also has
    ``executor(program)``, which returns the ``QueryExecutor`` that runs its policies.

    Examples
    --------
    >>> import mddag
    >>> policy = mddag.Policy.prefix(1, 2, mddag.Grid([0.0]))
    >>> policy.state.n_cells, policy.state.folds(0, 1)
    (2, True)
    """

    @property
    def grid(self) -> Grid:
        """Cells of the scores, from which a state makes its own."""
        ...

    @property
    def has_kernels(self) -> bool:
        """Whether kernels can run it; they take f, the grid and a folded jump table alone."""
        ...

    @property
    def n_cells(self) -> int:
        """Number of columns of a policy's actions."""
        ...

    def start(self, bias: NDArray[np.float64], n_rows: int) -> Any:
        """Return what is carried before the first step: arrays that `add` changes.

        Parameters
        ----------
        bias : ndarray of shape (K,)
            Initial scores f^(0).
        n_rows : int
            Number of rows.

        Returns
        -------
        Any
            Whatever the state carries.
        """
        ...

    def cells(self, carried: Any, j: int, rows: NDArray[np.intp]) -> NDArray[np.integer[Any]]:
        """Return the cells of some of the rows at step j, before h_j is evaluated on any row.

        Parameters
        ----------
        carried : Any
            What `start` returned.
        j : int
            The step; N for rows that have passed all steps, if the policy has verdicts.
        rows : ndarray of shape (m,)
            Which rows.

        Returns
        -------
        ndarray of shape (m,)
            Cells.
        """
        ...

    def add(self, carried: Any, j: int, rows: NDArray[np.intp], votes: NDArray[np.float64]) -> None:
        """Take in the votes of base classifier j on some of the rows.

        Parameters
        ----------
        carried : Any
            What `start` returned; changed in place.
        j : int
            The step.
        rows : ndarray of shape (m,)
            Which rows.
        votes : ndarray of shape (m, K)
            Their votes.
        """
        ...

    def folds(self, j: int, to: int) -> bool:
        """Return whether a row that skips stays in its cell.

        Parameters
        ----------
        j : int
            First step that is skipped.
        to : int
            Step at which the cell is compared with that at step j.

        Returns
        -------
        bool
            Whether the cell is the same.
        """
        ...

    def scores(self, carried: Any) -> NDArray[np.float64]:
        """Return the final scores.

        Parameters
        ----------
        carried : Any
            What `start` returned.

        Returns
        -------
        ndarray of shape (n_rows, K)
            Scores.
        """
        ...


def for_steps(state: State, n_steps: int) -> State:
    """Return the state of a policy that is cut, or padded with steps that no row reaches."""
    resized: State = state.for_steps(n_steps) if hasattr(state, "for_steps") else state
    return resized


@dataclass(frozen=True, eq=False)
class Score:
    """The paper's state: the scores f, with the same grid for all j."""

    grid: Grid

    @property
    def has_kernels(self) -> bool:
        return True

    @property
    def n_cells(self) -> int:
        return self.grid.n_cells

    def start(self, bias: NDArray[np.float64], n_rows: int) -> NDArray[np.float64]:
        """Return f^(0), float64 (n_rows, K)."""
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
        """Return the state with other cells."""
        return Score(grid)


MOST_COLUMNS = 2**16  # every row carries all of them
Carried = tuple[NDArray[np.float64], NDArray[np.intp]]


@dataclass(frozen=True, eq=False)
class Stages(ReadOnlyArrays):
    """A state of several score columns, of which step j reads one and writes some.

    A column holds all K scores and starts at the bias; its cell is that of the grid. A stage of a
    Viola-Jones cascade has a column of its own: its first step still reads the column of the stage
    before, which may reject the row, and writes its own. A stage of FCBoost writes the columns of
    several stages. The final score is that of the column which the step after the last evaluation
    reads, ``reads[exit_step]``. Carried are the columns (n, C * K) and the exit steps so far (n,).
    """

    grid: Grid  # cells of every column
    # (N + 1,), column that step j reads; the last is for rows that pass the end
    reads: NDArray[np.intp]
    # (N, C), mask of the columns that step j adds its vote to; by default reads[j] alone
    writes: NDArray[np.bool_] = None  # type: ignore[assignment]  # set below: it takes the reads

    def __post_init__(self) -> None:
        check_is("grid", self.grid, Grid, "a Grid")
        reads = _checked_reads(self.reads)
        object.__setattr__(self, "reads", read_only(reads, np.intp))
        object.__setattr__(self, "writes", read_only(_checked_writes(self.writes, reads), bool))

    @property
    def has_kernels(self) -> bool:
        """False: kernels for one score column do not apply; walk and rollouts have their own."""
        return False

    @property
    def n_cells(self) -> int:
        return self.grid.n_cells

    @property
    def n_steps(self) -> int:
        """Number of base classifiers, N."""
        return len(self.writes)

    @property
    def n_columns(self) -> int:
        """Number of columns, C."""
        return int(self.writes.shape[1])

    @cached_property
    def native(self) -> _core.Stages:
        """Columns that each step reads and writes, and the column of the end, for kernels."""
        reads = self.reads.astype(np.int64)
        step, column = np.nonzero(self.writes)
        starts = np.searchsorted(step, np.arange(self.n_steps + 1))
        columns = column.astype(np.int64)
        return reads, starts.astype(np.int64), columns, self.n_columns, int(reads[-1])

    def start(self, bias: NDArray[np.float64], n_rows: int) -> Carried:
        """Return the bias in every column, and exit steps 0."""
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
        """Return the scores of column c, a view (n, K)."""
        n_scores = self.grid.n_scores
        return columns[:, c * n_scores : (c + 1) * n_scores]

    def for_steps(self, n_steps: int) -> Stages:
        """Cut the steps, or pad them with steps that read what the end reads and write nothing."""
        n_more = max(n_steps - self.n_steps, 0)
        return replace(
            self,
            reads=np.pad(self.reads, (0, n_more), mode="edge")[: n_steps + 1],
            writes=np.pad(self.writes, ((0, n_more), (0, 0)))[:n_steps],
        )

    def on_grid(self, grid: Grid) -> Stages:
        """Return the same columns with other cells."""
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
