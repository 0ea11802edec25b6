"""The base learners `Stump` and `Tree`, which search over coded columns."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.checks import Parameters
from mddag.ensemble.nodes import NODE, Nodes
from mddag.learners.columns import Columns
from mddag.learners.learner import Learner


@dataclass
class Stump(Parameters, Learner):
    """Learn the best cut of the best column.

    The vote is h_k(x) = v_k phi(x), with phi(x) = +1 if x > theta and -1 otherwise; on a nominal
    column phi is +1 inside a set of categories. The cut maximizes ``sum_k |edge_k|`` with edge_k =
    sum_i w_ik y_ik phi(x_i), and v_k is the sign of edge_k. If no split has a larger edge than a
    constant vote, the stump is that constant.

    Examples
    --------
    >>> from mddag import AdaBoostMHClassifier
    >>> from mddag.learners import Stump
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> AdaBoostMHClassifier(Stump(), n_rounds=1).fit(X, y).predict([[0.4], [2.6]])
    array([0, 1])
    """

    def fit(
        self, columns: Columns, targets: NDArray[np.int8], weights: NDArray[np.float64]
    ) -> Nodes:
        return _grown(columns, targets, weights, n_leaves=2, opposite=True)


@dataclass
class Tree(Parameters, Learner):
    """Learn a tree, grown best-first.

    Parameters
    ----------
    n_leaves : int, default=8
        Largest number of leaves, from 2 to 256.

    Examples
    --------
    >>> from mddag import AdaBoostMHClassifier
    >>> from mddag.learners import Tree
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 1, 0]
    >>> AdaBoostMHClassifier(Tree(n_leaves=3), n_rounds=1).fit(X, y).predict(X)
    array([0, 1, 1, 0])
    """

    n_leaves: int = 8

    def fit(
        self, columns: Columns, targets: NDArray[np.int8], weights: NDArray[np.float64]
    ) -> Nodes:
        if not isinstance(self.n_leaves, Integral) or not 2 <= self.n_leaves <= 256:
            raise ValueError(f"n_leaves is {self.n_leaves!r}; wanted a whole number from 2 to 256")
        return _grown(columns, targets, weights, n_leaves=int(self.n_leaves), opposite=False)


def _grown(
    columns: Columns,
    targets: NDArray[np.int8],
    weights: NDArray[np.float64],
    n_leaves: int,
    opposite: bool,
) -> Nodes:
    """Grow a tree; `opposite` lets both leaves of a stump vote v and -v."""
    for name, array, dtype in (("targets", targets, np.int8), ("weights", weights, np.float64)):
        if array.dtype != dtype or not array.flags.c_contiguous or array.ndim != 2:
            order = "C-contiguous" if array.flags.c_contiguous else "not C-contiguous"
            raise ValueError(
                f"{name} is {array.dtype} {array.shape}, {order}; "
                f"wanted C-contiguous {np.dtype(dtype)} (n, K)"
            )
    if targets.shape != weights.shape or len(targets) != columns.n_rows or targets.size == 0:
        raise ValueError(
            f"targets {targets.shape} and weights {weights.shape} do not fit "
            f"{columns.n_rows} rows; wanted both of shape ({columns.n_rows}, K) with K >= 1"
        )
    n_splits = n_leaves - 1
    records = np.empty(2 * n_splits + 1, NODE)
    cuts = np.empty(len(records), np.int32)
    votes = np.empty((n_leaves, targets.shape[1]))
    set_words = (int(columns.n_codes[columns.nominal].max(initial=0)) + 31) // 32
    words = np.empty(n_splits * set_words, np.uint32)
    n_nodes = _core.grow(
        columns.native,
        targets,
        weights,
        opposite,
        records.view(np.uint8),
        cuts,
        votes,
        words,
        columns.n_jobs,
    )
    if n_nodes < 0:
        bad = np.argwhere(~((weights >= 0) & (weights <= 1)))
        if len(bad):
            i, k = bad[0]
            raise ValueError(
                f"weights[{i}, {k}] is {weights[i, k]}; wanted weights >= 0 that sum to 1"
            )
        raise ValueError(f"weights sum to {weights.sum()}; wanted 1: divide them by their sum")
    records = records[:n_nodes]
    for record, cut in zip(records, cuts.tolist(), strict=False):
        feature = int(record["feature"])
        if feature >= 0 and not columns.nominal[feature]:
            record["threshold"] = columns.threshold(feature, cut)
    return Nodes(records, votes[: (n_nodes + 1) // 2], words[: records["n_words"].sum()])
