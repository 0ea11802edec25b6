"""The row walk (_core.Walk) where small random problems do not lead: every form of tree, every form
of jump table, one row at a time, many threads. The twin is tests/reference/rollout.py.
"""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag import _core
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.policy.calibration import Calibration
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, QUIT, SKIP, Policy
from tests.native.blocks.forests import grown_tree
from tests.reference import rollout as twin


def random_tree(rng, n_leaves, columns, width=1):
    """A tree of random shape on some columns, thresholds that float32 cannot hold, any missing."""

    def split():
        return int(rng.choice(columns)), rng.normal(), bool(rng.integers(2))

    return grown_tree(rng, n_leaves, split, width)


def forest(n_leaves, n_trees=30, n_scores=1, n_features=4, rounds=None, score=None, seed=0):
    """Trees of `n_leaves` leaves, or of 1 .. -n_leaves leaves."""
    rng = np.random.default_rng(seed)
    columns = np.unique(np.linspace(0, n_features - 1, 4).astype(int))
    wide = [n_scores if score is None or k < 0 else 1 for k in score or [-1] * n_trees]
    trees = [
        random_tree(rng, n_leaves if n_leaves > 0 else 1 + t % -n_leaves, columns, wide[t])
        for t in range(n_trees)
    ]
    bias = rng.normal(size=n_scores)
    features = Features(n_features)
    return Ensemble.from_trees(trees, features=features, bias=bias, rounds=rounds, score=score)


def noisy_policy(ensemble, n_edges, seed=1, quits=0.02):
    rng = np.random.default_rng(seed)
    low = -4 if ensemble.n_scores == 1 else 0
    grid = Grid(np.linspace(low, 4, n_edges), ensemble.n_scores)
    n_steps = ensemble.n_classifiers
    p = [0.7, 0.3 - quits, quits]
    actions = rng.choice([EVAL, SKIP, QUIT], size=(n_steps, grid.n_cells), p=p)
    return Policy(actions, grid, rng.permutation(n_steps))


def rows_on_thresholds(ensemble, n, dtype, seed=2):
    """Rows that hit thresholds, miss them by the smallest step, and hold NaN and infinities."""
    rng = np.random.default_rng(seed)
    thresholds = ensemble.nodes["threshold"][ensemble.nodes["feature"] >= 0]
    X = rng.choice(thresholds, size=(n, ensemble.n_features)).astype(dtype)
    step = rng.choice([-np.inf, np.inf], size=X.shape).astype(dtype)
    X = np.where(rng.random(X.shape) < 0.5, np.nextafter(X, step), X)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[rng.random(X.shape) < 0.02] = np.inf
    return X


def assert_walks_equal(ensemble, policy, X):
    dag = mddag.compile(ensemble, policy)
    walks = twin.on_rows_in_fixed_point(ensemble, policy, X)
    trace = dag.run(X)
    np.testing.assert_array_equal(trace.scores, [w.scores for w in walks])
    assert [trace.path(i).tolist() for i in range(len(X))] == [w.path for w in walks]
    np.testing.assert_array_equal(dag.scores(X), trace.scores)
    ones = [dag.walk.scores_one(row) for row in np.ascontiguousarray(X)]
    np.testing.assert_array_equal(ones, trace.scores)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_leaves", [2, 3, 8, 9, 40, -8, -20])
def test_every_form_of_tree(n_leaves, dtype):
    ensemble = forest(n_leaves)
    X = rows_on_thresholds(ensemble, 40, dtype)
    assert_walks_equal(ensemble, noisy_policy(ensemble, 5), X)
    assert_walks_equal(ensemble, Policy.constant(EVAL, 30, Grid(np.empty(0))), X)


@pytest.mark.parametrize("n_leaves", [2, -12])
@pytest.mark.parametrize("rounds", ["one tree each", "three trees each"])
def test_several_scores(n_leaves, rounds):
    score = [t % 4 - 1 for t in range(30)]
    of_three = range(0, 31, 3) if rounds == "three trees each" else None
    ensemble = forest(n_leaves, n_scores=3, score=score, rounds=of_three)
    X = rows_on_thresholds(ensemble, 40, np.float32)
    assert_walks_equal(ensemble, noisy_policy(ensemble, 4), X)
    grid = Grid(np.empty(0), 3)
    assert_walks_equal(ensemble, Policy.constant(EVAL, ensemble.n_classifiers, grid), X)


@pytest.mark.parametrize("n_scores", [1, 2])
@pytest.mark.parametrize("n_edges", [15, 16, 17, 400])
def test_policies_of_few_and_of_many_thresholds(n_scores, n_edges):
    ensemble = forest(4, n_scores=n_scores)
    X = rows_on_thresholds(ensemble, 60, np.float64)
    assert_walks_equal(ensemble, noisy_policy(ensemble, n_edges), X)


@given(st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=30)
def test_edges_crowded_far_apart_and_equal_in_fixed_point(seed):
    rng = np.random.default_rng(seed)
    ensemble = forest(3, n_trees=8, seed=seed)
    crowd = rng.normal() + np.arange(40) * rng.choice([1e-15, 1e-11, 1e-3])
    edges = np.unique([*rng.normal(size=5), *crowd, *rng.choice([-1e9, 1e300, 3.0], 2)])
    actions = rng.choice([EVAL, SKIP], size=(8, len(edges) + 1))
    policy = Policy(actions, Grid(edges), rng.permutation(8))
    assert_walks_equal(ensemble, policy, rows_on_thresholds(ensemble, 10, np.float32))


