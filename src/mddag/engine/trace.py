"""Trace: scores and classification paths U_x of a set of rows."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.checks import check_whole, described


@dataclass(frozen=True, eq=False)
class Trace:
    """Scores, paths and costs of n rows, as `Dag.run` returns them.

    The path of row i is ``indices[indptr[i]:indptr[i + 1]]``, the base classifiers evaluated on it
    in the order of evaluation, numbered as in the source ensemble.

    Parameters
    ----------
    scores : ndarray of shape (n, K)
        Final scores.
    indptr : ndarray of shape (n + 1,), int64
        Where the path of each row begins.
    indices : ndarray of int32
        The paths, concatenated.
    exit_step : ndarray of shape (n,), int32
        One more than the last step at which the row evaluates, 0 if none.
    cost : ndarray of shape (n,)
        Price of the evaluated base classifiers.
    verdict : ndarray of shape (n,), default=None
        Class of each row, an index into the ensemble's classes: the policy's verdict if it has one,
        else the class by the scores. -1 for regressors and rankers.
    groups : ndarray of shape (n, G), bool, default=None
        Groups of features that each row bought, if features have prices.
    feature_cost : ndarray of shape (n,), default=None
        Price of these groups and of the waves.
    waves : ndarray of shape (n,), default=None
        How many times a row waited for groups.

    Examples
    --------
    >>> import mddag
    >>> votes = [lambda X: X[:, 0], lambda X: X[:, 1]]
    >>> ensemble = mddag.Ensemble.from_callables(votes, n_features=2)
    >>> policy = mddag.Policy([[0, 0], [0, 2]], mddag.Grid([0.0]), order=[0, 1])
    >>> trace = mddag.compile(ensemble, policy).run([[3.0, 1.0], [-1.0, 2.0]])
    >>> trace
    <Trace of 2 rows, 1.5 evaluations each on average>
    >>> trace.path(1).tolist()
    [0, 1]
    """

    scores: NDArray[np.float64]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    exit_step: NDArray[np.int32]
    cost: NDArray[np.float64]
    verdict: NDArray[np.intp] = None  # type: ignore[assignment]  # set below: one for each row
    groups: NDArray[np.bool_] | None = None
    feature_cost: NDArray[np.float64] | None = None
    waves: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        if self.verdict is None:
            object.__setattr__(self, "verdict", np.full(len(self), -1, np.intp))

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        mean = self.n_evaluated.mean() if len(self) else 0.0
        return f"<Trace of {len(self)} rows, {mean:.1f} evaluations each on average>"

    @property
    def n_evaluated(self) -> NDArray[np.int64]:
        """Number of base classifiers evaluated for each row, (n,)."""
        return np.diff(self.indptr)

    def path(self, i: int) -> NDArray[np.int32]:
        """Return the base classifiers evaluated on one row, in order.

        Parameters
        ----------
        i : int
            The row; -1 is the last.

        Returns
        -------
        ndarray of int32
            Numbers of base classifiers.
        """
        n = len(self)
        if not isinstance(i, Integral):
            raise TypeError(f"i is {described(i)}; wanted the number of a row")
        if not -n <= i < n:
            raise IndexError(f"there is no row {i}; wanted a number from {-n} to {n - 1}")
        i %= n
        return self.indices[self.indptr[i] : self.indptr[i + 1]]

    def paths(self) -> dict[tuple[int, ...], int]:
        """Count how many rows follow each distinct path.

        Returns
        -------
        dict
            Counts by path, the most used first; equally used ones in the order in which rows take
            them.
        """
        counts: dict[tuple[int, ...], int] = {}
        for i in range(len(self)):
            path = tuple(self.path(i).tolist())
            counts[path] = counts.get(path, 0) + 1
        return dict(sorted(counts.items(), key=lambda item: -item[1]))

    @property
    def n_paths(self) -> int:
        """Number of distinct paths."""
        return len(self.paths())

    def edges(self, groups: ArrayLike | None = None) -> NDArray[Any]:
        """Count how often two base classifiers follow each other, as in Figure 1.

        Parameters
        ----------
        groups : array-like of shape (n,), default=None
            Group of each row; the field `count` then has one column per distinct group, in sorted
            order.

        Returns
        -------
        ndarray of records
            Fields `source`, `target` and `count`.
        """
        inside = np.ones(len(self.indices), bool)
        inside[self.indptr[:-1][self.n_evaluated > 0]] = False  # the first of a path has no edge in
        at = np.flatnonzero(inside)
        group, n_groups = self._groups(groups)
        width = int(self.indices.max(initial=0)) + 1
        pair = self.indices[at - 1].astype(np.int64) * width + self.indices[at]
        owner = np.repeat(group, self.n_evaluated)[at]
        found, times = np.unique(pair * n_groups + owner, return_counts=True)
        pairs, which = np.unique(found // n_groups, return_inverse=True)
        count = np.zeros((len(pairs), n_groups), np.intp)
        count[which, found % n_groups] = times
        counted = ("count", np.intp) if groups is None else ("count", np.intp, (n_groups,))
        edges = np.zeros(len(pairs), [("source", np.intp), ("target", np.intp), counted])
        edges["source"], edges["target"] = np.divmod(pairs, width)
        edges["count"] = count[:, 0] if groups is None else count
        return edges

    def uses(self, n_classifiers: int, groups: ArrayLike | None = None) -> NDArray[np.intp]:
        """Count how many rows of each group evaluate h_j.

        Parameters
        ----------
        n_classifiers : int
            Number of base classifiers of the source ensemble.
        groups : array-like of shape (n,), default=None
            Group of each row; one group by default.

        Returns
        -------
        ndarray of shape (n_classifiers, n_groups)
            Counts.
        """
        check_whole("n_classifiers", n_classifiers, 0)
        if self.indices.max(initial=-1) >= n_classifiers:
            raise ValueError(
                f"a path evaluates base classifier {self.indices.max()}; wanted n_classifiers to "
                f"be the size of the source ensemble, got {n_classifiers}"
            )
        group, n_groups = self._groups(groups)
        use = self.indices.astype(np.int64) * n_groups + np.repeat(group, self.n_evaluated)
        return np.bincount(use, minlength=n_classifiers * n_groups).reshape(-1, n_groups)

    def _groups(self, groups: ArrayLike | None) -> tuple[NDArray[np.intp], int]:
        if groups is None:
            return np.zeros(len(self), np.intp), 1
        array = np.asarray(groups)
        if array.shape != (len(self),):
            raise ValueError(
                f"groups has shape {array.shape}; wanted one group for each of the {len(self)} "
                f"rows, ({len(self)},)"
            )
        values, group = np.unique(array, return_inverse=True)
        return group.reshape(-1), len(values)
