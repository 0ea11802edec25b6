"""What evaluating a base classifier costs: nodes that a row visits, groups of features it reads.

A row that reaches a leaf at depth d has made d comparisons, so nodes are looked up like votes, in a
table by leaf code.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.feature_prices import FeaturePrices
from mddag.ensemble.votes import Codes, starts_of

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LeafDepths:
    """Depths of leaves, tree by tree."""

    depths: Numbers  # depth by leaf code, the trees concatenated
    starts: Numbers  # (n_trees + 1,), where the leaves of each tree begin
    rounds: Numbers  # (N + 1,), base classifier j has the trees rounds[j] … rounds[j + 1] - 1

    @classmethod
    def of(cls, ensemble: Ensemble) -> LeafDepths:
        """Compute the depths of an ensemble of trees."""
        if ensemble.callables:
            raise ValueError(
                "the base classifiers are callables, which have no nodes; wanted an ensemble of "
                "trees, or objective='evaluations'"
            )
        tables = ensemble.tables
        starts = starts_of(tables.n_leaves)
        depths = np.zeros(starts[-1], np.int64)
        tree, at, depth = np.arange(ensemble.n_trees), ensemble.starts[:-1], 0
        while len(at):  # level by level
            level = ensemble.nodes[at]
            leaf = level["feature"] < 0
            depths[starts[tree[leaf]] + level["left"][leaf]] = depth
            level, tree = level[~leaf], np.tile(tree[~leaf], 2)
            children = np.concatenate([level["left"], level["right"]])
            at, depth = ensemble.starts[tree] + children, depth + 1
        return cls(depths, starts, tables.rounds)

    def of_rows(self, codes: Codes) -> NDArray[np.int32]:
        """Return the nodes that rows with leaf codes (n, n_trees) visit in each h_j, (n, N)."""
        nodes = np.zeros((len(codes), len(self.rounds) - 1), np.int32)
        for j, (first, end) in enumerate(zip(self.rounds[:-1], self.rounds[1:], strict=True)):
            for t in range(first, end):
                nodes[:, j] += self.depths[self.starts[t] : self.starts[t + 1]][codes[:, t]]
        return nodes


def read_groups(prices: FeaturePrices, ensemble: Ensemble) -> NDArray[np.bool_]:
    """Return the groups that the trees of each base classifier read, (N, G)."""
    feature, tables = ensemble.nodes["feature"], ensemble.tables
    tree = np.repeat(np.arange(ensemble.n_trees), np.diff(ensemble.starts))
    classifier = np.repeat(np.arange(len(ensemble)), np.diff(tables.rounds))
    buys = np.zeros((len(ensemble), prices.n_groups), bool)
    split = feature >= 0
    group = prices.group_of(ensemble.n_features)
    buys[classifier[tree[split]], group[feature[split]]] = True
    return buys
