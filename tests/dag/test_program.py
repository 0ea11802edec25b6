"""Verdicts of runs, against twins that walk one action at a time."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag import _core
from mddag.dag.executors.steps import Steps
from mddag.dag.program import AT_END, PASSED, Program, codes_by_scores, walk_verdicts
from mddag.ensemble.ensemble import Ensemble
from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, QUIT, SKIP, Policy
from mddag.mdp.state import Stages
from tests import strategies
from tests.dag.executors.test_kernels import assert_equal_answers, every
from tests.dag.test_dag import stumps
from tests.native.test_walk import forest, noisy_policy, rows_on_thresholds
from tests.reference import rollout as twin


@pytest.mark.parametrize("n_reached", [0, 1, 12])
@pytest.mark.parametrize("k", [1, 4])
def test_what_no_row_reaches_is_left_out(n_reached, k):
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
        assert len(Program(ensemble, cut).reached[0]) <= n_reached
        trace = mddag.compile(ensemble, cut).run(X)
        mdp = mddag.MDP(ensemble.votes(X), np.zeros(300, int))
        scores, n_evaluated, _ = mdp.rollout(cut)
        np.testing.assert_array_equal(trace.n_evaluated, n_evaluated)
        np.testing.assert_allclose(trace.scores, scores, atol=1e-5)
        assert np.isin(trace.indices, order[:n_reached]).all()
        np.testing.assert_allclose(
            trace.cost, [ensemble.cost[trace.path(i)].sum() for i in range(300)]
        )


@pytest.mark.parametrize("bad", [-1, float("nan"), "many"])
def test_expected_evaluations_are_a_number(bad):
    with pytest.raises(ValueError, match=r"expected_evaluations is .*; wanted a number above 0"):
        mddag.compile(forest(8), expected_evaluations=bad)


def test_no_row_evaluates_more_than_all():
    with pytest.raises(ValueError, match=r"expected_evaluations is 31, but there are 30 base"):
        mddag.compile(forest(8), expected_evaluations=31)


def test_a_prefix_evaluates_all_that_is_reached():
    ensemble, grid = forest(8), Grid(np.zeros(1))
    assert Program(ensemble, Policy.prefix(7, 30, grid)).evaluates_all
    assert not Program(ensemble, noisy_policy(ensemble, 5)).evaluates_all


def test_the_whole_ensemble_costs_more_than_its_prefix():
    program = Program(forest(8), Policy.prefix(7, 30, Grid(np.zeros(1))))
    assert program.costs.evaluations == 7
    assert program.full_costs.evaluations == 30
    assert program.costs.by_all(1000) < program.full_costs.by_all(1000)


def test_units_are_those_of_the_whole_ensemble():
    ensemble = forest(8)
    some = Program(ensemble, Policy.prefix(7, 30, Grid(np.zeros(1))))
    assert (
        some.fixed_point.exponent
        == Program(ensemble, noisy_policy(ensemble, 5)).fixed_point.exponent
    )


def test_callables_have_no_kernels():
    called = Ensemble.from_callables([lambda rows: rows[:, 0]], n_features=1)
    program = Program(called, Policy.constant(EVAL, 1, Grid(np.zeros(1))))
    assert not program.has_kernels
    with pytest.raises(TypeError, match="callables; only trees have native executors"):
        _ = program.walk
    assert Program(forest(8), noisy_policy(forest(8), 5)).has_kernels


def test_the_walk_knows_more_states_than_other_kernels():
    ensemble = forest(8)
    policy = noisy_policy(ensemble, 5)
    reads = np.zeros(len(ensemble) + 1, int)
    staged = Program(ensemble, replace(policy, state=Stages(policy.grid, reads)))
    assert staged.has_walk
    assert not staged.has_kernels
    assert Program(ensemble, policy).has_walk


GRID = Grid(np.array([0.0]))


def test_verdicts_of_a_walk_that_has_the_first_decisions_alone():
    actions = np.array([[EVAL, SKIP], [QUIT, SKIP], [SKIP, QUIT], [QUIT, EVAL]])
    verdict = np.array([[-1, -1], [1, -1], [-1, 0], [0, -1], [1, 1]])
    policy = Policy(actions, GRID, np.arange(4), verdict=verdict)
    table, passed = walk_verdicts(policy, 2)
    assert table.tolist() == [[1, AT_END], [1, AT_END], [0, 0]]
    assert passed.tolist() == [1, 1]
    table, _ = walk_verdicts(policy, 4)
    assert table.tolist() == [[1, 0], [1, 0], [0, 0], [0, AT_END], [PASSED, PASSED]]
    assert walk_verdicts(Policy(actions, GRID, np.arange(4)), 2) is None


def test_stages_have_a_walk_of_their_own():
    ensemble = stumps(2)
    assert type(mddag.compile(ensemble).walk) is _core.Walk
    state = Stages(GRID, [0, 1, 0])
    policy = Policy(np.zeros((2, 2)), GRID, np.arange(2), state=state)
    assert type(mddag.compile(ensemble, policy).walk) is _core.StageWalk


@given(st.data())
@settings(deadline=None, max_examples=100)
def test_single_rows_have_the_verdicts_of_batches(data):
    ensemble = data.draw(strategies.ensembles())
    X = np.nan_to_num(data.draw(strategies.rows(ensemble.n_features)))
    policy = data.draw(strategies.policies(ensemble.n_classifiers, ensemble.n_scores))
    dag = mddag.compile(ensemble, data.draw(strategies.with_verdicts(policy)))
    codes = [dag.walk.predict_one(x) for x in np.ascontiguousarray(X)]
    assert codes == dag.verdicts(X).tolist() == dag.run(X).verdict.tolist()


SPLITS = 1  # seed of stumps whose first one gives scores of both signs


def steps_of(dag):
    """The executor of any state, which also runs what kernels can run."""
    return Steps(dag.program)


@given(st.data())
@settings(deadline=None, max_examples=150)
def test_verdicts_are_those_of_the_walk_by_single_actions(data):
    ensemble = data.draw(strategies.ensembles())
    X = data.draw(strategies.rows(ensemble.n_features))
    policy = data.draw(strategies.policies(ensemble.n_classifiers, ensemble.n_scores))
    if data.draw(st.booleans()):
        policy = data.draw(strategies.with_verdicts(policy))
    dag = mddag.compile(ensemble, policy)
    wanted = twin.codes(twin.on_rows_in_fixed_point(ensemble, policy, X))
    assert dag.run(X).verdict.tolist() == wanted
    assert dag.verdicts(X).tolist() == wanted
    of_floats = twin.codes(twin.on_rows(ensemble, policy, X))
    executor = steps_of(dag)
    assert executor.run(X, 1).verdict.tolist() == of_floats
    assert executor.verdicts(X, 1).tolist() == of_floats


def test_a_row_that_skips_to_a_quit_has_the_verdict_of_that_decision():
    actions = np.array([[EVAL, EVAL], [SKIP, SKIP], [SKIP, QUIT], [SKIP, EVAL]])
    verdict = np.array([[-1, -1], [-1, -1], [0, 0], [1, 1], [1, -1]])
    ensemble, X = stumps(4, seed=SPLITS), np.random.default_rng(0).normal(size=(40, 2))
    dag = mddag.compile(ensemble, Policy(actions, GRID, np.arange(4), verdict=verdict))
    trace = dag.run(X)
    above = trace.scores[:, 0] > 0
    assert (trace.exit_step == 1).all()
    assert 0 < above.sum() < len(X)
    assert trace.verdict.tolist() == np.where(above, 0, 1).tolist()


def test_by_default_scores_decide():
    ensemble, X = stumps(4, n_scores=3), np.random.default_rng(0).normal(size=(40, 2))
    dag = mddag.compile(ensemble)
    trace = dag.run(X)
    assert trace.verdict.dtype == np.intp
    assert trace.verdict.tolist() == trace.scores.argmax(axis=1).tolist()
    assert (mddag.compile(ensemble, executor="all").verdicts(X) == trace.verdict).all()


def test_numbers_have_no_verdict():
    ensemble = stumps(3)
    regressor = replace(ensemble, task=mddag.ensemble.tasks.Regression())
    X = np.zeros((2, 2))
    assert mddag.compile(regressor).run(X).verdict.tolist() == [-1, -1]
    assert codes_by_scores(regressor, np.ones((2, 1))).tolist() == [-1, -1]
    policy = Policy(np.zeros((3, 2)), GRID, np.arange(3), verdict=np.zeros((4, 2), int))
    with pytest.raises(ValueError, match="verdicts, which are classes, but the ensemble is a reg"):
        mddag.compile(regressor, policy)
