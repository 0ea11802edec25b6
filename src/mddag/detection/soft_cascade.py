"""A soft cascade: trees with graded votes and one threshold after each of them.

From trees over patch features, as boosting grows them, to the `WindowClassifier` that scans; and
the thresholds themselves, by backward induction on patches that boosting has not seen (see
mddag.solvers.rejection.thresholds).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mddag.detection.prices import Prices
from mddag.detection.window_classifier import LEAF, WindowClassifier
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import Nodes
from mddag.ensemble.votes import partial_sums
from mddag.features.patches import PatchFeatures
from mddag.solvers.rejection.thresholds import reject_thresholds

Patches = NDArray[np.uint8]
Floats = NDArray[np.float64]


def sums_by_tree(
    trees: Sequence[Nodes], features: PatchFeatures, patches: Patches, n_threads: int = 1
) -> Floats:
    """The sum of votes after each tree, float64 (n, T)."""
    ensemble = Ensemble.from_trees(
        list(trees), features=features, bias=np.zeros(1), classes=np.array([0, 1])
    )
    steps = partial_sums(ensemble.votes(patches, n_threads=n_threads))
    next(steps)
    return np.stack([step[:, 0].copy() for step in steps], axis=1)


def thresholds_of(objects: Floats, negatives: Floats, prices: Prices) -> tuple[Floats, float]:
    """Reject thresholds (T,), and what the last sum must reach.

    objects, negatives : (n, T), sums after each tree
    """
    # Above 0 objects are more likely than negatives: where they are easy to tell, that is enough.
    accept = min(0.0, float(np.quantile(objects[:, -1], prices.miss)))
    reject = reject_thresholds(
        np.concatenate([objects, negatives]),
        np.arange(len(objects) + len(negatives)) < len(objects),
        float(np.nextafter(accept, -np.inf)),  # a sum that just reaches it is accepted
        prices.false_positive,
        prices.evaluation,
        prices.shift,
    )
    return reject, accept


def soft_cascade(
    trees: Sequence[Nodes],
    features: PatchFeatures,
    reject: Floats,
    accept: float,
    min_deviation: float,
) -> WindowClassifier:
    """The trees as a classifier of windows, one stage each; of the features only those in use."""
    parts = [_nodes_of(tree) for tree in trees]
    feature = np.concatenate([part[0] for part in parts])
    used, node_feature = np.unique(feature, return_inverse=True)
    sizes = [len(part[0]) for part in parts]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    shifted = [
        np.where(part[2] == LEAF, LEAF, part[2] + start)
        for part, start in zip(parts, starts[:-1], strict=True)
    ]
    return WindowClassifier(
        window=features.window,
        features=features.rectangles[used],
        node_feature=node_feature.astype(np.int32),
        node_threshold=np.concatenate([part[1] for part in parts]).astype(np.float32),
        node_next=np.concatenate(shifted).astype(np.int32),
        node_votes=np.concatenate([part[3] for part in parts]),
        tree_starts=starts,
        stage_starts=np.arange(len(trees) + 1),
        stage_fresh=np.arange(len(trees)) == 0,
        # A sum that is equal to the threshold is rejected.
        stage_reject=np.where(np.isneginf(reject), reject, np.nextafter(reject, np.inf)),
        accept=accept,
        min_deviation=min_deviation,
    )


def _nodes_of(
    tree: Nodes,
) -> tuple[NDArray[np.int32], Floats, NDArray[np.int32], Floats]:
    """Of the splits of a tree: feature, threshold, next (n, 2) and votes (n, 2)."""
    records = tree.records
    splits = np.flatnonzero(records["feature"] >= 0)
    number = np.full(len(records), LEAF)
    number[splits] = np.arange(len(splits))
    children = np.stack([records["left"][splits], records["right"][splits]], axis=1)
    is_leaf = records["feature"][children] < 0
    codes = np.where(is_leaf, records["left"][children], 0)
    votes = np.where(is_leaf, tree.votes[codes, 0], 0.0)
    return records["feature"][splits], records["threshold"][splits], number[children], votes
