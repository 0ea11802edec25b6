"""Trees over the columns that they read."""

import numpy as np
import pytest

from mddag.boosting.training_set import among, on_used_columns
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import TreeBuilder
from mddag.features.features import Features
from mddag.features.haar import haar_features
from mddag.features.patches import PatchFeatures

ALL = PatchFeatures.of((4, 4), haar_features((4, 4)))


def stump(column):
    tree = TreeBuilder()
    left, right = tree.leaf(np.array([-1.0])), tree.leaf(np.array([1.0]))
    return tree.finish(tree.split(column, 0.25, left, right, True))


def constant():
    tree = TreeBuilder()
    return tree.finish(tree.leaf(np.array([1.0])))


def read(trees):
    return [nodes.records["feature"].tolist() for nodes in trees]


def test_columns_that_are_not_read_are_left_out():
    trees, features = on_used_columns([stump(40), constant(), stump(7), stump(40)], ALL)
    assert read(trees) == [[1, -1, -1], [-1], [0, -1, -1], [1, -1, -1]]
    np.testing.assert_array_equal(features.rectangles, ALL.rectangles[[7, 40]])


def test_the_numbers_come_back():
    given = [stump(40), constant(), stump(7)]
    trees, features = on_used_columns(given, ALL)
    ensemble = Ensemble.from_trees(trees, features=features)
    assert read(among(ALL, ensemble)) == read(given)
    with pytest.raises(ValueError, match="not among those of the learner"):
        among(ALL.taken(np.arange(20)), ensemble)


def test_columns_of_x_all_stay():
    given, features = [stump(4)], Features(9)
    assert on_used_columns(given, features) == (given, features)
    assert read(among(features, Ensemble.from_trees(given, features=features))) == read(given)
    none, left = on_used_columns([], ALL)
    assert (list(none), left.n) == ([], 0)
