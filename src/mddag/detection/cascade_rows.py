"""The rows of a cascade in training: to boost on, and held out for thresholds.

Rows that a cascade rejects leave both parts.

Every cascade asks a learner for the same: the base classifier h, voting ±1, with the largest
sum_i pull_i h(x_i). In AdaBoost the pull of a row is its weight times its label; FCBoost has
another.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mddag._utils.cached import cached_property
from mddag.boosting.rounds import check_votes
from mddag.boosting.training_set import TrainingSet, on_used_columns
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import Nodes
from mddag.ensemble.patches import PatchFeatures
from mddag.learners.columns import Columns
from mddag.learners.learner import Learner, own_columns

ROUNDING = 1e-9
SMOOTHING = 0.01  # rows: keeps alpha finite, as in AdaBoost.MH

Vector = NDArray[np.float64]
Flags = NDArray[np.bool_]
Index = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Binary rows that base classifiers are trained on."""

    columns: Columns  # the rows as codes
    positive: Flags  # bool (n,)

    @classmethod
    def of(cls, rows: TrainingSet, learner: Learner, n_jobs: int = 1) -> CodedRows:
        """Code the columns that the learner reads."""
        own = own_columns(learner)
        if own is not None and isinstance(rows.features, PatchFeatures):
            columns = own.columns(np.asarray(rows.rows), rows.features, None, n_jobs)
        else:
            columns = Columns.from_rows(rows.rows, nominal=rows.nominal, n_jobs=n_jobs)
        return cls(columns, rows.labels > 0)

    @property
    def signs(self) -> Vector:
        """Return labels y, +1 for positives and -1 for negatives, float64 (n,)."""
        return np.where(self.positive, 1.0, -1.0)

    def taken(self, rows: Index) -> CodedRows:
        """Return some of the rows."""
        return CodedRows(self.columns.taken(rows), self.positive[rows])

    def steepest(self, learner: Learner, pull: Vector) -> tuple[Nodes, Vector]:
        """Learn the tree with the largest sum of pull (n,) x votes ±1, and its votes (n,)."""
        size = np.abs(pull)
        targets = np.where(pull < 0, -1, 1).astype(np.int8)[:, None]
        nodes = learner.fit(self.columns, targets, (size / size.sum())[:, None])
        check_votes(nodes, 1, learner)
        return nodes, nodes.votes[:, 0][self.columns.leaf_codes(nodes)]


class BoostedTree(NamedTuple):
    """One round of AdaBoost."""

    tree: Nodes  # with votes ±alpha
    votes: Vector  # of the rows
    is_perfect: bool


def boosted(
    rows: CodedRows, learner: Learner, weight: Vector, n_weighted: int
) -> BoostedTree | None:
    """Learn AdaBoost's next tree, where `n_weighted` rows have a weight; None if by chance."""
    nodes, votes = rows.steepest(learner, weight * rows.signs)
    right = float(weight[votes == rows.signs].sum())
    delta = SMOOTHING / n_weighted
    alpha = 0.5 * math.log((right + delta) / (1 - right + delta))
    if alpha <= 0:
        return None
    return BoostedTree(weighed(nodes, alpha), alpha * votes, right > 1 - ROUNDING)


def adaboost(rows: CodedRows, learner: Learner) -> Iterator[tuple[Nodes, Vector]]:
    """Yield trees with votes ±alpha, and these votes (n,), until one has no error or none helps.

    Both classes have the same weight at first.
    """
    weight = balanced(rows.positive)
    while (found := boosted(rows, learner, weight, len(weight))) is not None:
        yield found.tree, found.votes
        weight = weight * np.exp(-found.votes * rows.signs)
        weight /= weight.sum()
        if found.is_perfect:
            return


def balanced(positive: Flags, positive_weight: float = 1.0) -> Vector:
    """Return weights (n,) that sum to 1; the positives weigh `positive_weight` negatives."""
    n_positive = int(positive.sum())
    of_positive = positive_weight / max(n_positive, 1)
    weight = np.where(positive, of_positive, 1 / max(len(positive) - n_positive, 1))
    return np.asarray(weight / weight.sum())


def weighed(nodes: Nodes, alpha: float) -> Nodes:
    """Return the tree with votes ±alpha instead of ±1."""
    return Nodes(nodes.records, alpha * nodes.votes, nodes.words)


@dataclass(frozen=True, eq=False)
class CascadeRows:
    """Rows to boost on, and rows held out for thresholds."""

    boosted: TrainingSet
    held: TrainingSet
    learner: Learner
    n_jobs: int = 1

    @cached_property
    def coded(self) -> CodedRows:
        """Return the rows to boost on as codes."""
        return CodedRows.of(self.boosted, self.learner, self.n_jobs)

    def kept(self, boosted: Index, held: Index) -> CascadeRows:
        """Return some of the rows; they keep their codes."""
        part = replace(self, boosted=self.boosted.take(boosted), held=self.held.take(held))
        part.__dict__["coded"] = self.coded.taken(boosted)
        return part

    def held_votes(self, tree: Nodes) -> Vector:
        """Return the votes of a tree on the rows held out, (n,)."""
        votes: Vector = tree.votes[self.held.leaf_codes(tree, self.n_jobs), 0]
        return votes


def votes_of(rows: TrainingSet, trees: list[Nodes]) -> Vector:
    """Return the votes of trees, (n, T)."""
    used, features = on_used_columns(trees, rows.features)
    return Ensemble.from_trees(used, features=features).votes(rows.rows).dense()[:, :, 0]
