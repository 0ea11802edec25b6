"""Votes: h_j(x_i) of every base classifier and row, as leaf codes plus value tables.

A tree with at most 256 leaves takes one byte per row. ``partial_sums`` walks through f^(0) … f^(N);
early exits only differ in where they stop on this walk, so one pass serves a family of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag import _core
from mddag._utils.arrays import read_only
from mddag._utils.cached import cached_property
from mddag._utils.checks import as_floats, check_is, checked_order, described

Codes = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, eq=False)
class Tables:
    """How leaf codes become votes."""

    values: NDArray[np.float64]  # tables of all trees, concatenated
    starts: NDArray[np.int64]  # (n_trees + 1,), where the table of each tree begins
    # (n_trees,), score that each tree votes for; -1 for all K, which becomes 0 if K = 1
    score: NDArray[np.int32]
    rounds: NDArray[np.int64]  # (N + 1,), h_j is the sum of the trees rounds[j] … rounds[j + 1] - 1
    bias: NDArray[np.float64]  # (K,), initial scores f^(0)
    # whether codes number the leaves of trees. False if they number distinct votes, which other
    # rows may have in another sequence
    of_trees: bool = True

    def __post_init__(self) -> None:
        _check_starts("starts", self.starts, len(self.score), len(self.values))
        _check_starts("rounds", self.rounds, len(self.rounds) - 1, len(self.score))
        check_scores(self.score, self.n_scores)
        if self.n_scores == 1 and (self.score < 0).any():  # all scores are the one, number 0
            object.__setattr__(self, "score", read_only(np.zeros_like(self.score), np.int32))
        torn = np.flatnonzero(np.diff(self.starts) % self._widths)
        if len(torn):
            raise ValueError(
                f"the table of tree {torn[0]} has {np.diff(self.starts)[torn[0]]} values; "
                f"wanted {self.n_scores} for each leaf"
            )

    @property
    def n_classifiers(self) -> int:
        """Number of base classifiers, N."""
        return len(self.rounds) - 1

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.score)

    @property
    def n_scores(self) -> int:
        """Number of scores, K."""
        return len(self.bias)

    @property
    def n_leaves(self) -> NDArray[np.int64]:
        """Number of leaves of each tree."""
        return np.diff(self.starts) // self._widths

    @property
    def _widths(self) -> NDArray[np.intp]:
        """Number of values of a leaf, per tree."""
        return np.where(self.score < 0, self.n_scores, 1)

    @property
    def native(
        self,
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], int]:
        """Tables as the kernels take them."""
        return self.values, self.starts, self.score, self.rounds, self.n_scores

    def code_dtype(self) -> np.dtype[np.unsignedinteger[Any]]:
        """Return the smallest unsigned type that holds every leaf code."""
        return np.min_scalar_type(max(int(self.n_leaves.max(initial=1)) - 1, 0))

    def table(self, t: int) -> NDArray[np.float64]:
        """Return the votes of tree t by leaf code, (n_leaves, K)."""
        values = self.values[self.starts[t] : self.starts[t + 1]]
        if self.score[t] < 0:
            return values.reshape(-1, self.n_scores)
        table = np.zeros((len(values), self.n_scores))
        table[:, self.score[t]] = values
        return table

    def reach(self) -> NDArray[np.float64]:
        """Return the largest |h_jk| that each base classifier can vote, (N,)."""
        largest = self.largest_votes()
        passed: NDArray[np.float64] = np.concatenate([[0.0], np.cumsum(largest)])
        return np.diff(passed[self.rounds])

    def largest_votes(self) -> NDArray[np.float64]:
        """Return the largest |vote| of each tree, (n_trees,)."""
        largest = np.zeros(self.n_trees)
        filled = np.diff(self.starts) > 0
        largest[filled] = np.maximum.reduceat(np.abs(self.values), self.starts[:-1][filled])
        return largest

    def trees_of(self, order: ArrayLike) -> NDArray[np.int64]:
        """Return the trees of the classifiers `order`, in that order."""
        spans = [np.arange(self.rounds[j], self.rounds[j + 1]) for j in np.asarray(order)]
        return np.concatenate(spans) if spans else np.empty(0, np.int64)

    def taken(self, order: NDArray[np.intp]) -> Tables:
        """Return the tables of the classifiers `order`, in that order."""
        trees = self.trees_of(order)
        values, starts = take_segments(self.values, self.starts, trees)
        rounds = starts_of(np.diff(self.rounds)[order])
        return Tables(values, starts, self.score[trees], rounds, self.bias, self.of_trees)


@dataclass(frozen=True, eq=False)
class Votes:
    """Votes of base classifiers on n rows, as leaf codes and tables.

    Make them with `Ensemble.votes` or `Votes.from_dense`.

    Parameters
    ----------
    codes : ndarray of shape (n, n_trees), uint8, uint16 or uint32
        Leaf of each row in each tree.
    tables : Tables
        Votes of every leaf, and which trees make up which h_j.

    Examples
    --------
    >>> import mddag
    >>> votes = mddag.Votes.from_dense([[1.0, -0.5], [-1.0, 0.25]], bias=0.5)
    >>> votes.scores()
    array([[ 1.  ],
           [-0.25]])
    >>> votes.dense().shape
    (2, 2, 1)
    """

    codes: Codes
    tables: Tables

    def __post_init__(self) -> None:
        instead = "use ensemble.votes(X) or Votes.from_dense"
        check_is("tables", self.tables, Tables, f"Tables: {instead}")
        if getattr(self.codes, "ndim", 0) != 2 or self.codes.shape[1] != self.tables.n_trees:
            raise ValueError(
                f"codes are {described(self.codes)}; wanted (n, {self.tables.n_trees}): {instead}"
            )
        n_leaves = self.tables.n_leaves
        bad = np.flatnonzero(self.codes.max(axis=0, initial=0) >= n_leaves)
        if len(bad) and len(self):
            raise ValueError(
                f"codes of tree {bad[0]} go up to {self.codes[:, bad[0]].max()}; "
                f"wanted numbers below {n_leaves[bad[0]]}, its leaves"
            )

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def nbytes(self) -> int:
        """Bytes held, including the tables."""
        arrays = (self.tables.values, self.tables.starts, self.tables.score, self.tables.rounds)
        return self.codes.nbytes + sum(a.nbytes for a in arrays)

    def dense(self) -> NDArray[np.float64]:
        """Return the votes h_j(x_i) as numbers.

        Returns
        -------
        ndarray of shape (n, N, K)
            Votes.
        """
        tables = self.tables
        dense = np.zeros((len(self), tables.n_classifiers, tables.n_scores))
        for j in range(tables.n_classifiers):
            for t in range(tables.rounds[j], tables.rounds[j + 1]):
                table, k = tables.values[tables.starts[t] : tables.starts[t + 1]], tables.score[t]
                if k >= 0:  # a table of all classes would be zeros but for one
                    dense[:, j, k] += table[self.codes[:, t]]
                else:
                    dense[:, j] += table.reshape(-1, tables.n_scores)[self.codes[:, t]]
        return dense

    def scores(self) -> NDArray[np.float64]:
        """Return f(x_i), the bias plus the sum of all votes in their order.

        Returns
        -------
        ndarray of shape (n, K)
            Scores.
        """
        return self._scores.copy()

    @cached_property
    def _scores(self) -> NDArray[np.float64]:
        """Scores, summed once: orders, levels, exits and estimates all start from them."""
        scores = np.tile(self.tables.bias, (len(self), 1))
        _core.add_coded_scores(self.tables.native, self.codes, scores)
        return scores

    def rows(self, index: NDArray[np.intp] | NDArray[np.bool_] | slice) -> Votes:
        """Select rows.

        Parameters
        ----------
        index : ndarray of int or bool, or slice
            Row numbers or a mask.

        Returns
        -------
        Votes
            Votes on these rows.
        """
        if (
            not isinstance(index, slice)
            and np.size(index)
            and np.asarray(index).dtype.kind not in "iub"
        ):
            raise ValueError(f"index is {described(index)}; wanted numbers of rows, or a mask")
        return Votes(np.ascontiguousarray(self.codes[index]), self.tables)

    def reordered(self, order: Sequence[int] | NDArray[np.intp]) -> Votes:
        """Select base classifiers.

        Parameters
        ----------
        order : sequence of int
            Their numbers, in the new order.

        Returns
        -------
        Votes
            Their votes; the same object if nothing changes.
        """
        order = checked_order(order, self.tables.n_classifiers)
        if np.array_equal(order, np.arange(self.tables.n_classifiers)):
            return self
        # indexing would copy twice: it lays out column by column
        codes = np.take(self.codes, self.tables.trees_of(order), axis=1)
        return Votes(codes, self.tables.taken(order))

    @classmethod
    def from_dense(cls, dense: ArrayLike, bias: ArrayLike = 0.0) -> Votes:
        """Code votes that are given as numbers.

        Parameters
        ----------
        dense : array-like of shape (n, N) or (n, N, K)
            Votes; each distinct one gets a code.
        bias : array-like of shape (K,), default=0.0
            Initial scores.

        Returns
        -------
        Votes
            The coded votes.
        """
        votes = as_floats("dense", dense, "numbers (n, N) for one score or (n, N, K)")
        if votes.ndim not in (2, 3):
            raise ValueError(
                f"votes have shape {votes.shape}; wanted (n, N) for one score or (n, N, K)"
            )
        votes = votes[:, :, None] if votes.ndim == 2 else votes
        _, n_classifiers, n_scores = votes.shape
        wanted = f"one number, or one for each of {n_scores} score(s)"
        start = as_floats("bias", bias, wanted)
        if start.shape not in ((), (1,), (n_scores,)):
            raise ValueError(f"bias has shape {start.shape}; wanted {wanted}")
        columns, tables = [], []
        for j in range(n_classifiers):
            table, codes = np.unique(votes[:, j], axis=0, return_inverse=True)
            columns.append(codes.reshape(-1))
            tables.append(table)
        value_tables = Tables(
            values=np.concatenate([t.ravel() for t in tables]) if tables else np.empty(0),
            starts=starts_of([t.size for t in tables]),
            score=np.full(n_classifiers, 0 if n_scores == 1 else -1, np.int32),
            rounds=np.arange(n_classifiers + 1, dtype=np.int64),
            bias=np.broadcast_to(start, (n_scores,)).copy(),
            of_trees=False,
        )
        coded: Codes = np.empty((len(votes), n_classifiers), value_tables.code_dtype())
        for j, column in enumerate(columns):
            coded[:, j] = column
        return cls(coded, value_tables)


def check_scores(score: NDArray[np.integer[Any]], n_scores: int) -> None:
    """Raise ValueError for trees that vote for a score that does not exist."""
    bad = np.flatnonzero((score < -1) | (score >= n_scores))
    if len(bad):
        raise ValueError(
            f"tree {bad[0]} votes for score {score[bad[0]]}; wanted a number in "
            f"0..{n_scores - 1}, or -1 for all"
        )


def _check_starts(name: str, starts: NDArray[np.int64], n: int, end: int) -> None:
    """Raise ValueError unless starts of n segments rise from 0 to `end`."""
    sound = len(starts) == n + 1 > 0 and starts[0] == 0 and starts[-1] == end
    if not sound or (starts[1:] < starts[:-1]).any():
        raise ValueError(
            f"{name} are {np.array2string(starts, threshold=6)}; "
            f"wanted {n + 1} numbers that rise from 0 to {end}"
        )


def check_votes(votes: Any) -> None:
    """Raise TypeError unless `votes` are Votes."""
    check_is("votes", votes, Votes, "Votes, such as ensemble.votes(X) gives")


def starts_of(lengths: ArrayLike) -> NDArray[np.int64]:
    """Return where concatenated segments of these lengths begin, and the end."""
    return np.concatenate([[0], np.cumsum(np.asarray(lengths, np.int64))]).astype(np.int64)


def take_segments(
    flat: NDArray[Any], starts: NDArray[np.int64], segments: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Select segments of a flat array, in the given order, and return their new starts, too."""
    taken = [flat[starts[s] : starts[s + 1]] for s in segments]
    lengths = np.diff(starts)[segments]
    return (np.concatenate(taken) if taken else flat[:0]), starts_of(lengths)


