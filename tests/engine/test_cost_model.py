"""What steps are expected to take: prices for solvers, and what a Dag chooses by."""

import numpy as np
import pytest

import mddag
from mddag.engine.cost_model import MANY_ROWS, expected_nanoseconds, step_nanoseconds
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, QUIT, Policy
from tests.engine.test_executors import every
from tests.native.test_walk import forest, noisy_policy

ROWS = ("one", "batch")


@pytest.mark.parametrize("n_leaves", [2, 8, 40])
@pytest.mark.parametrize("n_scores", [1, 3])
def test_a_dag_expects_what_the_cost_model_does(n_leaves, n_scores):
    ensemble = forest(n_leaves, n_scores=n_scores)
    n = len(ensemble)
    everything = mddag.compile(ensemble).policy
    for policy, mean in ((every(noisy_policy(ensemble, 6), 4), n / 3), (everything, None)):
        dag = mddag.compile(ensemble, policy, expected_evaluations=mean)
        batch = dag.chosen(MANY_ROWS).cost(MANY_ROWS) / MANY_ROWS
        assert expected_nanoseconds(ensemble, policy, mean, "batch") == batch
        assert expected_nanoseconds(ensemble, policy, mean, "one") == dag.program.costs.one
    for rows in ROWS:
        of_all = expected_nanoseconds(ensemble, everything, None, rows)
        assert step_nanoseconds(ensemble, rows).everything == of_all


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("n_leaves", [8, 40])
def test_fewer_evaluations_trees_and_decisions_take_less_time(n_leaves, rows):
    ensemble = forest(n_leaves)
    n, policy = len(ensemble), noisy_policy(ensemble, 6)
    means = [expected_nanoseconds(ensemble, policy, n * p, rows) for p in (0.1, 0.3, 0.6)]
    assert means == sorted(means)
    rare = expected_nanoseconds(ensemble, every(policy, 8), n * 0.3, rows)
    assert rare < means[1]
    half = Policy.prefix(n // 2, n, Grid([0.0]))
    of_all = step_nanoseconds(ensemble, rows).everything
    assert expected_nanoseconds(ensemble, half, None, rows) < of_all


@pytest.mark.parametrize("rows", ROWS)
def test_prices_of_steps_belong_to_base_classifiers(rows):
    ensemble = forest(40)
    prices = step_nanoseconds(ensemble, rows)
    order = np.random.default_rng(0).permutation(len(ensemble))
    moved = step_nanoseconds(ensemble.reordered(order), rows)
    np.testing.assert_array_equal(moved.steps(4), prices.steps(4)[order])
    assert moved.fixed == pytest.approx(prices.fixed)
    assert (prices.trees > 0).all()
    assert (prices.steps(1) > prices.steps(4)).all()


def test_they_are_close_to_those_of_a_policy():
    ensemble = forest(40)
    grid, n = Grid([-1.0, 1.0]), len(ensemble)
    actions = np.tile([QUIT, EVAL, QUIT], (n, 1))
    policy = Policy(actions, grid, np.arange(n))
    for rows in ROWS:
        prices = step_nanoseconds(ensemble, rows)
        by_steps = prices.fixed + n / 4 * prices.steps().mean()
        assert 0.5 < by_steps / expected_nanoseconds(ensemble, policy, n / 4, rows) < 2


def test_the_time_of_callables_is_not_known():
    ensemble = mddag.Ensemble.from_callables([lambda X: X[:, 0]], n_features=1)
    with pytest.raises(TypeError, match="callables"):
        step_nanoseconds(ensemble, "one")
