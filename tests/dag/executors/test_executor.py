"""The family: whatever can run a program gives the same answers, bit by bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.dag.executors import KERNELS, MEMBERS, TRACERS, Executor
from mddag.mdp.policy import Policy
from tests import strategies
from tests.native.test_walk import forest, noisy_policy, rows_on_thresholds


def every(policy, k):
    """A policy that decides at the steps 0, k, 2k … as the given one does."""
    return Policy(policy.actions[::k], policy.grid, policy.order, k)


def assert_equal_answers(ensemble, policy, X):
    walk = mddag.compile(ensemble, policy, executor="walk")
    wanted, exit_step = walk.exits(X)
    verdict = walk.run(X).verdict
    for kind in mddag.compile(ensemble, policy).possible:
        dag = mddag.compile(ensemble, policy, executor=kind.name)
        for n_threads in (1, 3):
            np.testing.assert_array_equal(dag.scores(X, n_threads=n_threads), wanted)
            scores, steps = dag.exits(X, n_threads=n_threads)
            np.testing.assert_array_equal(scores, wanted)
            np.testing.assert_array_equal(steps, exit_step)
            np.testing.assert_array_equal(dag.verdicts(X, n_threads=n_threads), verdict)


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


@pytest.mark.parametrize("k", [29, 30, 31, 2**63, 2**64 - 1, 2**70])
def test_one_decision_may_cover_more_steps_than_there_are(k):
    ensemble = forest(8, n_scores=3)
    policy = every(noisy_policy(ensemble, 6, quits=0.2), k)
    assert_equal_answers(ensemble, policy, rows_on_thresholds(ensemble, 300, np.float32))


def test_names_are_those_that_can_be_asked_for():
    assert {"walk", "blocks", "all"} <= {kind.name for kind in KERNELS}
    assert len({kind.name for kind in MEMBERS}) == len(MEMBERS)
    assert set(TRACERS) <= set(MEMBERS)


@pytest.mark.parametrize("kind", MEMBERS)
def test_members_have_what_the_contract_names(kind):
    wanted = {name for name in vars(Executor) if not name.startswith("_")}
    assert wanted <= set(dir(kind))
