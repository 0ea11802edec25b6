"""Trees of more than eight leaves, which are cut into pieces: shapes that are hard to cut."""

import numpy as np
import pytest

from mddag import _core
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import TreeBuilder
from tests.native.blocks.forests import (
    fixed_sums,
    forest_of,
    grown_tree,
    random_tree,
    rows_on,
    sums_of,
)

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


def oblivious(rng, depth, thresholds, width, odd=None):
    """A tree that asks the same at all nodes of a level, except at `odd`, (level, place)."""
    tree = TreeBuilder()
    asked = []
    for _ in range(depth):
        f = int(rng.integers(len(thresholds)))
        asked.append((f, float(rng.choice(thresholds[f])), bool(rng.integers(2))))

    def grow(level, place):
        if level == depth:
            return tree.leaf(rng.normal(size=width))
        left, right = grow(level + 1, 2 * place), grow(level + 1, 2 * place + 1)
        f, threshold, missing_left = asked[level]
        if (level, place) == odd:
            missing_left = not missing_left
        return tree.split(f, threshold, left, right, missing_left)

    return tree.finish(grow(0, 0))


@levels
@pytest.mark.parametrize("n_rows", [1, 40, 70, 130, 2500])
@pytest.mark.parametrize("n_scores", [1, 3])
def test_oblivious_trees(n_scores, n_rows, level):
    """Alone, among others, and one whose last split differs from those next to it."""
    rng = np.random.default_rng(0)
    thresholds = [rng.normal(size=60) for _ in range(5)]
    trees = [oblivious(rng, depth, thresholds, n_scores) for depth in [4, 5, 6, 7, 8, 8, 3, 2, 6]]
    trees.append(oblivious(rng, 6, thresholds, n_scores, odd=(5, 31)))
    trees += [random_tree(rng, n, thresholds, n_scores) for n in (5, 40, 200)]
    trees += [oblivious(rng, depth, thresholds, n_scores) for depth in [8, 4, 9]]
    ensemble = Ensemble.from_trees(trees, features=Features(5), bias=np.zeros(n_scores))
    X = rows_on(rng, thresholds, n_rows, np.float32)
    got = sums_of(forest_of(ensemble, None, level), X, n_scores)
    np.testing.assert_array_equal(got, fixed_sums(ensemble, X))


def with_sets(rng, n_leaves, n_categories, width):
    """Splits by categories, more or fewer of them, and by numbers, on features of both kinds."""

    def split():
        feature, missing_left = int(rng.integers(4)), bool(rng.integers(2))
        if feature == 0 or (feature < 3 and rng.random() < 0.3):
            return feature, float(rng.integers(40)), missing_left
        members = rng.choice(n_categories[feature], int(rng.integers(1, 4)), replace=False)
        return feature, np.sort(members), missing_left

    return grown_tree(rng, n_leaves, split, width)


@levels
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_rows", [1, 40, 2500])
@pytest.mark.parametrize("n_scores", [1, 3])
def test_sets_of_categories(n_scores, n_rows, dtype, level):
    """Few categories, 96 (the most that a table of 128 has), hundreds, and too many for tables."""
    rng = np.random.default_rng(0)
    n_categories = [0, 90, 96, 700]
    sizes = [2, 2, 3, 8, 12, 40, 200, 1, 5]
    trees = [with_sets(rng, n, n_categories, n_scores) for n in sizes]
    trees.append(with_sets(rng, 9, [0, 5, 5000, 3000], n_scores))
    ensemble = Ensemble.from_trees(trees, features=Features(4), bias=np.zeros(n_scores))
    odd = [-np.inf, -1.0, -0.5, 0.9, 31.5, 95.9, 96.0, 128.0, 702.0, 1e30, np.inf, np.nan]
    X = rng.integers(0, 100, (n_rows, 4)).astype(dtype)
    X[:, 3] = rng.integers(0, 710, n_rows)
    X = np.where(rng.random(X.shape) < 0.1, rng.choice(odd, X.shape), X).astype(dtype)
    got = sums_of(forest_of(ensemble, None, level), X, n_scores)
    np.testing.assert_array_equal(got, fixed_sums(ensemble, X))
    got = sums_of(forest_of(ensemble, None, level), np.asfortranarray(X), n_scores)
    np.testing.assert_array_equal(got, fixed_sums(ensemble, X))
