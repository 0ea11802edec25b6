"""The family: whatever can run a program gives the same answers, bit by bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.dag.executors import KERNELS, MEMBERS, TRACERS, Executor
from mddag.dag.executors.kernels import All, Blocks, Walk
from mddag.dag.program import Program
from mddag.mdp.grid import Grid
from mddag.mdp.policy import QUIT, Policy
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


def assert_equal_to_its_run(tracer, X, out):
    """Scores, written to `out`, and exits are those of the run with paths."""
    trace = tracer.run(X, 1)
    tracer.scores(X, out, 1)
    np.testing.assert_array_equal(out, trace.scores)
    for got, wanted in zip(tracer.exits(X, 1), (trace.scores, trace.exit_step), strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_paths_are_numbered_as_in_the_source_ensemble():
    ensemble = forest(8)
    order = np.random.default_rng(0).permutation(30)
    policy = Policy(Policy.prefix(7, 30, Grid(np.zeros(1))).actions, Grid(np.zeros(1)), order)
    trace = Walk(Program(ensemble, policy)).run(rows_on_thresholds(ensemble, 20, np.float32), 1)
    assert (trace.indices.reshape(20, 7) == order[:7]).all()
    assert (trace.cost == ensemble.cost[order[:7]].sum()).all()


def test_scores_and_exits_are_those_of_the_run():
    ensemble = forest(8, n_scores=3)
    X, out = rows_on_thresholds(ensemble, 200, np.float32), np.empty((200, 3))
    for policy in (noisy_policy(ensemble, 6), Policy.prefix(7, 30, Grid(np.zeros(1), 3))):
        assert_equal_to_its_run(Walk(Program(ensemble, policy)), X, out)


def test_rows_that_quit_at_once_have_no_path():
    ensemble = forest(8)
    walk = Walk(Program(ensemble, Policy.constant(QUIT, 30, Grid(np.zeros(1)))))
    trace = walk.run(rows_on_thresholds(ensemble, 5, np.float32), 1)
    assert (len(trace.indices), trace.exit_step.tolist()) == (0, [0] * 5)


def test_what_is_expected_of_rows_changes_no_answer():
    ensemble = forest(8)
    policy = every(noisy_policy(ensemble, 6), 4)
    X = rows_on_thresholds(ensemble, 1500, np.float32)
    wanted = Walk(Program(ensemble, policy)).exits(X, 1)
    for evaluations in (None, 0, 2.5, 30):
        got = Blocks(Program(ensemble, policy, evaluations)).exits(X, 1)
        for mine, theirs in zip(got, wanted, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_rare_decisions_cost_less():
    ensemble = forest(8, n_trees=300)
    policy = noisy_policy(ensemble, 6)
    often, seldom = (Blocks(Program(ensemble, every(policy, k), 30)) for k in (1, 15))
    assert seldom.cost(10_000) < often.cost(10_000)


def test_only_programs_that_evaluate_all():
    ensemble, grid = forest(8), Grid(np.zeros(1))
    assert All.runs(Program(ensemble, Policy.prefix(7, 30, grid)))
    assert All.runs(Program(ensemble, Policy.prefix(30, 30, grid)))
    assert not All.runs(Program(ensemble, noisy_policy(ensemble, 5)))


def test_every_row_leaves_at_the_end():
    ensemble = forest(8)
    program = Program(ensemble, Policy.prefix(7, 30, Grid(np.zeros(1))))
    X = rows_on_thresholds(ensemble, 50, np.float32)
    scores, exit_step = All(program).exits(X, 1)
    assert exit_step.tolist() == [7] * 50
    wanted = ensemble.truncated(7).scores(X)
    np.testing.assert_allclose(scores, wanted, rtol=0, atol=program.fixed_point.bound)
