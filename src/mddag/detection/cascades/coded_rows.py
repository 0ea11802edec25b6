"""CodedRows: labelled rows as learners read them, and the base classifier that fits them best.

All cascades that train base classifiers ask a learner for the same: the h, voting ±1, with the
largest sum_i pull_i h(x_i). In AdaBoost the pull of a row is w_i y_i, its weight times its label;
FCBoost has another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.boosting.rounds import check_votes
from mddag.ensemble.nodes import Nodes
from mddag.learners.columns import Columns

SMOOTHING = 0.01  # rows: keeps alpha finite, as in AdaBoost.MH

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows of two classes.

    columns  : the rows as codes
    positive : bool (n,)
    """

    columns: Columns
    positive: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.positive)

    @property
    def signs(self) -> Vector:
        """y, +1 for positives and -1 for negatives, float64 (n,)."""
        return np.where(self.positive, 1.0, -1.0)

    def taken(self, rows: NDArray[np.intp]) -> CodedRows:
        """Some of the rows."""
        return CodedRows(self.columns.taken(rows), self.positive[rows])

    def votes(self, nodes: Nodes) -> Vector:
        """The votes of a tree on the rows, (n,)."""
        votes: Vector = nodes.votes[:, 0][self.columns.leaf_codes(nodes)]
        return votes

    def steepest(self, learner: Any, pull: Vector) -> tuple[Nodes, Vector]:
        """The tree with the largest sum of pull (n,) x votes ±1, and its votes (n,)."""
        size = np.abs(pull)
        targets = np.where(pull < 0, -1, 1).astype(np.int8)[:, None]
        nodes = learner.fit(self.columns, targets, (size / size.sum())[:, None])
        check_votes(nodes, 1, learner)
        return nodes, self.votes(nodes)


def balanced(positive: NDArray[np.bool_]) -> Vector:
    """Weights (n,) that give half of 1 to each class."""
    n_positive = max(int(positive.sum()), 1)
    return np.where(positive, 0.5 / n_positive, 0.5 / max(len(positive) - n_positive, 1))


def step_length(right: float, n_rows: int) -> float:
    """alpha of AdaBoost for votes that are right on this share of the weight."""
    delta = SMOOTHING / n_rows
    return 0.5 * math.log((right + delta) / (1 - right + delta))
