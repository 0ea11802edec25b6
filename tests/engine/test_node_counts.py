"""Nodes of paths, bit by bit those of rollouts on votes, and what steps are expected to take."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.engine.cost_model import MANY_ROWS, expected_nanoseconds, step_nanoseconds
from mddag.engine.node_counts import BITS, RowNodes, visited
from mddag.ensemble.costs import LeafDepths
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import TreeBuilder
from mddag.ensemble.rescaling import Rescaling
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, QUIT, Policy
from mddag.policy.rollout import roll_out
from tests import strategies
from tests.engine.test_executors import every
from tests.native.test_walk import forest, noisy_policy
from tests.strategies import ensembles, policies, rows, with_verdicts


def assert_equal(ensemble, policy, X):
    trace = mddag.compile(ensemble, policy).run(X)
    found = roll_out(policy, ensemble.votes(X))
    np.testing.assert_array_equal(found.scores, trace.scores)
    np.testing.assert_array_equal(found.exit_step, trace.exit_step)
    np.testing.assert_array_equal(found.n_evaluated, trace.n_evaluated)
    np.testing.assert_array_equal(found.codes, trace.verdict)


@settings(max_examples=60)
@given(st.data())
def test_trees(data):
    ensemble = data.draw(ensembles())
    policy = data.draw(policies(len(ensemble), ensemble.n_scores))
    X = data.draw(rows(ensemble.n_features))
    assert_equal(ensemble, policy, X)
    assert_equal(ensemble, data.draw(with_verdicts(policy)), X)


@pytest.mark.parametrize("n_scores", [1, 3])
def test_callables(n_scores):
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(6, 2, n_scores))
    voters = [lambda X, w=w: np.tanh(X @ w) for w in weights]
    ensemble = Ensemble.from_callables(voters, n_features=2, bias=np.zeros(n_scores))
    X = rng.normal(size=(200, 2))
    grid = Grid(np.linspace(-1, 1, 9) if n_scores == 1 else np.linspace(0, 1, 9), n_scores)
    actions = rng.choice(3, (6, grid.n_cells), p=[0.6, 0.3, 0.1])
    rescaling = Rescaling(
        rng.normal(size=n_scores), rng.normal(size=(6, n_scores)), rng.uniform(size=(6, n_scores))
    )
    for how in (None, rescaling):
        assert_equal(ensemble, Policy(actions, grid, rng.permutation(6), rescaling=how), X)


def on_paths(dag, X):
    """Nodes on the paths of a trace, one by one."""
    nodes = LeafDepths.of(dag.ensemble).of_rows(dag.ensemble.votes(X).codes)
    trace = dag.run(X)
    return [row[trace.path(i)].sum() for i, row in enumerate(nodes)]


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_of_any_policy(data):
    ensemble = data.draw(strategies.ensembles())
    policy = data.draw(strategies.policies(len(ensemble), ensemble.n_scores))
    X = np.asarray(data.draw(strategies.rows(ensemble.n_features)), np.float64)
    dag = mddag.compile(ensemble, policy)
    wanted = on_paths(dag, X)
    np.testing.assert_array_equal(visited(dag, X), wanted)
    counted = RowNodes(ensemble.votes(X), LeafDepths.of(ensemble))
    np.testing.assert_array_equal(counted.under(policy), wanted)


def test_more_base_classifiers_than_a_number_has_bits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    trees = []
    for _ in range(2 * BITS + 5):
        tree, vote = TreeBuilder(), rng.normal(size=1) / 10
        left, right = tree.leaf(vote), tree.leaf(-vote)
        root = tree.split(int(rng.integers(3)), float(rng.normal()), left, right, True)
        trees.append(tree.finish(root))
    ensemble = Ensemble.from_trees(trees, features=Features(3))
    grid = Grid(np.linspace(-1, 1, 7), 1)
    actions = rng.choice(3, (len(ensemble), grid.n_cells), p=[0.5, 0.49, 0.01]).astype(np.uint8)
    policy = Policy(actions, grid, rng.permutation(len(ensemble)))
    counted = RowNodes(ensemble.votes(X), LeafDepths.of(ensemble))
    np.testing.assert_array_equal(
        counted.under(policy), mddag.compile(ensemble, policy).run(X).n_evaluated
    )
    assert (counted.everything() == len(ensemble)).all()


# What steps are expected to take: prices for solvers, and what a Dag chooses by.


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
    for kind in ROWS:
        of_all = expected_nanoseconds(ensemble, everything, None, kind)
        assert step_nanoseconds(ensemble, kind).everything == of_all


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
    for kind in ROWS:
        prices = step_nanoseconds(ensemble, kind)
        by_steps = prices.fixed + n / 4 * prices.steps().mean()
        assert 0.5 < by_steps / expected_nanoseconds(ensemble, policy, n / 4, kind) < 2


def test_the_time_of_callables_is_not_known():
    ensemble = mddag.Ensemble.from_callables([lambda X: X[:, 0]], n_features=1)
    with pytest.raises(TypeError, match="callables"):
        step_nanoseconds(ensemble, "one")