TREES_AT_ONCE = 64  # codes of this many trees share a cache line of a row


def partial_sums(
    votes: Votes,
    start: int = 0,
    scores: NDArray[np.float64] | None = None,
    rows: NDArray[np.intp] | None = None,
) -> Iterator[NDArray[np.float64]]:
    """Yield f^(0), f^(1), … f^(N), each (n, K): one array that is changed in place.

    With `start` and `scores` it begins with f^(start); `rows` selects rows without copying all
    their votes at once.
    """
    tables = votes.tables
    if scores is None:
        scores = np.tile(tables.bias, (len(votes) if rows is None else len(rows), 1))
    else:
        scores = scores.copy()
    trees = _columns(votes, int(tables.rounds[start]), slice(None) if rows is None else rows)
    yield scores
    for j in range(start, tables.n_classifiers):
        for t in range(tables.rounds[j], tables.rounds[j + 1]):
            table, k = tables.values[tables.starts[t] : tables.starts[t + 1]], tables.score[t]
            if k >= 0:
                scores[:, k] += table[next(trees)]
            else:
                scores += table.reshape(-1, tables.n_scores)[next(trees)]
        yield scores


def top_and_margin(scores: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the first of the best classes and its margin over the second, both (n,); K > 1."""
    rows = np.arange(len(scores))
    top = scores.argmax(axis=1)
    rest = scores.copy()
    rest[rows, top] = -np.inf
    return top, scores[rows, top] - rest.max(axis=1)


def _columns(
    votes: Votes, first: int, rows: slice | NDArray[np.intp]
) -> Iterator[NDArray[np.unsignedinteger]]:
    for start in range(first, votes.tables.n_trees, TREES_AT_ONCE):
        yield from np.ascontiguousarray(votes.codes[:, start : start + TREES_AT_ONCE][rows].T)
