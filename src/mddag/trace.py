"""Trace: what a DAG did with a set of instances: scores and classification paths U_x.

The path of instance i is ``indices[indptr[i]:indptr[i + 1]]``, the base classifiers evaluated on
it in the order of evaluation, numbered as in the source ensemble. ``edges`` counts how often two
follow each other: the edge multiplicities of Figure 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

EDGE = np.dtype([("source", np.intp), ("target", np.intp), ("count", np.intp)])


@dataclass(frozen=True, eq=False)
class Trace:
    """Scores, paths and costs of n instances.

    scores    : float64 (n, K)
    indptr    : int64 (n + 1,)
    indices   : int32, the paths one behind the other
    exit_step : int32 (n,), the step of the policy after which the instance evaluates no more
    cost      : float64 (n,)
    """

    scores: NDArray[np.float64]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    exit_step: NDArray[np.int32]
    cost: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def n_evaluated(self) -> NDArray[np.int64]:
        """Base classifiers evaluated per instance, (n,)."""
        return np.diff(self.indptr)

    def path(self, i: int) -> NDArray[np.int32]:
        """The base classifiers evaluated on instance i, in order."""
        return self.indices[self.indptr[i] : self.indptr[i + 1]]

    def paths(self) -> dict[tuple[int, ...], int]:
        """The distinct paths and how many instances follow each, the most used first."""
        counts: dict[tuple[int, ...], int] = {}
        for i in range(len(self)):
            path = tuple(self.path(i).tolist())
            counts[path] = counts.get(path, 0) + 1
        return dict(sorted(counts.items(), key=lambda item: -item[1]))

    @property
    def n_paths(self) -> int:
        """The number of distinct paths."""
        return len(self.paths())

    def edges(self, groups: ArrayLike | None = None) -> NDArray[Any]:
        """The edges of all paths with their multiplicities, a record array.

        With `groups` (n,), the field `count` has one column per distinct group, in sorted order.
        """
        inside = np.ones(len(self.indices), bool)
        inside[self.indptr[:-1][self.n_evaluated > 0]] = False  # the first of a path has no edge in
        at = np.flatnonzero(inside)
        pairs = np.stack([self.indices[at - 1], self.indices[at]], axis=1)
        kinds, which = np.unique(pairs, axis=0, return_inverse=True)
        group, n_groups = self._groups(groups)
        owner = np.repeat(np.arange(len(self)), self.n_evaluated)[at]
        count = np.zeros((len(kinds), n_groups), np.intp)
        np.add.at(count, (which.reshape(-1), group[owner]), 1)
        return _edge_records(kinds, count, groups is not None)

    def uses(self, n_classifiers: int, groups: ArrayLike | None = None) -> NDArray[np.intp]:
        """How many instances of each group evaluate h_j, (n_classifiers, n_groups)."""
        group, n_groups = self._groups(groups)
        count = np.zeros((n_classifiers, n_groups), np.intp)
        np.add.at(count, (self.indices, np.repeat(group, self.n_evaluated)), 1)
        return count

    def _groups(self, groups: ArrayLike | None) -> tuple[NDArray[np.intp], int]:
        if groups is None:
            return np.zeros(len(self), np.intp), 1
        array = np.asarray(groups)
        if array.shape != (len(self),):
            raise ValueError(
                f"groups has shape {array.shape}; wanted one group for each of the {len(self)} "
                f"instances, ({len(self)},)"
            )
        values, group = np.unique(array, return_inverse=True)
        return group.reshape(-1), len(values)


def _edge_records(kinds: NDArray[Any], count: NDArray[np.intp], grouped: bool) -> NDArray[Any]:
    dtype: Any = EDGE
    if grouped:
        dtype = [("source", np.intp), ("target", np.intp), ("count", np.intp, (count.shape[1],))]
    edges = np.zeros(len(kinds), dtype)
    if len(kinds):
        edges["source"], edges["target"] = kinds.T
        edges["count"] = count if grouped else count[:, 0]
    return edges
