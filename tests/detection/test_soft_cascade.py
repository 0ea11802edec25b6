"""Trees as a classifier of windows: the same sums, the same rejections."""

import numpy as np
import pytest

from mddag.detection.gentle_boosting import gentle_trees
from mddag.detection.prices import Prices
from mddag.detection.soft_cascade import soft_cascade, sums_by_tree, thresholds_of
from mddag.detection.training import drawn_features
from mddag.learners.patch_columns import PatchColumns
from mddag.learners.trees import Tree
from tests.detection.targets import background, patches


@pytest.fixture(scope="module")
def grown():
    features = drawn_features((12, 12), 60, np.random.default_rng(0))
    windows = np.lib.stride_tricks.sliding_window_view(background(), (12, 12))[::5, ::5]
    negatives = windows.reshape(-1, 12, 12)
    both = np.concatenate([patches(80), negatives])
    positive = np.arange(len(both)) < 80
    columns = PatchColumns.of(both, features, None, 1)
    trees = gentle_trees(columns, positive, lambda n: Tree(4), 12, 60, np.random.default_rng(0))
    return features, trees, sums_by_tree(trees, features, both), both, positive


def test_the_scan_gives_the_sums_of_the_trees(grown):
    features, trees, sums, both, _ = grown
    everything = soft_cascade(trees, features, np.full(12, -np.inf), -np.inf, 0.0)
    scanned = np.array([everything.scan(patch).scores[0] for patch in both])
    assert np.array_equal(scanned, sums[:, -1])


def test_the_scan_rejects_what_the_thresholds_reject(grown):
    features, trees, sums, both, positive = grown
    reject, accept = thresholds_of(sums[positive], sums[~positive], Prices(miss=0.05))
    cascade = soft_cascade(trees, features, reject, accept, 0.0)
    passed = (sums > reject).all(axis=1) & (sums[:, -1] >= accept)
    assert [len(cascade.scan(patch)) == 1 for patch in both] == passed.tolist()
    assert passed[positive].mean() > 0.9
    assert passed[~positive].mean() < 0.05


def test_only_features_in_use_are_kept(grown):
    features, trees, _, _, _ = grown
    cascade = soft_cascade(trees, features, np.full(12, -np.inf), 0.0, 2.0)
    used = {int(f) for tree in trees for f in tree.records["feature"] if f >= 0}
    assert len(cascade.features) == len(used)
    assert cascade.min_deviation == 2.0
