"""A small object for tests: a bright disk in a dark ring, in pictures of blocks of noise."""

from functools import cache

import numpy as np

from mddag.detection.detector import Detector

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
