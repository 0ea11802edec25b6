import os
import signal
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag import _core
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import TreeBuilder
from tests import strategies
from tests.reference import trees as twin


@pytest.fixture
def stumps():
    """Ten stumps on two features with one score."""
    rng = np.random.default_rng(0)
    return Ensemble.from_trees(
        [stump(j % 2, rng.normal(), rng.normal()) for j in range(10)],
        features=Features(2),
        bias=[0.25],
        classes=np.array(["no", "yes"]),
    )


def stump(feature, threshold, vote):
    tree = TreeBuilder()
    left, right = tree.leaf([-vote]), tree.leaf([vote])
    return tree.finish(tree.split(feature, threshold, left, right, missing_left=True))


@given(st.data())
@settings(deadline=None, max_examples=200)
def test_votes_and_scores_equal_the_twin(data):
    ensemble = data.draw(strategies.ensembles())
    X = data.draw(strategies.rows(ensemble.n_features))
    votes = ensemble.votes(X, n_jobs=data.draw(st.sampled_from([1, 2])))
    np.testing.assert_array_equal(votes.dense(), twin.votes(ensemble, X))
    np.testing.assert_array_equal(ensemble.scores(X), twin.scores(ensemble, X))
    np.testing.assert_array_equal(votes.scores(), twin.scores(ensemble, X))
    if ensemble.n_trees:
        np.testing.assert_array_equal(votes.codes, twin.leaf_codes(ensemble, X))


@given(st.data())
@settings(deadline=None, max_examples=50)
def test_reordered_and_truncated_votes(data):
    ensemble = data.draw(strategies.ensembles())
    X = data.draw(strategies.rows(ensemble.n_features))
    order = np.array(data.draw(st.permutations(range(ensemble.n_classifiers))), np.intp)
    n = data.draw(st.integers(0, ensemble.n_classifiers))
    dense = ensemble.votes(X).dense()
    np.testing.assert_array_equal(ensemble.reordered(order).votes(X).dense(), dense[:, order])
    np.testing.assert_array_equal(ensemble.truncated(n).votes(X).dense(), dense[:, :n])
    np.testing.assert_array_equal(ensemble.votes(X).reordered(order).dense(), dense[:, order])
    np.testing.assert_array_equal(ensemble.reordered(order).cost, ensemble.cost[order])
    np.testing.assert_allclose(ensemble.reordered(order).scores(X), ensemble.scores(X), atol=1e-12)


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_many_rows_and_threads_give_the_same_bits(stumps, n_jobs):
    X = np.random.default_rng(1).normal(size=(1000, 2))
    np.testing.assert_array_equal(stumps.scores(X, n_jobs=n_jobs), twin.scores(stumps, X))


def test_votes_of_1000_trees_take_a_byte_each():
    rng = np.random.default_rng(0)
    ensemble = Ensemble.from_trees(
        [stump(0, v, v) for v in rng.normal(size=1000)], features=Features(1)
    )
    votes = ensemble.votes(rng.normal(size=(6000, 1)).astype(np.float32))
    assert votes.nbytes <= 1.1 * 6000 * 1000


def test_more_than_256_leaves_take_two_bytes():
    tree = TreeBuilder()
    at = tree.leaf([0.0])
    for i in range(300):
        at = tree.split(0, float(-i), tree.leaf([i + 1.0]), at, missing_left=False)
    ensemble = Ensemble.from_trees([tree.finish(at)], features=Features(1))
    X = -np.arange(-1.0, 320.0)[:, None]
    assert ensemble.votes(X).codes.dtype == np.uint16
    np.testing.assert_array_equal(ensemble.scores(X), twin.scores(ensemble, X))


def test_labels_and_ties(stumps):
    np.testing.assert_array_equal(
        stumps.labels(np.array([[-1.0], [0.0], [1e-300]])), ["no", "no", "yes"]
    )
    regressor = Ensemble.from_trees([stump(0, 0, 1)], features=Features(1), kind="regressor")
    with pytest.raises(ValueError, match=r"a regressor has no classes.*are raw scores"):
        regressor.labels(np.zeros((1, 1)))


def test_order_must_be_a_permutation(stumps):
    with pytest.raises(ValueError, match=r"each of 0\.\.9 once"):
        stumps.reordered([0, 0, 1])
    with pytest.raises(
        ValueError, match=r"order is float64 of shape \(10,\); wanted each of 0\.\.9"
    ):
        stumps.reordered(np.arange(10.0))
    with pytest.raises(ValueError, match="from 0 to 10"):
        stumps.truncated(11)
    for n in (1.5, -1, True, "3"):
        with pytest.raises(
            ValueError, match=r"n_classifiers is .*; wanted a whole number, 0 or more"
        ):
            stumps.truncated(n)


