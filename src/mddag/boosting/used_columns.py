"""Used columns: an ensemble over computed columns keeps those alone that its trees read.

While boosting, trees number all columns that the learner may choose from (``OwnColumns``); the
ensemble numbers those that they chose. Columns of X, which are read and not computed, all stay.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import Nodes
from mddag.features.features import Features
from mddag.features.patches import PatchFeatures


def on_used_columns(trees: Sequence[Nodes], features: Features) -> tuple[Sequence[Nodes], Features]:
    """The trees over those columns that they read, and these columns."""
    if not isinstance(features, PatchFeatures):
        return trees, features
    read = [nodes.records["feature"] for nodes in trees]
    used = np.unique(np.concatenate([np.empty(0, np.int32), *read]))
    used = used[used >= 0].astype(np.intp)
    numbers = np.zeros(features.n, np.int32)
    numbers[used] = np.arange(len(used))
    return [_renumbered(nodes, numbers) for nodes in trees], features.taken(used)


def among(features: Features, ensemble: Ensemble) -> list[Nodes]:
    """The trees of an ensemble with the numbers that its columns have in `features`."""
    trees = [ensemble.tree(t) for t in range(ensemble.n_trees)]
    source = ensemble.features
    if not (isinstance(features, PatchFeatures) and isinstance(source, PatchFeatures)):
        return trees
    places = {rectangles.tobytes(): f for f, rectangles in enumerate(features.rectangles)}
    found = [places.get(rectangles.tobytes(), -1) for rectangles in source.rectangles]
    if features.window != source.window or -1 in found:
        raise ValueError(
            "the model that warm_start continues has Haar features that are not among those of "
            "the learner; keep n_features and random_state as they were"
        )
    numbers = np.array(found, np.int32)
    return [_renumbered(nodes, numbers) for nodes in trees]


def _renumbered(nodes: Nodes, numbers: NDArray[np.int32]) -> Nodes:
    records = nodes.records.copy()
    splits = records["feature"] >= 0
    records["feature"][splits] = numbers[records["feature"][splits]]
    return Nodes(records, nodes.votes, nodes.words)
