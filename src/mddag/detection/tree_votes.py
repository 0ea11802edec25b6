"""The votes of every tree of a window classifier on patches, for learning thresholds.

All trees vote here, whatever the stages say; a scan evaluates as few as it can. Values are those of
the scan to the last bit: exact sums, the same scale, the same comparison.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mddag.detection.window_classifier import LEAF, WindowClassifier

Floats = NDArray[np.float64]


def tree_votes(classifier: WindowClassifier, patches: NDArray[np.uint8]) -> Floats:
    """The vote of each tree on patches of the size of the window, float64 (n, T)."""
    cells = _integral(patches)
    scales = _scales(classifier, patches)
    node_votes = np.empty((len(classifier.node_feature), len(patches)))
    for node in reversed(range(len(node_votes))):  # sides are later nodes
        feature = classifier.features[classifier.node_feature[node]]
        left = _sums(cells, feature) * scales <= classifier.node_threshold[node]
        node_votes[node] = np.where(left, *(_side(classifier, node, k, node_votes) for k in (0, 1)))
    return node_votes[classifier.tree_starts[:-1]].T


def stage_sums(classifier: WindowClassifier, votes: Floats) -> Floats:
    """The sum after each tree, from 0 where a stage is fresh, float64 (n, T)."""
    sums = np.empty_like(votes)
    starts = np.append(np.flatnonzero(classifier.stage_fresh), len(classifier.stage_fresh))
    trees = classifier.stage_starts[starts]
    for first, end in zip([0, *trees], trees, strict=False):
        np.cumsum(votes[:, first:end], axis=1, out=sums[:, first:end])
    return sums


def _side(classifier: WindowClassifier, node: int, k: int, node_votes: Floats) -> Floats | float:
    following = classifier.node_next[node, k]
    return float(classifier.node_votes[node, k]) if following == LEAF else node_votes[following]


def _integral(patches: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Integral images (height + 1, width + 1, n), so that a corner of all patches is contiguous."""
    pixels = np.ascontiguousarray(np.moveaxis(patches, 0, 2), np.int64)
    cells = np.zeros((pixels.shape[0] + 1, pixels.shape[1] + 1, pixels.shape[2]), np.int64)
    np.cumsum(pixels, axis=0, out=cells[1:, 1:])
    np.cumsum(cells[1:, 1:], axis=1, out=cells[1:, 1:])
    return cells


def _sums(cells: NDArray[np.int64], feature: NDArray[np.int32]) -> NDArray[np.float32]:
    total = np.zeros(cells.shape[2], np.int64)
    for x, y, w, h, weight in feature:
        if weight != 0:
            inside = cells[y, x] - cells[y, x + w] - cells[y + h, x] + cells[y + h, x + w]
            total += int(weight) * inside
    return total.astype(np.float32)


def _scales(classifier: WindowClassifier, patches: NDArray[np.uint8]) -> NDArray[np.float32]:
    m = classifier.margin
    inside = patches[:, m : patches.shape[1] - m, m : patches.shape[2] - m]
    pixels = inside.reshape(len(patches), -1).astype(np.int64)
    area = pixels.shape[1]
    spread = area * (pixels**2).sum(axis=1) - pixels.sum(axis=1) ** 2
    scales = 1 / np.sqrt(np.maximum(spread, area**2).astype(np.float64))
    return np.asarray(scales, np.float32)
