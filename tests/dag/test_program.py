from dataclasses import replace

import numpy as np
import pytest

import mddag
from mddag.dag.program import Program
from mddag.ensemble.ensemble import Ensemble
from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, QUIT, Policy
from mddag.mdp.stages import Stages
from tests.dag.executors.test_executor import assert_equal_answers, every
from tests.native.test_walk import forest, noisy_policy, rows_on_thresholds


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
