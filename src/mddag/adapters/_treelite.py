"""Read models through treelite, which follows changes of other libraries' private formats.

Its trees become ``TreeArrays``. Which scores the trees vote for (``score``), the prior (``base``),
and whether the sum is to be divided by the number of trees (``averaged``) are left as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.adapters._trees import TreeArrays
from mddag.ensemble.nodes import category_words
from mddag.ensemble.votes import starts_of

Translation = Callable[[NDArray[Any]], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Source:
    """A model as treelite represents it."""

    flat: TreeArrays  # the trees
    score: NDArray[np.int32]  # (n_trees,), score that each tree votes for, -1 for all
    base: NDArray[np.float64]  # (K,), prior
    averaged: bool  # whether the sum is to be divided by the number of trees
    n_features: int  # number of features
    n_target: int  # number of outputs; above 1 the model predicts several targets at once


def read(model: Any, translate: Translation) -> Source:
    """Read the trees of a ``treelite.Model``; `translate` makes our thresholds of the source's."""
    header = model.get_header_accessor()
    trees = [model.get_tree_accessor(t) for t in range(model.num_tree)]
    # Fields are views of the model's memory, which ends with it: whatever is kept is copied.
    return Source(
        flat=_flat(trees, translate),
        score=np.array(header.get_field("class_id"), np.int32),
        base=np.array(header.get_field("base_scores"), np.float64),
        averaged=bool(header.get_field("average_tree_output")[0]),
        n_features=int(header.get_field("num_feature")[0]),
        n_target=int(header.get_field("num_target")[0]),
    )


def _flat(trees: list[Any], translate: Translation) -> TreeArrays:
    starts = starts_of([tree.get_field("num_nodes")[0] for tree in trees])
    feature = _joined(trees, "split_index")
    missing_left = _joined(trees, "default_left") != 0
    left, right = _joined(trees, "cleft"), _joined(trees, "cright")
    # Sets may name the right-going categories; ours go left, so the children change places
    swap = _joined(trees, "category_list_right_child") != 0
    left, right = np.where(swap, right, left), np.where(swap, left, right)
    leaf = feature < 0
    return TreeArrays(
        starts=starts,
        feature=feature,
        threshold=translate(np.where(leaf, 0, _joined(trees, "threshold"))),
        left=left,
        right=right,
        missing_left=missing_left ^ swap,
        votes=_votes(trees, leaf),
        weight=_weights(trees, starts)[leaf],
        sets=_sets(trees, starts),
    )


def _votes(trees: list[Any], leaf: NDArray[np.bool_]) -> NDArray[np.float64]:
    vectors = _joined(trees, "leaf_vector")
    if len(vectors):  # one vector per leaf, in the order of the leaves
        return vectors.reshape(int(leaf.sum()), -1).astype(np.float64)
    return _joined(trees, "leaf_value")[leaf, None].astype(np.float64)


def _weights(trees: list[Any], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return training rows per node, or else the source's sums of hessians, or else 1."""
    for name in ("data_count", "sum_hess"):
        weight = _joined(trees, name)
        if len(weight) == starts[-1]:
            return weight.astype(np.float64)
    return np.ones(starts[-1])


def _sets(trees: list[Any], starts: NDArray[np.int64]) -> dict[int, NDArray[np.uint32]]:
    sets = {}
    for tree, start in zip(trees, starts[:-1], strict=True):
        if not tree.get_field("has_categorical_split")[0]:
            continue
        categories = tree.get_field("category_list").astype(np.int64)
        begin, end = tree.get_field("category_list_begin"), tree.get_field("category_list_end")
        for at in np.flatnonzero(tree.get_field("node_type") == 2):
            sets[int(start + at)] = category_words(categories[int(begin[at]) : int(end[at])])
    return sets


def _joined(trees: list[Any], name: str) -> NDArray[Any]:
    return np.concatenate([tree.get_field(name) for tree in trees])