def test_more_columns_than_a_bush_can_number():
    ensemble = forest(5, n_trees=6, n_features=70_000)
    X = np.zeros((3, 70_000), np.float32)
    X[:, [0, 23_333, 46_666, 69_999]] = np.random.default_rng(0).normal(size=(3, 4))
    assert_walks_equal(ensemble, noisy_policy(ensemble, 3), X)


def test_more_steps_than_16_bits_can_number():
    """A table of many changes, in which the last step is reached by one jump."""
    n_steps = 65_537
    tree = random_tree(np.random.default_rng(0), 1, [0])
    ensemble = Ensemble.from_trees([tree] * n_steps, features=Features(1), bias=0.2)
    grid = Grid(np.linspace(-1, 1, 40))
    actions = np.full((n_steps, grid.n_cells), SKIP, np.uint8)
    actions[0, 1::2] = QUIT
    actions[-1] = EVAL
    trace = mddag.compile(ensemble, Policy(actions, grid, np.arange(n_steps))).run(np.zeros((1, 1)))
    assert trace.path(0).tolist() == [n_steps - 1]


def test_threads_share_one_walk():
    ensemble = forest(8)
    dag = mddag.compile(ensemble, noisy_policy(ensemble, 5))
    X = rows_on_thresholds(ensemble, 300, np.float64)
    wanted = mddag.compile(ensemble, dag.policy).scores(X)

    def score(i):
        dtype = np.float32 if i % 2 else np.float64
        one = dag.walk.scores_one(X[i].astype(dtype))
        return one if i % 2 == 0 else wanted[i]

    with ThreadPoolExecutor(8) as pool:
        np.testing.assert_array_equal(list(pool.map(score, range(300))), wanted)


def test_a_pickled_dag_builds_its_walk_again():
    ensemble = forest(8)
    dag = mddag.compile(ensemble, noisy_policy(ensemble, 5))
    X = rows_on_thresholds(ensemble, 10, np.float32)
    wanted = dag.scores(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(dag)).scores(X), wanted)


def test_one_row_may_be_read_only():
    dag = mddag.compile(forest(8))
    row = np.zeros(4, np.float32)
    row.flags.writeable = False
    assert dag.walk.scores_one(row) == tuple(dag.scores(np.zeros((1, 4)))[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_row_may_have_any_stride_and_one_dimension_more(dtype):
    ensemble = forest(8)
    walk = mddag.compile(ensemble, noisy_policy(ensemble, 5)).walk
    X = np.asfortranarray(rows_on_thresholds(ensemble, 50, dtype))
    for i in range(len(X)):
        row = np.ascontiguousarray(X[i])
        wanted, code = walk.scores_one(row), walk.predict_one(row)
        for same in (X[i], row[None], X[i : i + 1], row[::-1].copy()[::-1], np.repeat(row, 3)[::3]):
            assert walk.scores_one(same) == wanted
            assert walk.predict_one(same) == code


@pytest.mark.parametrize(
    "bad",
    [
        np.zeros(3),
        np.zeros((2, 4)),
        np.zeros((4, 1)),
        np.zeros(4, np.int64),
        np.zeros(4, ">f8"),
        np.zeros(33, np.uint8)[1:].view(np.float64),
    ],
    ids=["length", "rows", "column", "integers", "byte order", "alignment"],
)
def test_other_rows_are_refused(bad):
    walk = mddag.compile(forest(8)).walk
    for call in (walk.predict_one, walk.scores_one):
        with pytest.raises(ValueError, match=r"x is .*; wanted one row, .* array of shape \(4,\)"):
            call(bad)


def test_what_is_no_array_is_refused():
    walk = mddag.compile(forest(8)).walk
    with pytest.raises(TypeError, match=r"x is a list; wanted one row, a float32 or float64"):
        walk.predict_one([0.0] * 4)
    unaligned = memoryview(bytearray(33))[1:].cast("d")  # numpy would say so by its format
    with pytest.raises(TypeError, match=r"x is a memoryview; wanted one row, a float32"):
        walk.predict_one(unaligned)


@pytest.mark.parametrize("n_scores", [1, 2, 9])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_calibrated_walk_reads_one_row_as_batches_are_read(n_scores, dtype):
    """Bit by bit: probabilities and means by the exit of each row."""
    ensemble = forest(8, n_scores=n_scores)
    X = rows_on_thresholds(ensemble, 200, dtype)
    rng = np.random.default_rng(0)
    groups = np.arange(len(ensemble) + 1)
    calibration = Calibration(groups, rng.uniform(0.1, 3, 31), rng.normal(size=31))
    for policy in (noisy_policy(ensemble, 5), mddag.compile(ensemble).policy):
        dag = mddag.compile(ensemble, policy)
        scores, exit_step = dag.exits(X)
        assert (len(np.unique(exit_step)) > 1) == (policy.grid.n_cells > n_scores)
        walk = _core.CalibratedWalk(
            dag.walk, calibration.factors[groups], calibration.offsets[groups]
        )
        out = np.empty((len(X), max(n_scores, 2)))
        for row, p in zip(X, out, strict=True):
            walk.probabilities_one(row, p)
        np.testing.assert_array_equal(out, calibration.probabilities(scores, exit_step))
        means = [walk.mean_one(row) for row in X]
        np.testing.assert_array_equal(means, calibration.calibrated(scores, exit_step)[:, 0])


def test_a_missing_value_is_refused_where_the_model_has_none():
    trees = [random_tree(np.random.default_rng(0), 4, [0, 1])]
    ensemble = Ensemble.from_trees(trees, features=Features(2, missing=False))
    walk = mddag.compile(ensemble).walk
    assert walk.predict_one(np.zeros(2)) in (0, 1)
    with pytest.raises(ValueError, match=r"x contains NaN \(column 1\), .* impute them first"):
        walk.predict_one(np.array([0.0, np.nan]))
