"""Trees for few rows (native/walk/key_trees.hpp): one row and many trees, or few rows and each, a
level at a time. The twin is tests/reference/trees.py; policies are those of test_walk.py.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag import _core
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import TreeBuilder
from mddag.policy.policy import Policy
from tests.native.blocks.forests import fixed_sums, grown_tree, random_ensemble, rows_on
from tests.native.test_walk import assert_walks_equal, noisy_policy, rows_on_thresholds
from tests.reference import trees as twin

# Fewer rows than a tile, a tile of four and of sixteen, both and a rest, several passes.
BATCHES = (1, 2, 3, 4, 7, 11, 12, 16, 19, 27, 28, 33, 100)


def assert_few_rows_equal(ensemble, X):
    """Every number of rows gives the sums of leaf codes."""
    dag = mddag.compile(ensemble, executor="walk")
    wanted = dag.fixed_point.scores(fixed_sums(ensemble, X))
    for n in BATCHES:
        np.testing.assert_array_equal(dag.scores(X[:n]), wanted[:n])
    ones = [dag.walk.scores_one(row) for row in np.ascontiguousarray(X[:20])]
    np.testing.assert_array_equal(ones, wanted[:20])


def chain(n_leaves, votes=1):
    """A tree as deep as can be: it goes on to the right."""
    tree = TreeBuilder()
    rng, at = np.random.default_rng(n_leaves), None
    for i in reversed(range(n_leaves)):
        leaf = tree.leaf(rng.normal(size=votes))
        at = leaf if at is None else tree.split(i % 3, float(i), leaf, at, bool(i % 2))
    return tree.finish(at)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("n_scores", [1, 3])
@pytest.mark.parametrize("n_leaves", [[1] * 5, [2, 9, 1, 40, 300] * 4, range(1, 60), [31] * 16])
def test_all_of_few_rows(n_leaves, n_scores, wide, dtype):
    rng = np.random.default_rng(0)
    thresholds = [rng.normal(size=50) for _ in range(6)]
    ensemble = random_ensemble(rng, n_leaves, thresholds, n_scores, wide)
    assert_few_rows_equal(ensemble, rows_on(rng, thresholds, max(BATCHES), dtype))


@given(st.integers(0, 2**32 - 1), st.sampled_from([np.float32, np.float64]))
@settings(deadline=None, max_examples=30)
def test_trees_of_any_shape(seed, dtype):
    rng = np.random.default_rng(seed)
    extremes = [-np.inf, np.inf, 0.0, -0.0, 1e300, -1e300, 5e-324, np.finfo(np.float32).max]
    thresholds = [np.append(rng.normal(size=5), rng.choice(extremes, 3)) for _ in range(3)]
    n_leaves = rng.integers(1, 50, size=rng.integers(1, 20))
    ensemble = random_ensemble(rng, n_leaves, thresholds, int(rng.integers(1, 4)))
    X = rows_on(rng, thresholds, max(BATCHES), np.float64)
    with np.errstate(over="ignore"):
        assert_few_rows_equal(ensemble, X.astype(dtype))


@pytest.mark.parametrize("n_leaves", [13, 14, 15, 40, 200])
def test_deep_trees(n_leaves):
    """Leaves are looked for where a tree may be much deeper than rows go."""
    trees = [chain(n_leaves), chain(3), chain(n_leaves // 2)]
    ensemble = Ensemble.from_trees(trees, features=Features(3), bias=0.1)
    X = np.random.default_rng(0).integers(-1, n_leaves, (max(BATCHES), 3)).astype(np.float32)
    assert_few_rows_equal(ensemble, X)


def nominal_tree(rng, n_leaves):
    """Splits by categories and by numbers, on two features of both kinds."""

    def split():
        feature, missing_left = int(rng.integers(2)), bool(rng.integers(2))
        if rng.random() < 0.3:
            return feature, float(rng.integers(40)), missing_left
        members = rng.choice(int(rng.choice([3, 32, 33, 70])), 3, replace=False)
        return feature, np.sort(members), missing_left

    return grown_tree(rng, n_leaves, split)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_splits_by_categories(dtype):
    rng = np.random.default_rng(0)
    trees = [nominal_tree(rng, n) for n in (2, 12, 12, 30, 1, 9)]
    ensemble = Ensemble.from_trees(trees, features=Features(2), bias=0.1)
    values = [-np.inf, -1.0, -0.5, 0.0, 0.9, 31.5, 32.0, 69.0, 95.9, 96.0, 128.0, 1e30, np.nan]
    X = rng.choice([*values, *range(40)], (max(BATCHES), 2)).astype(dtype)
    assert_few_rows_equal(ensemble, X)
    policy = noisy_policy(ensemble, 4)
    assert_walks_equal(ensemble, policy, X[:40])
    wanted = twin.scores(ensemble, X[:20])
    np.testing.assert_allclose(mddag.compile(ensemble).scores(X[:20]), wanted, atol=1e-6)


def test_tables_of_categories_have_a_limit():
    """Beyond it trees are walked one by one."""
    rng = np.random.default_rng(0)
    tree = TreeBuilder()
    at = tree.leaf(rng.normal(size=1))
    for _ in range(64):
        members = np.unique(rng.integers(0, 300_000, 50))
        at = tree.nominal_split(0, members, tree.leaf(rng.normal(size=1)), at, True)
    ensemble = Ensemble.from_trees([tree.finish(at)], features=Features(1), bias=0.1)
    X = rng.integers(0, 300_000, (max(BATCHES), 1)).astype(np.float64)
    X[::2, 0] = rng.choice(members, len(X[::2]))
    assert_few_rows_equal(ensemble, X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_more_columns_than_nodes_of_floats_can_number(dtype):
    rng = np.random.default_rng(0)
    thresholds = [rng.normal(size=2) for _ in range(40_000)]
    column = iter(np.tile(np.arange(40_000), 2))

    def split():
        return int(next(column)), float(rng.normal()), bool(rng.integers(2))

    trees = [grown_tree(rng, 401, split) for _ in range(200)]
    ensemble = Ensemble.from_trees(trees, features=Features(40_000), bias=0.0)
    X = rows_on(rng, thresholds, 20, dtype)
    dag = mddag.compile(ensemble, executor="walk")
    wanted = dag.fixed_point.scores(fixed_sums(ensemble, X))
    np.testing.assert_array_equal(dag.scores(X), wanted)
    np.testing.assert_array_equal([dag.walk.scores_one(x) for x in X], wanted)


def full_tree(depth):
    """A tree of 2^depth leaves, quickly."""
    tree = TreeBuilder()
    level = [tree.leaf(np.array([float(i % 7)])) for i in range(2**depth)]
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=True)
        level = [tree.split(i % 5, i % 11 - 5.0, a, b, False) for i, (a, b) in enumerate(pairs)]
    return tree.finish(level[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_children_farther_away_than_nodes_of_floats_can_say(dtype):
    ensemble = Ensemble.from_trees([full_tree(17)], features=Features(5), bias=0.5)
    X = np.random.default_rng(0).normal(0, 4, (20, 5)).astype(dtype)
    dag = mddag.compile(ensemble, executor="walk")
    wanted = dag.fixed_point.scores(fixed_sums(ensemble, X))
    np.testing.assert_array_equal(dag.scores(X), wanted)
    np.testing.assert_array_equal([dag.walk.scores_one(x) for x in X], wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_features", [4, 300])
@pytest.mark.parametrize(("n_scores", "each"), [(1, 1), (3, 1), (3, 3), (2, 12)])
def test_trees_are_walked_before_they_are_due(n_scores, each, n_features, dtype):
    """Several trees a step, fewer or more than are walked together; a row with many columns goes
    without keys at first."""
    rng = np.random.default_rng(0)
    thresholds = [rng.normal(size=20) for _ in range(n_features)]
    n_trees = 24
    trees = random_ensemble(rng, [20, 40, 9] * (n_trees // 3), thresholds, n_scores)
    ensemble = Ensemble.from_trees(
        [trees.tree(t) for t in range(n_trees)],
        features=trees.features,
        bias=trees.bias,
        score=[t % n_scores for t in range(n_trees)],
        rounds=range(0, n_trees + 1, each),
    )
    X = rows_on(rng, thresholds, 60, dtype)
    for n_edges, quits in ((5, 0.02), (40, 0.0), (1, 0.3)):
        policy = noisy_policy(ensemble, n_edges, quits=quits)
        assert_walks_equal(ensemble, policy, X)
        if each == 1:
            decided = Policy(policy.actions[::5], policy.grid, policy.order, 5)
            assert_walks_equal(ensemble, decided, X)


def test_rows_need_not_be_contiguous():
    rng = np.random.default_rng(0)
    thresholds = [rng.normal(size=20) for _ in range(4)]
    ensemble = random_ensemble(rng, [20] * 20, thresholds)
    dag = mddag.compile(ensemble, executor="walk")
    X = rows_on_thresholds(ensemble, 30, np.float32)
    wanted = dag.scores(X)
    np.testing.assert_array_equal(dag.scores(np.asfortranarray(X)), wanted)
    np.testing.assert_array_equal(dag.scores(np.repeat(X, 2, axis=0)[::2]), wanted)


def test_depths_are_the_splits_before_the_deepest_leaf():
    trees = [chain(1), chain(7), full_tree(3), oblivious_tree(3), oblivious_tree(9), chain(2)]
    ensemble = Ensemble.from_trees(trees, features=Features(10), bias=0.0)
    depth, oblivious = np.empty(6, np.int32), np.empty(6, np.uint8)
    _core.tree_shapes(ensemble.native, depth, oblivious)
    assert depth.tolist() == [0, 6, 3, 3, 9, 1]
    assert oblivious.tolist() == [1, 0, 0, 1, 1, 1]
    with pytest.raises(ValueError, match="shapes are not those of the trees"):
        _core.tree_shapes(ensemble.native, depth[:2].copy(), oblivious)


def oblivious_tree(depth):
    tree = TreeBuilder()
    level = [tree.leaf(np.array([float(i % 7)])) for i in range(2**depth)]
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=True)
        level = [tree.split(len(level).bit_length() - 2, 0.5, a, b, False) for a, b in pairs]
    return tree.finish(level[0])
