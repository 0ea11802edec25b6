import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.dag.executor import EXECUTORS, Executor
from mddag.ensemble.ensemble import Ensemble
from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, QUIT, Policy
from tests import strategies
from tests.native.test_walk import forest, noisy_policy, rows_on_thresholds


def every(policy, k):
    """A policy that decides at the steps 0, k, 2k … as the given one does."""
    return Policy(policy.actions[::k], policy.grid, policy.order, k)


def assert_equal_answers(ensemble, policy, X):
    executors = Executor(ensemble, policy).possible
    wanted, exit_step = mddag.compile(ensemble, policy, executor="walk").exits(X)
    for name in executors:
        dag = mddag.compile(ensemble, policy, executor=name)
        for n_threads in (1, 3):
            np.testing.assert_array_equal(dag.scores(X, n_threads=n_threads), wanted)
            scores, steps = dag.exits(X, n_threads=n_threads)
            np.testing.assert_array_equal(scores, wanted)
            np.testing.assert_array_equal(steps, exit_step)


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_no_executor_changes_a_bit(data):
    ensemble = data.draw(strategies.ensembles())
    X = data.draw(strategies.rows(ensemble.n_features))
    policy = data.draw(strategies.policies(ensemble.n_classifiers, ensemble.n_scores))
    assert_equal_answers(ensemble, policy, X)
    assert_equal_answers(ensemble, mddag.compile(ensemble).policy, X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_leaves", [2, -8, 40])
@pytest.mark.parametrize("n_scores", [1, 3])
def test_nor_do_large_batches(n_leaves, n_scores, dtype):
    ensemble = forest(n_leaves, n_scores=n_scores)
    X = rows_on_thresholds(ensemble, 1500, dtype)
    for policy in (noisy_policy(ensemble, 6), noisy_policy(ensemble, 40, quits=0.0)):
        assert_equal_answers(ensemble, policy, X)
        assert_equal_answers(ensemble, every(policy, 4), X)


@pytest.mark.parametrize("k", [29, 30, 31, 2**63, 2**64 - 1, 2**70])
def test_one_decision_may_cover_more_steps_than_there_are(k):
    ensemble = forest(8, n_scores=3)
    policy = every(noisy_policy(ensemble, 6, quits=0.2), k)
    assert_equal_answers(ensemble, policy, rows_on_thresholds(ensemble, 300, np.float32))


@pytest.mark.parametrize("n_reached", [0, 1, 12])
@pytest.mark.parametrize("k", [1, 4])
def test_what_nobody_reaches_is_left_out(n_reached, k):
    ensemble = forest(8, n_scores=3)
    n_reached = -(-n_reached // k) * k
    policy = every(noisy_policy(ensemble, 6), k)
    actions = policy.actions.copy()
    actions[n_reached // k :] = QUIT
    order = np.random.default_rng(0).permutation(len(ensemble))
    for some in (actions, np.where(actions == QUIT, QUIT, EVAL)):
        cut = Policy(some, policy.grid, order, k)
        X = rows_on_thresholds(ensemble, 300, np.float32)
        assert_equal_answers(ensemble, cut, X)
        executor = Executor(ensemble, cut)
        assert len(executor.reached[0]) <= n_reached
        trace = mddag.compile(ensemble, cut).run(X)
        mdp = mddag.MDP(ensemble.votes(X), np.zeros(300, int))
        scores, n_evaluated, _ = mdp.rollout(cut)
        np.testing.assert_array_equal(trace.n_evaluated, n_evaluated)
        np.testing.assert_allclose(trace.scores, scores, atol=1e-5)
        assert np.isin(trace.indices, order[:n_reached]).all()
        np.testing.assert_allclose(
            trace.cost, [ensemble.cost[trace.path(i)].sum() for i in range(300)]
        )


def test_a_prefix_is_evaluated_at_once():
    ensemble = forest(8)
    prefix = Policy.prefix(7, len(ensemble), Grid(np.zeros(1)))
    dag = mddag.compile(ensemble, prefix, executor="all")
    assert str(dag).endswith("evaluates 7 of 30 of every row")
    assert dag.expected_speedup > 1


def test_the_cost_model_chooses_batch_by_batch():
    ensemble = forest(8, n_trees=300)
    executor = mddag.compile(ensemble).native
    assert (executor.chosen(1), executor.chosen(100_000)) == ("walk", "all")
    sparse = mddag.compile(ensemble, every(noisy_policy(ensemble, 6), 15)).native
    assert (sparse.chosen(1), sparse.chosen(100_000)) == ("walk", "blocks")
    asked = mddag.compile(ensemble, executor="walk").native
    assert asked.chosen(100_000) == "walk"


def test_what_cannot_run_a_policy_is_refused():
    ensemble = forest(8)
    with pytest.raises(ValueError, match="executor is 'fast'; wanted one of 'walk', 'blocks'"):
        mddag.compile(ensemble, executor="fast")
    with pytest.raises(ValueError, match=r"'all' evaluates the same of .* one of 'walk'"):
        mddag.compile(ensemble, noisy_policy(ensemble, 5), executor="all")
    called = Ensemble.from_callables([lambda rows: rows[:, 0]], n_features=1)
    with pytest.raises(ValueError, match=r"executor is 'walk', but .* callables.*; leave executor"):
        mddag.compile(called, executor="walk")
    assert set(EXECUTORS) == {"walk", "blocks", "all"}


@pytest.mark.parametrize("bad", [-1, float("nan"), "many"])
def test_expected_evaluations_are_a_number(bad):
    with pytest.raises(ValueError, match=r"expected_evaluations is .*; wanted a number above 0"):
        mddag.compile(forest(8), expected_evaluations=bad)


def test_nobody_evaluates_more_than_all():
    with pytest.raises(ValueError, match=r"expected_evaluations is 31, but there are 30 base"):
        mddag.compile(forest(8), expected_evaluations=31)


def test_a_policy_that_saves_no_time_is_named():
    ensemble, grid = forest(8), Grid(np.linspace(-1, 1, 5))
    actions = np.full((30, 6), EVAL)
    actions[-1, 1:] = QUIT
    slow = mddag.compile(ensemble, Policy(actions, grid, np.arange(30)), expected_evaluations=29)
    assert slow.expected_speedup < 1
    assert "by 'blocks': no faster than evaluating everything (" in str(slow)
    assert str(slow).endswith("if rows need 29 base classifiers on average")


def test_a_policy_that_saves_time_is_named():
    ensemble = forest(8, n_trees=300)
    policy = every(noisy_policy(ensemble, 6), 15)
    fast = mddag.compile(ensemble, policy, expected_evaluations=3)
    assert fast.expected_speedup > 1
    assert fast.expected_speedup_one > fast.expected_speedup
    assert " times as fast as evaluating everything" in str(fast)
    assert mddag.compile(ensemble).expected_speedup == 1
    assert mddag.compile(ensemble).expected_speedup_one == 1
    assert str(mddag.compile(ensemble)).endswith("evaluates everything of every row")


def test_callables_are_called_one_by_one():
    called = mddag.compile(Ensemble.from_callables([lambda rows: rows[:, 0]], n_features=1))
    assert str(called) == repr(called)
    assert called.expected_speedup == called.expected_speedup_one == 1
    with pytest.raises(TypeError, match="callables; only trees have native executors"):
        called.walk.predict_one(np.zeros(1))
