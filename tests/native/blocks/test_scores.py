"""Evaluate-all: every kernel gives the same integers as one row down one tree at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag import _core
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import NODE, Nodes
from mddag.policy.rollout import IntegerVotes
from tests.native.blocks.forests import (
    fixed_sums,
    forest_of,
    random_ensemble,
    random_tree,
    rows_on,
    sums_of,
)
from tests.reference import trees as twin
from tests.strategies import ensembles, rows

levels = pytest.mark.parametrize("level", _core.levels())
dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@given(st.data(), st.sampled_from(_core.levels()))
@settings(deadline=None)
def test_sums_are_the_twin(data, level):
    ensemble = data.draw(ensembles())
    X = data.draw(rows(ensemble.n_features))
    wanted = twin.sums(ensemble, IntegerVotes.of(ensemble.tables), X)
    assert sums_of(forest_of(ensemble, None, level), X, ensemble.n_scores).tolist() == wanted


@given(
    seed=st.integers(0, 2**32 - 1),
    n_leaves=st.lists(st.integers(1, 9) | st.sampled_from([17, 64, 255, 256, 257]), max_size=12),
    n_rows=st.sampled_from([1, 31, 33, 200, 257, 300]),
    n_features=st.sampled_from([1, 3, 9, 17]),
    n_scores=st.sampled_from([1, 1, 3]),
    wide=st.booleans(),
    missing=st.sampled_from([None, True, False]),
    dtype=st.sampled_from([np.float32, np.float64]),
    order=st.sampled_from("CF"),
    level=st.sampled_from(_core.levels()),
)
@settings(deadline=None, max_examples=150)
def test_trees_of_all_sizes(
    seed, n_leaves, n_rows, n_features, n_scores, wide, missing, dtype, order, level
):
    rng = np.random.default_rng(seed)
    thresholds = [rng.normal(size=40) for _ in range(n_features)]
    ensemble = random_ensemble(rng, n_leaves, thresholds, n_scores, wide, missing)
    X = np.asarray(rows_on(rng, thresholds, n_rows, dtype), order=order)
    got = sums_of(forest_of(ensemble, None, level), X, n_scores)
    np.testing.assert_array_equal(got, fixed_sums(ensemble, X))


THRESHOLDS = {
    "equal": np.linspace(-1, 1, 250),
    "heavy tails": np.concatenate([-(10.0 ** np.arange(-30, 30)), 10.0 ** np.arange(-30, 30)]),
    "one cluster, far away": np.append(1 + np.arange(200) * 1e-15, 1e30),
    "one float32": 1 + np.arange(100) * 1e-12,
    "ends": np.array([-np.inf, -1e300, -0.0, 0.0, 5e-324, 1e300, np.inf]),
    "many": np.linspace(-5, 5, 3000),
    "many, heavy tails": np.sinh(np.linspace(-40, 40, 1000)),
}


@levels
@dtypes
@pytest.mark.parametrize("kind", THRESHOLDS)
def test_ranks_are_exact(kind, dtype, level):
    rng = np.random.default_rng(0)
    thresholds = [THRESHOLDS[kind]] * 2
    n_splits = 2 * len(THRESHOLDS[kind])
    ensemble = random_ensemble(rng, rng.integers(2, 9, size=max(n_splits // 3, 20)), thresholds)
    with np.errstate(over="ignore"):
        X = rows_on(rng, thresholds, 2000, dtype)
    X[:10, 0] = [np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-40, -1e-40, 3e38, -3e38, 1.0]
    got = sums_of(forest_of(ensemble, None, level), X, 1)
    np.testing.assert_array_equal(got, fixed_sums(ensemble, X))


@levels
@dtypes
@pytest.mark.parametrize("n_scores", [1, 3])
@pytest.mark.parametrize("wide", [False, True])
def test_stumps_as_step_functions(wide, n_scores, dtype, level):
    rng = np.random.default_rng(1)
    thresholds = [rng.normal(size=n) for n in (1, 3, 50, 600)]
    ensemble = random_ensemble(rng, [2] * 900, thresholds, n_scores, wide)
    X = rows_on(rng, thresholds, 1500, dtype)
    got = sums_of(forest_of(ensemble, None, level), X, n_scores)
    np.testing.assert_array_equal(got, fixed_sums(ensemble, X))


@levels
def test_features_of_too_many_thresholds_are_walked(level):
    rng = np.random.default_rng(2)
    tree = random_tree(rng, 256, [np.zeros(1)])
    trees = []
    for first in range(0, 70_000, 250):
        records = tree.records.copy()
        records["threshold"] = first + rng.permutation(len(records))
        trees.append(Nodes(records, tree.votes))
    ensemble = Ensemble.from_trees(trees, features=Features(1))
    X = rng.integers(70_000, size=(50, 1)).astype(np.float64)
    got = sums_of(forest_of(ensemble, None, level), X, 1)
    np.testing.assert_array_equal(got, fixed_sums(ensemble, X))


def test_features_beyond_the_columns_of_a_block_are_walked():
    """Two columns for each of these features are more than there may be."""
    n = 2**17 + 100
    nodes = np.zeros(3 * n, NODE)
    nodes["feature"], nodes["left"], nodes["right"] = -1, np.arange(3 * n) % 3 - 1, -1
    nodes["feature"][::3], nodes["left"][::3], nodes["right"][::3] = np.arange(n), 1, 2
    starts, words = 3 * np.arange(n + 1), np.zeros(0, np.uint32)
    values = np.tile(np.array([0, 1], np.int32), n)
    tables = (values, 2 * np.arange(n + 1), np.zeros(n, np.int32), np.arange(n + 1), 1)
    trees = (nodes.view(np.uint8), starts, words, np.zeros(n + 1, np.int64))
    forest = _core.Forest(trees, tables, np.zeros(1, np.int32), 1.0, np.arange(n))
    X = np.random.default_rng(0).normal(size=(2, n)).astype(np.float32)
    np.testing.assert_array_equal(sums_of(forest, X, 1)[:, 0], (X > 0).sum(axis=1))


@levels
def test_neither_threads_nor_strides_change_a_bit(level):
    rng = np.random.default_rng(3)
    thresholds = [rng.normal(size=60) for _ in range(20)]
    ensemble = random_ensemble(rng, rng.integers(2, 30, size=60), thresholds, 3)
    X = rows_on(rng, thresholds, 5000, np.float32)
    forest = forest_of(ensemble, None, level)
    wanted = fixed_sums(ensemble, X)
    doubled = np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2]
    for view in (X, np.asfortranarray(X), doubled, X[::-1][::-1]):
        for n_jobs in (1, 2, 5):
            np.testing.assert_array_equal(sums_of(forest, view, 3, n_jobs), wanted)
    for n in (0, 1, 32, 1024, 1025, 2049, 4097):
        for n_jobs in (1, 3):
            np.testing.assert_array_equal(sums_of(forest, X[:n], 3, n_jobs), wanted[:n])


def test_scores_are_sums_in_units():
    rng = np.random.default_rng(4)
    thresholds = [rng.normal(size=60) for _ in range(4)]
    ensemble = random_ensemble(rng, [8] * 30, thresholds, 2)
    X = rows_on(rng, thresholds, 300, np.float32)
    scores = np.empty((len(X), 2))
    forest = forest_of(ensemble)
    forest.scores(X, scores, 1)
    fixed = IntegerVotes.of(ensemble.tables)
    np.testing.assert_array_equal(scores, fixed.scores(sums_of(forest, X, 2)))
    assert np.abs(scores - ensemble.scores(X)).max() <= fixed.bound + 1e-12


def test_the_level_is_named(monkeypatch):
    rng = np.random.default_rng(5)
    ensemble = random_ensemble(rng, [4], [np.zeros(1)])
    for level in _core.levels():
        assert forest_of(ensemble, None, level).level == level
        monkeypatch.setenv("MDDAG_LEVEL", level)
        assert forest_of(ensemble).level == level
    monkeypatch.delenv("MDDAG_LEVEL")
    assert forest_of(ensemble).level == _core.levels()[-1]


@given(
    seed=st.integers(0, 2**32 - 1),
    n_trees=st.integers(1, 9) | st.just(1100),
    largest=st.sampled_from([1.0, 2.0**12, 2.0**60]),
    n_rows=st.sampled_from([1, 63, 64, 65, 400]),
    n_scores=st.sampled_from([1, 2]),
)
@settings(deadline=None, max_examples=40)
def test_votes_of_any_size_in_any_pairs(seed, n_trees, largest, n_rows, n_scores):
    """Trees for one score and for two, votes that three bytes hold and others,
    and more pairs than fit the sums between two passes."""
    rng = np.random.default_rng(seed)
    thresholds = [rng.normal(size=40) for _ in range(5)]
    trees = []
    for _ in range(n_trees):
        tree = random_tree(rng, int(rng.integers(2, 9)), thresholds)
        scale = largest ** rng.random()
        trees.append(Nodes(tree.records, tree.votes * scale))
    score = rng.integers(n_scores, size=n_trees)
    bias = rng.normal(size=n_scores)
    ensemble = Ensemble.from_trees(trees, features=Features(5), bias=bias, score=score)
    X = rows_on(rng, thresholds, n_rows, np.float32)
    wanted = fixed_sums(ensemble, X)
    for level in _core.levels():
        got = sums_of(forest_of(ensemble, None, level), X, n_scores)
        np.testing.assert_array_equal(got, wanted)
