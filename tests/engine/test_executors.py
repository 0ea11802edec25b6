"""The family: whatever can run a program gives the same answers, bit by bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag import _core
from mddag.detection.haar import haar_features
from mddag.engine.dag import Dag
from mddag.engine.executors import Blocks, Walk, Windows
from mddag.engine.program import Program
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.patches import PatchFeatures
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, QUIT, Policy
from tests import strategies
from tests.native.blocks.forests import random_tree
from tests.native.blocks.test_large_trees import with_sets
from tests.native.test_walk import forest, noisy_policy, rows_on_thresholds
from tests.patches import bars, boosted


def every(policy, k):
    """A policy that decides at the steps 0, k, 2k … as the given one does."""
    return Policy(policy.actions[::k], policy.grid, policy.order, k)


def assert_equal_answers(ensemble, policy, X):
    walk = mddag.compile(ensemble, policy, executor="walk")
    wanted, exit_step = walk.exits(X)
    verdict = walk.run(X).verdict
    for kind in mddag.compile(ensemble, policy).possible:
        dag = mddag.compile(ensemble, policy, executor=kind.name)
        for n_jobs in (1, 3):
            np.testing.assert_array_equal(dag.scores(X, n_jobs=n_jobs), wanted)
            scores, steps = dag.exits(X, n_jobs=n_jobs)
            np.testing.assert_array_equal(scores, wanted)
            np.testing.assert_array_equal(steps, exit_step)
            np.testing.assert_array_equal(dag.verdicts(X, n_jobs=n_jobs), verdict)


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_no_executor_changes_a_bit(data):
    ensemble = data.draw(strategies.ensembles())
    X = data.draw(strategies.rows(ensemble.n_features))
    policy = data.draw(strategies.policies(ensemble.n_classifiers, ensemble.n_scores))
    for run in (policy, mddag.compile(ensemble).policy):
        assert_equal_answers(ensemble, run, X)
        assert_equal_answers(ensemble, data.draw(strategies.with_verdicts(run)), X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_leaves", [2, -8, 40])
@pytest.mark.parametrize("n_scores", [1, 3])
def test_nor_do_large_batches(n_leaves, n_scores, dtype):
    ensemble = forest(n_leaves, n_scores=n_scores)
    X = rows_on_thresholds(ensemble, 1500, dtype)
    for policy in (noisy_policy(ensemble, 6), noisy_policy(ensemble, 40, quits=0.0)):
        assert_equal_answers(ensemble, policy, X)
        assert_equal_answers(ensemble, every(policy, 4), X)


def test_nor_do_exits_among_sets_of_categories():
    """Rows that go on are moved together, with the bytes of their categories."""
    rng = np.random.default_rng(0)
    trees = [with_sets(rng, int(n), [0, 90, 96, 700], 1) for n in rng.integers(2, 9, 60)]
    ensemble = Ensemble.from_trees(trees, features=Features(4))
    X = rng.integers(0, 100, (900, 4)).astype(np.float64)
    for seed in range(4):
        assert_equal_answers(ensemble, noisy_policy(ensemble, 6, seed), X)


@pytest.mark.parametrize("k", [29, 30, 31, 2**63, 2**64 - 1, 2**70])
def test_one_decision_may_cover_more_steps_than_there_are(k):
    ensemble = forest(8, n_scores=3)
    policy = every(noisy_policy(ensemble, 6, quits=0.2), k)
    assert_equal_answers(ensemble, policy, rows_on_thresholds(ensemble, 300, np.float32))


def test_paths_are_numbered_as_in_the_source_ensemble():
    ensemble = forest(8)
    order = np.random.default_rng(0).permutation(30)
    policy = Policy(Policy.prefix(7, 30, Grid(np.zeros(1))).actions, Grid(np.zeros(1)), order)
    trace = Walk(Program(ensemble, policy)).run(rows_on_thresholds(ensemble, 20, np.float32), 1)
    assert (trace.indices.reshape(20, 7) == order[:7]).all()
    assert (trace.cost == ensemble.cost[order[:7]].sum()).all()


def test_what_is_expected_of_rows_changes_no_answer():
    ensemble = forest(8)
    policy = every(noisy_policy(ensemble, 6), 4)
    X = rows_on_thresholds(ensemble, 1500, np.float32)
    wanted = Walk(Program(ensemble, policy)).exits(X, 1)
    for evaluations in (None, 0, 2.5, 30):
        got = Blocks(Program(ensemble, policy, evaluations)).exits(X, 1)
        for mine, theirs in zip(got, wanted, strict=True):
            np.testing.assert_array_equal(mine, theirs)


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
    np.testing.assert_array_equal(dag.n_evaluated(X), dag.n_evaluated(rows))
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
    assert_same_traces(dag.run(X, n_jobs=3), dag.run(X))
    np.testing.assert_array_equal(dag.scores(X, n_jobs=3), dag.scores(X))


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
