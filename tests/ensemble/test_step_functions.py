import numpy as np
import pytest

from mddag.ensemble.nodes import TreeBuilder
from mddag.ensemble.step_functions import step_function
from tests.reference.trees import leaf_code


def by_set(members, votes, missing_left):
    tree = TreeBuilder()
    left, right = (tree.leaf(np.atleast_1d(vote)) for vote in votes)
    return tree.finish(tree.nominal_split(0, np.array(members, int), left, right, missing_left))


@pytest.mark.parametrize("missing_left", [(False, False), (True, True), (True, False)])
def test_sets_of_categories(missing_left):
    trees = [
        by_set([0, 3], (1.0, 2.0), missing_left[0]),
        by_set([3, 40], (10.0, 20.0), missing_left[1]),
    ]
    merged = step_function(trees, [tree.votes for tree in trees])
    for value in (0.0, 1.0, 3.0, 3.7, 40.0, 41.0, 1000.0, -5.0, np.nan, np.inf):
        wanted = sum(tree.votes[leaf_code(tree, [value])] for tree in trees)
        assert merged.votes[leaf_code(merged, [value])] == wanted


def test_it_halves():
    trees = []
    for i in range(127):
        tree = TreeBuilder()
        left, right = tree.leaf(np.zeros(1)), tree.leaf(np.ones(1))
        trees.append(tree.finish(tree.split(0, float(i), left, right, True)))
    merged = step_function(trees, [tree.votes for tree in trees])
    assert merged.n_leaves == 128
    depth = np.zeros(len(merged.records), int)
    for i, record in enumerate(merged.records):
        if record["feature"] >= 0:
            depth[[record["left"], record["right"]]] = depth[i] + 1
    assert depth.max() == 7
