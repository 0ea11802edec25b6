"""Objects of tests: disks in images, random classifiers of windows, rows of two classes."""

from functools import cache
from itertools import pairwise

import numpy as np

from mddag import MDP
from mddag.boosting.training_set import TrainingSet
from mddag.detection.cascade import CascadeRows
from mddag.detection.detector import Detector
from mddag.detection.haar import haar_features
from mddag.detection.windows import LEAF, WindowClassifier
from mddag.ensemble.features import Features
from mddag.learners import Stump

WINDOW = (12, 12)
SETTINGS = {
    "window": WINDOW,
    "false_per_megapixel": 5.0,
    "n_trees": 80,
    "n_rounds": 2,
    "n_features": 300,
    "n_negatives": 2500,
}


def disk(size, rng, contrast=60.0):
    """One object of that many pixels a side."""
    y, x = (np.mgrid[:size, :size] + 0.5) / size - 0.5
    radius = np.hypot(y, x)
    pattern = np.where(radius < 0.25, 1.0, np.where(radius < 0.45, -1.0, 0.0))
    return 128 + contrast * pattern + rng.normal(0, 8, (size, size))


def as_bytes(pixels):
    return np.clip(np.rint(pixels), 0, 255).astype(np.uint8)


def patches(n, size=12, seed=0):
    rng = np.random.default_rng(seed)
    return np.stack([as_bytes(disk(size, rng, rng.uniform(40, 90))) for _ in range(n)])


def background(shape=(80, 100), seed=0, contrast=55.0):
    """Blocks of noise about as large as the disk, so that some of them look like it."""
    rng = np.random.default_rng(seed)
    coarse = rng.normal(0, contrast, tuple(-(-n // 5) for n in shape))
    blocks = np.kron(coarse, np.ones((5, 5)))[: shape[0], : shape[1]]
    return as_bytes(128 + blocks + rng.normal(0, 8, shape))


def backgrounds(n=16):
    return [background((200, 250), seed) for seed in range(100, 100 + n)]


def scene(seed=0):
    """A picture with one object, and its box."""
    picture = background((90, 110), seed, 25.0)
    rng = np.random.default_rng(seed)
    x, y, size = 30 + seed % 20, 20 + seed % 30, 24
    picture[y : y + size, x : x + size] = as_bytes(disk(size, rng, 80))
    return picture, np.array([x, y, x + size, y + size])


def overlap(box, other):
    low, high = np.maximum(box[:2], other[:2]), np.minimum(box[2:], other[2:])
    shared = np.prod(np.maximum(high - low, 0))
    return shared / (np.prod(box[2:] - box[:2]) + np.prod(other[2:] - other[:2]) - shared)


@cache
def fitted():
    """A detector of disks; not to be changed."""
    return Detector(**SETTINGS).fit(patches(600), backgrounds())


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


def two_classes(n, seed=0, share=0.4):
    """Ten features, of which each tells a little; labels 0 and 1."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return rng.normal(size=(n, 10)) + 0.7 * y[:, None], y


def training_rows(n, seed=0):
    X, y = two_classes(n, seed)
    features = Features(10)
    return TrainingSet(
        features.rows(X), y.astype(np.intp), np.ones(n), np.arange(2), features, np.zeros(10, bool)
    )


def material(n=600, n_held=400, seed=0):
    return CascadeRows.of(training_rows(n, seed), training_rows(n_held, seed + 1), Stump())


def blobs(n, seed=0):
    """Patches 8 x 8; those of class 1 have a bright square."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 2).astype(int)
    X = rng.integers(0, 120, (n, 8, 8))
    X[y == 1, 2:5, 3:6] += 70
    return X.astype(np.uint8), y


def detection_mdp(seed=0, n=400, n_steps=12, share=0.4, beta=0.01, weighted=False):
    """An MDP of n rows; votes are of few sizes, so that no two sums differ by rounding alone."""
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < share
    positive[:2] = True, False
    strength = np.linspace(0.8, 0.2, n_steps)
    votes = rng.normal(np.where(positive, 0.5, -0.5)[:, None] * strength, 1.0).round(3)
    weight = rng.uniform(0.5, 2.0, n) if weighted else None
    return MDP(votes, positive.astype(int), beta=beta, weight=weight)
