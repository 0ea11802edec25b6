"""Importance: the share of each feature in the boosting.

Round j has the gain alpha_j edge_j. Its splits share it in proportion to their gain, the rise of
sum_k |sum_i w_ik y_ik| from a node to its two children; splits without any gain share it evenly.
The result sums to 1 (to 0 if no round splits). It measures use on the training rows, no more.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from mddag.boosting.rounds import Round
from mddag.ensemble.nodes import Nodes


def feature_importances(played: Iterable[Round], n_features: int) -> NDArray[np.float64]:
    """The share of each feature, float64 (n_features,)."""
    importances = np.zeros(n_features)
    for r in played:
        splits = r.nodes.records["feature"] >= 0
        if not splits.any():
            continue
        gains = split_gains(r.nodes, r.sums)[splits].astype(np.float64)
        gains = gains if gains.any() else np.ones(len(gains))
        share = r.alpha * r.edge * gains / gains.sum()
        np.add.at(importances, r.nodes.records["feature"][splits], share)
    total = importances.sum()
    return importances / total if total > 0 else importances


def split_gains(nodes: Nodes, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    """The gain of every node, int64 (n_nodes,), 0 at leaves; sums : (n_leaves, K) by leaf."""
    below = np.zeros((len(nodes.records), sums.shape[1]), np.int64)
    gains = np.zeros(len(nodes.records), np.int64)
    for at in reversed(range(len(nodes.records))):  # children follow their parent
        _, feature, left, right, *_ = nodes.records[at]
        if feature < 0:
            below[at] = sums[left]
            continue
        below[at] = below[left] + below[right]
        parts = np.abs(below[[left, right]]).sum()
        gains[at] = parts - np.abs(below[at]).sum()
    return gains
