"""Importances share alpha x edge among the splits by their gain."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mddag.boosting.rounds import Round
from mddag.boosting.training import feature_importances, split_gains
from mddag.ensemble.nodes import TreeBuilder


def tree():
    """Feature 1 at the root, feature 0 below it on the left."""
    tree = TreeBuilder()
    low = tree.split(0, 0.5, tree.leaf([1.0]), tree.leaf([-1.0]), True)
    return tree.finish(tree.split(1, 2.5, low, tree.leaf([1.0]), True))


def played(nodes, sums, alpha, edge):
    return Round(nodes, np.array(sums), edge, alpha, 0.0, False)


def test_gains_are_rises_of_absolute_sums():
    nodes = tree()  # leaf codes: breadth first, so the right leaf of the root is leaf 0
    gains = split_gains(nodes, np.array([[5], [4], [-1]]))
    features = nodes.records["feature"].tolist()
    assert gains[features.index(1)] == abs(3) + abs(5) - abs(8)
    assert gains[features.index(0)] == abs(4) + abs(-1) - abs(3)


def test_a_round_is_shared_by_gain_and_evenly_without_gain():
    by_gain = played(tree(), [[5], [4], [-1]], alpha=2.0, edge=0.5)
    assert_allclose(feature_importances([by_gain], 3), [1, 0, 0])
    evenly = played(tree(), [[5], [4], [1]], alpha=2.0, edge=0.5)
    assert_allclose(feature_importances([evenly], 3), [0.5, 0.5, 0])
    assert_allclose(feature_importances([by_gain, evenly], 3), [0.75, 0.25, 0])


def test_constant_votes_use_no_feature():
    tree = TreeBuilder()
    constant = played(tree.finish(tree.leaf([1.0])), [[7]], alpha=1.0, edge=0.5)
    assert feature_importances([constant], 2).tolist() == [0, 0]
    assert feature_importances([], 2).sum() == pytest.approx(0)
