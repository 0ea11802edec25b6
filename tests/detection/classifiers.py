"""Random classifiers of windows, for tests."""

from itertools import pairwise

import numpy as np

from mddag.detection.window_classifier import LEAF, WindowClassifier
from mddag.features.haar import haar_features


def random_features(rng, n, window):
    """Of all of the window; the first has rectangles whose weights are not balanced."""
    features = haar_features(window)
    chosen = features[rng.integers(0, len(features), n)]
    chosen[0, :, 4] = rng.integers(-3, 4, 3)
    return chosen


def random_classifier(rng, window=(6, 5), n_trees=6, most_nodes=3, **settings):
    """Chains and bushes of splits in stages that reject some of the windows."""
    sizes = rng.integers(1, most_nodes + 1, n_trees)
    tree_starts = np.concatenate([[0], np.cumsum(sizes)])
    n = tree_starts[-1]
    node_next = np.full((n, 2), LEAF, np.int32)
    for first, end in pairwise(tree_starts):
        for node in range(first + 1, end):  # below a node before it that has a side left
            free = np.argwhere(node_next[first:node] == LEAF)
            parent, side = free[rng.integers(len(free))]
            node_next[first + parent, side] = node
    ends = np.flatnonzero(rng.random(n_trees - 1) < 0.6) + 1
    stage_starts = np.concatenate([[0], ends, [n_trees]])
    n_stages = len(stage_starts) - 1
    return WindowClassifier(
        window=window,
        features=random_features(rng, 8, window),
        node_feature=rng.integers(0, 8, n),
        node_threshold=rng.normal(0, 0.15, n),
        node_next=node_next,
        node_votes=np.round(rng.normal(size=(n, 2)), 3),
        tree_starts=tree_starts,
        stage_starts=stage_starts,
        stage_fresh=rng.random(n_stages) < 0.5,
        stage_reject=rng.normal(-0.8, 0.5, n_stages),
        **settings,
    )


def random_picture(rng, height, width):
    """Noise on a slope, with a flat corner."""
    slope = np.add.outer(np.arange(height), np.arange(width)) * 2
    picture = np.clip(slope + rng.integers(0, 160, (height, width)), 0, 255).astype(np.uint8)
    picture[: height // 3, : width // 3] = 77
    return picture
