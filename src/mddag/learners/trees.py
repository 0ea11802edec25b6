"""The base learners `Stump` and `Tree`, which search over coded columns."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from mddag._utils.checks import Parameters
from mddag.ensemble.nodes import Nodes
from mddag.learners.columns import Columns
from mddag.learners.learner import best_first_tree, best_stump


@dataclass
class Stump(Parameters):
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
        """Learn one stump; see `Learner.fit`.

        Parameters
        ----------
        columns : Columns
            Coded columns of the training rows.
        targets : ndarray of shape (n, K), int8
            Targets in {+1, -1}.
        weights : ndarray of shape (n, K), float64
            Weights that sum to 1.

        Returns
        -------
        Nodes
            The stump.
        """
        return best_stump(columns, targets, weights)


@dataclass
class Tree(Parameters):
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
        """Learn one tree; see `Learner.fit`.

        Parameters
        ----------
        columns : Columns
            Coded columns of the training rows.
        targets : ndarray of shape (n, K), int8
            Targets in {+1, -1}.
        weights : ndarray of shape (n, K), float64
            Weights that sum to 1.

        Returns
        -------
        Nodes
            The tree.
        """
        if not isinstance(self.n_leaves, Integral) or not 2 <= self.n_leaves <= 256:
            raise ValueError(f"n_leaves is {self.n_leaves!r}; wanted a whole number from 2 to 256")
        return best_first_tree(columns, targets, weights, self.n_leaves)
