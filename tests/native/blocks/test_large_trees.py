"""Trees of more than eight leaves, which are cut into pieces: shapes that are hard to cut."""

import numpy as np
import pytest

from mddag import _core
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import TreeBuilder
from tests.native.blocks.forests import fixed_sums, forest_of, random_tree, rows_on, sums_of

levels = pytest.mark.parametrize("level", _core.levels())
few_and_many_rows = pytest.mark.parametrize("n_rows", [40, 2500])


def chain(rng, n_leaves, thresholds, sides):
    """Every split has a leaf on one side: 'l', 'r', or both in turn."""
    tree = TreeBuilder()
    at = tree.leaf(rng.normal(size=1))
    for i in range(n_leaves - 1):
        f = int(rng.integers(len(thresholds)))
        leaf = tree.leaf(rng.normal(size=1))
        children = (leaf, at) if sides[i % len(sides)] == "l" else (at, leaf)
        at = tree.split(f, float(rng.choice(thresholds[f])), *children, True)
    return tree.finish(at)


@levels
@few_and_many_rows
@pytest.mark.parametrize("sides", ["l", "r", "lr", "llr"])
@pytest.mark.parametrize("n_leaves", [9, 16, 100, 256])
def test_chains(n_leaves, sides, n_rows, level):
    rng = np.random.default_rng(n_leaves)
    thresholds = [np.sort(rng.normal(size=80)) for _ in range(9)]
    trees = [chain(rng, n_leaves, thresholds, sides) for _ in range(5)]
    ensemble = Ensemble.from_trees(trees, features=Features(9))
    X = rows_on(rng, thresholds, n_rows, np.float32)
    got = sums_of(forest_of(ensemble, None, level), X, 1)
    np.testing.assert_array_equal(got, fixed_sums(ensemble, X))


@levels
@few_and_many_rows
def test_trees_for_one_score_among_trees_for_all(n_rows, level):
    rng = np.random.default_rng(0)
    thresholds = [rng.normal(size=60) for _ in range(9)]
    score = rng.choice([-1, 0, 1, 2], size=60)
    sizes = rng.integers(2, 70, size=60)
    trees = [
        random_tree(rng, n, thresholds, width=3 if s < 0 else 1)
        for n, s in zip(sizes, score, strict=True)
    ]
    ensemble = Ensemble.from_trees(trees, features=Features(9), bias=np.zeros(3), score=score)
    X = rows_on(rng, thresholds, n_rows, np.float32)
    got = sums_of(forest_of(ensemble, None, level), X, 3)
    np.testing.assert_array_equal(got, fixed_sums(ensemble, X))
