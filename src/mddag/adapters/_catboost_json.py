"""CatBoost's JSON trees as a ``TreeArrays``: float features, ``float32(x) > border`` goes right.

A symmetric tree has one split per level, and the outcome of level d is bit d of the leaf's number.
With the last level at the root, its leaves stand in the order of these numbers. Depthwise and
Lossguide trees are nested nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.adapters import _split_rules as split
from mddag.adapters._tree_arrays import TreeArrays
from mddag.ensemble.votes import starts_of


@dataclass(frozen=True)
class _Tree:
    feature: NDArray[np.int64]  # float_feature_index, -1 at a leaf
    border: NDArray[np.float64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    votes: NDArray[np.float64]  # (n_leaves, width)
    weight: NDArray[np.float64]


def read_json(model: dict[str, Any], width: int) -> TreeArrays:
    """The trees of a model saved with ``format="json"``; leaves vote for `width` scores."""
    if "oblivious_trees" in model:
        trees = [_symmetric(tree, width) for tree in model["oblivious_trees"]]
    else:
        trees = [_nested(tree, width) for tree in model["trees"]]
    feature = np.concatenate([tree.feature for tree in trees])
    columns = model["features_info"]["float_features"]
    column, missing_left = np.zeros(len(columns) + 1, np.int64), np.ones(len(columns) + 1, np.bool_)
    column[-1] = -1  # what a leaf's -1 picks
    for about in columns:
        column[about["feature_index"]] = about["flat_feature_index"]
        # AsFalse reads NaN as -inf; AsIs compares it, which is false: both go left.
        missing_left[about["feature_index"]] = about["nan_value_treatment"] != "AsTrue"
    return TreeArrays(
        starts=starts_of([len(tree.feature) for tree in trees]),
        feature=column[feature],
        threshold=split.at_most_float32(np.concatenate([tree.border for tree in trees])),
        left=np.concatenate([tree.left for tree in trees]),
        right=np.concatenate([tree.right for tree in trees]),
        missing_left=missing_left[feature],
        votes=np.concatenate([tree.votes for tree in trees]),
        weight=np.concatenate([tree.weight for tree in trees]),
        sets={},
    )


def _symmetric(tree: dict[str, Any], width: int) -> _Tree:
    questions = (tree.get("splits") or [])[::-1]
    n_inner = 2 ** len(questions) - 1
    n_nodes = 2 * n_inner + 1
    per_level = 2 ** np.arange(len(questions))
    feature, border = np.full(n_nodes, -1), np.zeros(n_nodes)
    asked = [question["float_feature_index"] for question in questions]
    feature[:n_inner] = np.repeat(np.array(asked, np.int64), per_level)
    border[:n_inner] = np.repeat(np.array([q["border"] for q in questions], float), per_level)
    node = np.arange(n_nodes)
    votes = np.array(tree["leaf_values"], np.float64).reshape(-1, width)
    weight = np.array(tree.get("leaf_weights") or np.ones(len(votes)), np.float64)
    return _Tree(feature, border, 2 * node + 1, 2 * node + 2, votes, weight)


def _nested(tree: dict[str, Any], width: int) -> _Tree:
    records: list[tuple[int, float, int, int]] = []
    votes, weight = [], []
    waiting: list[tuple[dict[str, Any], int]] = [(tree, -1)]  # a node, and whose right child it is
    while waiting:
        node, parent = waiting.pop()
        at = len(records)
        if parent >= 0:
            records[parent] = (*records[parent][:3], at)
        if "split" not in node:
            records.append((-1, 0.0, -1, -1))
            votes.append(node["value"])
            weight.append(node.get("weight", 1.0))
            continue
        question = node["split"]
        records.append((question["float_feature_index"], question["border"], at + 1, -1))
        waiting += [(node["right"], at), (node["left"], -1)]
    feature, border, left, right = (np.array(field) for field in zip(*records, strict=True))
    return _Tree(
        feature,
        border,
        left,
        right,
        np.array(votes, float).reshape(-1, width),
        np.array(weight, float),
    )
