"""Gentle boosting against a plain version of it."""

import numpy as np
import pytest

from mddag.detection.gentle_boosting import (
    SHRINKAGE,
    gentle_trees,
    initial_weights,
    leaf_votes,
)
from mddag.detection.training import drawn_features
from mddag.learners.patch_columns import PatchColumns
from mddag.learners.trees import Tree
from tests.detection.targets import background, patches


def rows():
    windows = np.lib.stride_tricks.sliding_window_view(background(), (12, 12))[::9, ::9]
    negatives = windows.reshape(-1, 12, 12)
    both = np.concatenate([patches(60), negatives])
    features = drawn_features((12, 12), 40, np.random.default_rng(0))
    return PatchColumns.of(both, features, None, 1), np.arange(len(both)) < 60


def test_votes_are_weighted_means_and_weights_follow_them():
    columns, positive = rows()
    trees = gentle_trees(columns, positive, lambda n: Tree(4), 5, 40, np.random.default_rng(0))
    weights, y = initial_weights(positive), np.where(positive, 1.0, -1.0)
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


def test_both_classes_begin_with_half_of_the_weight():
    positive = np.array([True, False, False, False])
    assert initial_weights(positive).tolist() == pytest.approx([1 / 2, 1 / 6, 1 / 6, 1 / 6])


def test_an_empty_leaf_votes_nothing():
    votes = leaf_votes(np.zeros(2, np.uint8), np.array([True, False]), np.full(2, 0.5), 2, 0.1)
    assert votes.tolist() == [0.0, 0.0]


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
