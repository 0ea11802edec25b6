"""What scikit-learn's members share: the public ``tree_`` arrays, feature names, missing values.

Its trees round x to float32 and test ``float32(x) <= t``. treelite reads these models too, but
expects ``n_estimators`` trees, of which early stopping may have left fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.adapters import _split_rules as split
from mddag.adapters._probe import source_rows
from mddag.adapters._tree_arrays import TreeArrays
from mddag.ensemble.votes import starts_of
from mddag.features.features import Features


def read_trees(trees: Sequence[Any], votes: Sequence[NDArray[np.float64]]) -> TreeArrays:
    """The ``tree_`` objects `trees`; votes[t] (n_nodes, width) says what tree t's nodes vote."""
    feature = np.concatenate([tree.feature for tree in trees])
    leaf = feature < 0
    return TreeArrays(
        starts=starts_of([tree.node_count for tree in trees]),
        feature=np.where(leaf, -1, feature),
        threshold=split.at_most_float32(np.concatenate([tree.threshold for tree in trees])),
        left=np.concatenate([tree.children_left for tree in trees]),
        right=np.concatenate([tree.children_right for tree in trees]),
        missing_left=np.concatenate([tree.missing_go_to_left for tree in trees]) != 0,
        votes=np.concatenate(votes)[leaf],
        weight=np.concatenate([tree.weighted_n_node_samples for tree in trees])[leaf],
        sets={},
    )


def features_of(model: Any, predict: Callable[[Any], Any]) -> Features:
    """Names as fitted; NaN is allowed where the model itself takes it."""
    names = getattr(model, "feature_names_in_", None)
    features = Features(
        n=int(model.n_features_in_), names=None if names is None else tuple(map(str, names))
    )
    return replace(features, missing=_takes_missing(features, predict))


def _takes_missing(features: Features, predict: Callable[[Any], Any]) -> bool:
    try:
        predict(source_rows(features, np.full((1, features.n), np.nan)))
    except ValueError:
        return False
    return True
