"""Rounds of training: gentle boosting, thresholds and their prices, the cascade that scans."""

import numpy as np
import pytest

from mddag.detection.cascade_rows import balanced
from mddag.detection.detector import Detector, Prices
from mddag.detection.haar import PatchColumns
from mddag.detection.training import (
    SHRINKAGE,
    DetectorTraining,
    drawn_features,
    gentle_trees,
    lengths_of,
    sums_by_tree,
    thresholds_of,
    window_classifier,
)
from mddag.learners.trees import Tree
from tests.detection.problems import SETTINGS, background, backgrounds, patches


def test_the_bank_is_bounded():
    settings = Detector(**{**SETTINGS, "n_negatives": 200, "n_trees": 20})
    training = DetectorTraining.begin(settings, patches(300), backgrounds(), None, 1)
    training.run(lambda n_done, note: None)
    assert len(training.negatives) <= 200
    assert training.min_deviation > 1
    assert [r.n_trees for r in training.rounds] == lengths_of(20, 2)[: len(training.rounds)]


def test_narrow_pictures_are_turned_back():
    narrow = [np.ascontiguousarray(picture[:60, :15]) for picture in backgrounds()]
    settings = Detector(**(SETTINGS | {"window": (40, 12)}))
    training = DetectorTraining.begin(settings, patches(30), narrow, None, 1)
    assert {picture.shape for picture in training.seen(narrow)} == {(60, 15)}


def rows():
    windows = np.lib.stride_tricks.sliding_window_view(background(), (12, 12))[::9, ::9]
    negatives = windows.reshape(-1, 12, 12)
    both = np.concatenate([patches(60), negatives])
    features = drawn_features((12, 12), 40, np.random.default_rng(0))
    return PatchColumns.of(both, features, None, 1), np.arange(len(both)) < 60


def test_votes_are_weighted_means_and_weights_follow_them():
    columns, positive = rows()
    trees = gentle_trees(columns, positive, lambda n: Tree(4), 5, 40, np.random.default_rng(0))
    weights, y = balanced(positive), np.where(positive, 1.0, -1.0)
    for tree in trees:
        leaf = columns.leaf_codes(tree)
        for code in range(tree.n_leaves):
            inside = leaf == code
            mean = (weights * y)[inside].sum() / (weights[inside].sum() + 1 / len(y))
            assert tree.votes[code, 0] == pytest.approx(SHRINKAGE * mean, abs=1e-9)
        weights *= np.exp(-y * tree.votes[leaf, 0])
        weights /= weights.sum()


def test_scores_part_the_classes():
    columns, positive = rows()
    trees = gentle_trees(columns, positive, lambda n: Tree(4), 10, 20, np.random.default_rng(0))
    scores = sum(tree.votes[columns.leaf_codes(tree), 0] for tree in trees)
    assert (scores[positive] > 0).mean() > 0.97
    assert (scores[~positive] < 0).mean() > 0.97


def test_classes_that_cannot_be_parted_end_it():
    same = np.repeat(patches(1), 20, axis=0)
    features = drawn_features((12, 12), 10, np.random.default_rng(0))
    columns = PatchColumns.of(same, features, None, 1)
    assert (
        gentle_trees(
            columns, np.arange(20) < 10, lambda n: Tree(4), 5, 10, np.random.default_rng(0)
        )
        == []
    )


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
    everything = window_classifier(trees, features, np.full(12, -np.inf), -np.inf, 0.0)
    scanned = np.array([everything.scan(patch).scores[0] for patch in both])
    assert np.array_equal(scanned, sums[:, -1])


def test_the_scan_rejects_what_the_thresholds_reject(grown):
    features, trees, sums, both, positive = grown
    reject, accept = thresholds_of(sums[positive], sums[~positive], Prices(miss=0.05))
    cascade = window_classifier(trees, features, reject, accept, 0.0)
    passed = (sums > reject).all(axis=1) & (sums[:, -1] >= accept)
    assert [len(cascade.scan(patch)) == 1 for patch in both] == passed.tolist()
    assert passed[positive].mean() > 0.9
    assert passed[~positive].mean() < 0.05


def sums():
    rng = np.random.default_rng(0)
    return rng.normal(0.2, 1, (400, 30)).cumsum(axis=1), rng.normal(-0.3, 1, (2000, 30)).cumsum(1)


def survivors(values, reject):
    return (values > reject).all(axis=1).mean()


def test_dearer_evaluations_reject_more():
    objects, negatives = sums()
    cheap, dear = (
        thresholds_of(objects, negatives, Prices(evaluation=price))[0] for price in (1e-5, 1e-2)
    )
    assert survivors(negatives, dear) < survivors(negatives, cheap)
    assert survivors(objects, dear) < survivors(objects, cheap)


def test_the_last_threshold_loses_the_share_that_it_may():
    objects, negatives = sums()
    _, accept = thresholds_of(objects, negatives, Prices(miss=0.1))
    assert abs((objects[:, -1] < accept).mean() - 0.1) < 0.01
    assert accept < 0


def test_objects_that_are_easy_to_tell_keep_a_margin():
    objects, negatives = sums()
    assert thresholds_of(objects + 20, negatives, Prices(miss=0.1))[1] == 0.0
