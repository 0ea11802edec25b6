"""Patches whose features are computed when they are read."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag import _core
from mddag.dag.dag import Dag
from mddag.dag.executors import Walk, Windows
from mddag.ensemble.ensemble import Ensemble
from mddag.features.features import Features
from mddag.features.patches import PatchFeatures, haar_features
from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, QUIT, Policy
from tests import strategies
from tests.native.blocks.forests import random_tree
from tests.patches import bars, boosted

SIZES = [[2] * 9, [1, 2, 3, 8, 5], [20, 40], []]


def random_dag(data, executor=None):
    """A policy over trees of the features of 6 x 5 patches."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n_scores = data.draw(st.sampled_from([1, 3]))
    features = PatchFeatures.of((6, 5), haar_features((6, 5))[::70])
    edges = [rng.normal(size=4) / 5 for _ in range(features.n)]
    trees = [random_tree(rng, n, edges, n_scores) for n in data.draw(st.sampled_from(SIZES))]
    ensemble = Ensemble.from_trees(trees, features=features, bias=np.zeros(n_scores))
    policy = data.draw(strategies.policies(len(ensemble), n_scores))
    return Dag(ensemble, policy, executor), rng.integers(0, 256, (300, 6, 5), np.uint8)


def assert_same_traces(mine, theirs):
    for name in ("scores", "indptr", "indices", "exit_step", "cost"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name), name)


@settings(max_examples=40)
@given(st.data())
def test_all_is_as_on_computed_columns(data):
    dag, X = random_dag(data)
    rows = dag.ensemble.features.rows(X)
    assert_same_traces(dag.run(X), dag.run(rows))
    np.testing.assert_array_equal(dag.scores(X), dag.scores(rows))
    for mine, theirs in zip(dag.exits(X), dag.exits(rows), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    for mine, theirs in zip(dag.lengths(X), dag.lengths(rows), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    named = Dag(dag.ensemble, dag.policy, "windows")
    np.testing.assert_array_equal(named.scores(rows), dag.scores(X))
    np.testing.assert_array_equal(named.scores(X), dag.scores(X))


def test_patches_are_read_lazily_where_few_base_classifiers_are_evaluated():
    ensemble = boosted(40)[0].ensemble_
    X, _ = bars(5000)
    actions = np.full((40, 2), QUIT)
    actions[:2] = EVAL
    policy = Policy(actions, Grid(np.array([0.0]), 1), np.arange(40))
    few, everything = mddag.compile(ensemble, policy), mddag.compile(ensemble)
    patches, rows = ensemble.features.read(X), ensemble.features.rows(X)
    assert isinstance(few._ready(patches)[0], Windows)
    assert not isinstance(few._ready(rows)[0], Windows)
    assert not isinstance(everything._ready(patches)[0], Windows)
    named = mddag.compile(ensemble, policy, executor="walk")
    assert isinstance(named._ready(patches)[0], Walk)


def test_threads_do_not_matter():
    dag = mddag.compile(boosted()[0].ensemble_)
    X, _ = bars(2000)
    assert_same_traces(dag.run(X, n_threads=3), dag.run(X))
    np.testing.assert_array_equal(dag.scores(X, n_threads=3), dag.scores(X))


def test_rows_have_no_windows():
    ensemble = Ensemble.from_trees([], features=Features(3))
    with pytest.raises(ValueError, match="executor is 'windows', but the ensemble reads rows"):
        mddag.compile(ensemble, executor="windows")


def test_the_kernel_refuses_what_is_of_another_size():
    program = mddag.compile(boosted()[0].ensemble_).program
    walk, patches, n = program.patch_walk, np.zeros((4, 8, 6), np.uint8), len(program.ensemble)
    out, exits, cost = np.empty((4, 1)), np.zeros(4, np.int32), np.zeros(4)
    bad = [
        lambda: walk.scores(patches[:, :7].copy(), out, 1),
        lambda: walk.scores(patches, out[:3], 1),
        lambda: walk.scores(patches, np.empty((4, 2)), 1),
        lambda: walk.exits(patches, out, exits[:3], 1),
        lambda: walk.run(patches, np.ones(n - 1), out, exits, cost, 1),
        lambda: walk.run(patches, np.ones(n), out, exits, cost[:3], 1),
    ]
    for call in bad:
        with pytest.raises(ValueError, match=r"are not|is not"):
            call()
    features = program.ensemble.features
    with pytest.raises(ValueError, match="outside of the window"):
        _core.PatchWalk(*program._trees, *program._steps, features.rectangles, 3, 3)
    with pytest.raises(ValueError, match="without a feature"):
        _core.PatchWalk(*program._trees, *program._steps, features.rectangles[:1], 8, 6)