def test_an_empty_ensemble_scores_its_bias(stumps):
    assert stumps.truncated(0).scores(np.zeros((2, 2))).tolist() == [[0.25], [0.25]]
    assert stumps.truncated(0).votes(np.zeros((2, 2))).dense().shape == (2, 0, 1)


def test_threads_serve_several_callers_at_once(stumps):
    X = np.random.default_rng(1).normal(size=(20_000, 2))
    wanted, got = stumps.scores(X), {}
    callers = [
        threading.Thread(target=lambda k=k: got.update({k: stumps.scores(X, n_jobs=3)}))
        for k in range(6)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(got) == 6
    for scores in got.values():
        np.testing.assert_array_equal(scores, wanted)


def test_no_memory_in_a_thread_is_an_error_and_the_threads_go_on(stumps):
    """Rows that are no block of memory are copied block by block; these take 256 terabytes."""
    X, out = np.broadcast_to(np.float32(0), (1000, 10**12)), np.zeros((1000, 1))
    rows = np.random.default_rng(1).normal(size=(1000, 2))
    for n_jobs in (1, 2, 3) * 5:
        with pytest.raises(MemoryError):
            _core.add_scores(stumps.native, stumps.tables.native, X, out, n_jobs)
        np.testing.assert_array_equal(stumps.scores(rows, n_jobs=3), twin.scores(stumps, rows))


forks = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


def exit_code(child, patience=30.0):
    """How a forked child ended; one that does not end is killed, and has the code of its death."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if (status := os.waitpid(child, os.WNOHANG))[0]:
            return os.waitstatus_to_exitcode(status[1])
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def score_in_a_child(stumps, X, wanted):
    """Fork; the child scores X with two threads and ends, 0 meaning that it got `wanted`."""
    child = os.fork()
    if child == 0:
        os._exit(not np.array_equal(stumps.scores(X, n_jobs=2), wanted))
    return child


class TestForks:
    pytestmark = forks

    def test_threads_work_in_a_forked_child(self, stumps):
        X = np.random.default_rng(1).normal(size=(20_000, 2))
        wanted = stumps.scores(X, n_jobs=2)  # the parent's pool is running
        assert exit_code(score_in_a_child(stumps, X, wanted)) == 0

    def test_a_child_forked_in_the_midst_of_calls_does_not_hang(self, stumps):
        X = np.random.default_rng(1).normal(size=(130, 2))
        wanted, over = stumps.scores(X), threading.Event()

        def call_until_over():
            while not over.is_set():
                stumps.scores(X, n_jobs=2)

        callers = [threading.Thread(target=call_until_over) for _ in range(3)]
        for caller in callers:
            caller.start()
        try:
            codes = [exit_code(score_in_a_child(stumps, X, wanted)) for _ in range(60)]
        finally:
            over.set()
            for caller in callers:
                caller.join()
        assert codes == [0] * 60


def test_callables_vote_and_sum():
    ensemble = Ensemble.from_callables(
        [lambda X: X[:, 0], lambda X: np.sign(X[:, 1])], n_features=2, bias=[0.5]
    )
    X = np.array([[1.0, -2.0], [0.25, 3.0]])
    np.testing.assert_array_equal(ensemble.scores(X)[:, 0], [0.5, 1.75])
    np.testing.assert_array_equal(ensemble.votes(X).dense()[:, :, 0], [[1, -1], [0.25, 1]])
    np.testing.assert_array_equal(ensemble.votes(X).scores(), ensemble.scores(X))
    np.testing.assert_array_equal(ensemble.reordered([1, 0]).scores(X), ensemble.scores(X))
    np.testing.assert_array_equal(ensemble.truncated(1).scores(X)[:, 0], [1.5, 0.75])
    assert "2 callables" in repr(ensemble)
    assert ensemble.labels(ensemble.scores(X)).tolist() == [1, 1]


def test_callables_of_several_classes():
    ensemble = Ensemble.from_callables(
        [lambda X: np.c_[X, -X, 0 * X]] * 3, n_features=1, bias=[0, 0, 0.1], classes=list("abc")
    )
    assert ensemble.labels(ensemble.scores([[1.0], [-1.0], [0.0]])).tolist() == ["a", "b", "c"]


def test_unfit_callables_are_refused():
    with pytest.raises(TypeError, match=r"callables\[1\] is an int"):
        Ensemble.from_callables([abs, 3], n_features=1)
    with pytest.raises(ValueError, match="callables is empty"):
        Ensemble.from_callables([], n_features=1)
    with pytest.raises(ValueError, match=r"classes has shape \(3,\)"):
        Ensemble.from_callables([abs], n_features=1, classes=[1, 2, 3])
    short = Ensemble.from_callables([lambda X: X[:1, 0]], n_features=1)
    with pytest.raises(ValueError, match=r"base classifier 0 returned votes of shape \(1, 1\)"):
        short.scores(np.zeros((2, 1)))
