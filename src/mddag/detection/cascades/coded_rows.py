"""CodedRows: labelled rows as learners read them, and the base classifier that fits them best.

All cascades that train base classifiers ask a learner for the same: the h, voting ±1, with the
largest sum_i pull_i h(x_i). In AdaBoost the pull of a row is w_i y_i, its weight times its label;
FCBoost has another. ``HeldRows`` are rows that trees vote on without having been trained on them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag.boosting.rounds import check_votes, leaf_codes
from mddag.boosting.training_set import TrainingSet
from mddag.boosting.used_columns import on_used_columns
from mddag.ensemble.nodes import Nodes
from mddag.features.patches import PatchFeatures
from mddag.features.rows import Rows
from mddag.learners.columns import Columns
from mddag.learners.learner import own_columns

ROUNDING = 1e-9
SMOOTHING = 0.01  # rows: keeps alpha finite, as in AdaBoost.MH

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows of two classes that base classifiers are trained on.

    columns  : the rows as codes
    positive : bool (n,)
    """

    columns: Columns
    positive: NDArray[np.bool_]

    @classmethod
    def of(cls, rows: TrainingSet, learner: Any, n_threads: int = 1) -> CodedRows:
        """The columns that the learner reads."""
        own = own_columns(learner)
        if own is not None and isinstance(rows.features, PatchFeatures):
            columns = own.columns(np.asarray(rows.rows), rows.features, None, n_threads)
        else:
            columns = Columns.from_rows(rows.rows, nominal=rows.nominal, n_threads=n_threads)
        return cls(columns, rows.labels > 0)

    def __len__(self) -> int:
        return len(self.positive)

    @property
    def signs(self) -> Vector:
        """y, +1 for positives and -1 for negatives, float64 (n,)."""
        return np.where(self.positive, 1.0, -1.0)

    def taken(self, rows: NDArray[np.intp]) -> CodedRows:
        """Some of the rows."""
        return CodedRows(self.columns.taken(rows), self.positive[rows])

    def steepest(self, learner: Any, pull: Vector) -> tuple[Nodes, Vector]:
        """The tree with the largest sum of pull (n,) x votes ±1, and its votes (n,)."""
        size = np.abs(pull)
        targets = np.where(pull < 0, -1, 1).astype(np.int8)[:, None]
        nodes = learner.fit(self.columns, targets, (size / size.sum())[:, None])
        check_votes(nodes, 1, learner)
        return nodes, nodes.votes[:, 0][self.columns.leaf_codes(nodes)]


@dataclass(frozen=True, eq=False)
class HeldRows:
    """Rows of two classes that trees vote on.

    rows : float rows or patches; the integral images of patches are made once, for all trees
    """

    rows: TrainingSet
    n_threads: int = 1

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def positive(self) -> NDArray[np.bool_]:
        positive: NDArray[np.bool_] = self.rows.labels > 0
        return positive

    def votes(self, nodes: Nodes) -> Vector:
        """The votes of a tree over the columns of ``rows.features``, (n,)."""
        (tree,), features = on_used_columns([nodes], self.rows.features)
        leaf = leaf_codes(tree, self._values(features), self.n_threads)
        votes: Vector = nodes.votes[:, 0][leaf]
        return votes

    def _values(self, features: Any) -> Any:
        if not isinstance(features, PatchFeatures):
            return self._cells
        values = np.empty((features.n, len(self.rows)), np.float32)
        _core.haar_columns(self._cells, features.rectangles, values, self.n_threads)
        return np.ascontiguousarray(values.T)

    @cached_property
    def _cells(self) -> Any:
        rows, features = self.rows.rows, self.rows.features
        if isinstance(rows, Rows):
            return rows.in_c_order()
        assert isinstance(features, PatchFeatures)
        height, width = features.window
        sums = np.empty(((height + 1) * (width + 1), len(rows)), np.uint32)
        cells = sums, np.empty(len(rows), np.float32), height, width
        _core.haar_cells(np.ascontiguousarray(rows), cells, self.n_threads)
        return cells


def adaboost(rows: CodedRows, learner: Any) -> Iterator[tuple[Nodes, Vector]]:
    """The rounds of AdaBoost, both classes having the same weight at first: trees with votes
    ±alpha, and these votes (n,).

    It ends at a base classifier without error, or where none is better than chance.
    """
    weight, signs = balanced(rows.positive), rows.signs
    while True:
        nodes, votes = rows.steepest(learner, weight * signs)
        right = float(weight[votes == signs].sum())
        alpha = step_length(right, len(rows))
        if alpha <= 0:
            return
        yield weighed(nodes, alpha), alpha * votes
        weight *= np.exp(-alpha * votes * signs)
        weight /= weight.sum()
        if right > 1 - ROUNDING:
            return


def balanced(positive: NDArray[np.bool_], positive_weight: float = 1.0) -> Vector:
    """Weights (n,) that sum to 1, positives together having so many times that of negatives."""
    n_positive = int(positive.sum())
    of_positive = positive_weight / max(n_positive, 1)
    weight = np.where(positive, of_positive, 1 / max(len(positive) - n_positive, 1))
    balanced: Vector = weight / weight.sum()
    return balanced


def weighed(nodes: Nodes, alpha: float) -> Nodes:
    """The tree with votes ±alpha instead of ±1."""
    return Nodes(nodes.records, alpha * nodes.votes, nodes.words)


def step_length(right: float, n_rows: int) -> float:
    """alpha of AdaBoost for votes that are right on this share of the weight."""
    delta = SMOOTHING / n_rows
    return 0.5 * math.log((right + delta) / (1 - right + delta))
