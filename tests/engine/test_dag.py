from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.engine import dag as dag_module
from mddag.engine.dag import Dag
from mddag.engine.executors import Steps
from mddag.engine.program import Program
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import TreeBuilder
from mddag.ensemble.rescaling import Rescaling
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, QUIT, Policy
from tests import strategies
from tests.engine.test_executors import every
from tests.native.test_walk import forest, noisy_policy
from tests.reference import rollout as twin
from tests.reference import trees as trees_twin


def stumps(n_classifiers, n_scores=1, seed=0):
    """Stumps on two features with random votes and a bias."""
    rng = np.random.default_rng(seed)

    def stump(j):
        tree = TreeBuilder()
        left, right = (
            tree.leaf(rng.normal(size=n_scores)),
            tree.leaf(rng.normal(size=n_scores)),
        )
        return tree.finish(tree.split(j % 2, rng.normal(), left, right, missing_left=True))

    trees = [stump(j) for j in range(n_classifiers)]
    bias = rng.normal(size=n_scores)
    return Ensemble.from_trees(trees, features=Features(2), bias=bias).with_cost(
        rng.integers(1, 9, size=n_classifiers)
    )


def random_policy(n_steps, n_scores, seed=0):
    rng = np.random.default_rng(seed)
    grid = Grid(np.linspace(-2, 2, 9) if n_scores == 1 else np.linspace(0, 2, 5), n_scores)
    actions = rng.choice(3, size=(n_steps, grid.n_cells), p=[0.6, 0.35, 0.05])
    return Policy(actions, grid, rng.permutation(n_steps))


def assert_equal_walks(trace, walks):
    np.testing.assert_array_equal(trace.scores, [w.scores for w in walks])
    assert [trace.path(i).tolist() for i in range(len(trace))] == [w.path for w in walks]
    assert trace.exit_step.tolist() == [w.exit_step for w in walks]
    assert trace.cost.tolist() == [w.cost for w in walks]


@given(st.data())
@settings(deadline=None, max_examples=200)
def test_trees_equal_the_twin(data):
    ensemble = data.draw(strategies.ensembles())
    X = data.draw(strategies.rows(ensemble.n_features))
    policy = data.draw(strategies.policies(ensemble.n_classifiers, ensemble.n_scores))
    n_jobs = data.draw(st.sampled_from([1, 2]))
    dag = mddag.compile(ensemble, policy)
    walks = twin.on_rows_in_fixed_point(ensemble, policy, X)
    assert_equal_walks(dag.run(X, n_jobs=n_jobs), walks)
    np.testing.assert_array_equal(dag.scores(X, n_jobs=n_jobs), [w.scores for w in walks])
    scores, exit_step = dag.exits(X, n_jobs=n_jobs)
    np.testing.assert_array_equal(scores, [w.scores for w in walks])
    assert exit_step.tolist() == [w.exit_step for w in walks]
    for row, walk in zip(X, walks, strict=True):
        assert dag.walk.scores_one(row.copy()) == tuple(walk.scores)
        assert dag.walk.predict_one(row.copy()) == twin.code_of(walk.scores)


@given(st.data())
@settings(deadline=None, max_examples=50)
def test_without_a_policy_everything_is_evaluated(data):
    ensemble = data.draw(strategies.ensembles())
    X = data.draw(strategies.rows(ensemble.n_features))
    dag = mddag.compile(ensemble)
    trace = dag.run(X)
    bound = dag.fixed_point.bound + 1e-13
    np.testing.assert_allclose(dag.scores(X), ensemble.scores(X), rtol=0, atol=bound)
    np.testing.assert_array_equal(trace.scores, dag.scores(X))
    assert (trace.n_evaluated == ensemble.n_classifiers).all()
    assert (trace.exit_step == ensemble.n_classifiers).all()
    assert trace.cost.tolist() == [ensemble.cost.sum()] * len(X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_scores", [1, 3])
def test_blocks_and_threads_change_nothing(dtype, n_scores):
    ensemble, policy = stumps(12, n_scores), random_policy(12, n_scores)
    X = np.random.default_rng(1).normal(size=(700, 2)).astype(dtype)
    dag = mddag.compile(ensemble, policy)
    walks = twin.on_rows_in_fixed_point(ensemble, policy, X)
    assert len({tuple(w.path) for w in walks}) > 5
    for n_jobs in (1, 2, 5):
        assert_equal_walks(dag.run(X, n_jobs=n_jobs), walks)
        np.testing.assert_array_equal(dag.scores(X, n_jobs=n_jobs), [w.scores for w in walks])


def test_quitting_at_once_returns_the_bias():
    ensemble = stumps(3)
    policy = Policy.constant(QUIT, 3, Grid(np.zeros(1)))
    trace = mddag.compile(ensemble, policy).run(np.zeros((2, 2)))
    np.testing.assert_allclose(trace.scores, [ensemble.bias] * 2, rtol=0, atol=1e-8)
    assert trace.exit_step.tolist() == [0, 0]
    assert len(trace.indices) == 0
    assert trace.cost.tolist() == [0, 0]


def test_a_dag_of_no_base_classifiers_returns_the_bias():
    ensemble = stumps(3).truncated(0)
    dag = mddag.compile(ensemble)
    scores = dag.scores(np.zeros((2, 2)))
    np.testing.assert_allclose(scores, [ensemble.bias] * 2, rtol=0, atol=dag.fixed_point.bound)
    assert dag.run(np.zeros((2, 2))).n_evaluated.tolist() == [0, 0]


@pytest.mark.parametrize("make", [mddag.compile, Dag])
def test_a_policy_for_another_ensemble_is_refused(make):
    with pytest.raises(ValueError, match=r"for 4 base classifiers and 1 score.*got 3 and 1"):
        make(stumps(3), Policy.constant(EVAL, 4, Grid(np.zeros(1))))
    with pytest.raises(ValueError, match="got 3 and 2"):
        make(stumps(3, n_scores=2), Policy.constant(EVAL, 3, Grid(np.zeros(1))))


def test_the_first_state_may_lie_on_an_edge():
    """On a grid of quantiles it does; a bias that is rounded up must not pass it."""
    for bias in (0.1, 0.3, 0.7, 1 / 3, 2 / 3):
        ensemble = replace(stumps(3), tables=replace(stumps(3).tables, bias=np.array([bias])))
        grid = Grid(np.array([bias]))
        policy = Policy(np.array([[EVAL, QUIT]] * 3), grid, np.arange(3))
        assert mddag.compile(ensemble, policy).exits(np.zeros((1, 2)))[1][0] > 0


def test_levels_go_into_the_votes_when_compiled():
    ensemble = stumps(3)
    levels = Rescaling(np.array([-0.5]), np.array([[0.25], [0.0], [0.25]]))
    policy = Policy(np.full((3, 2), QUIT), Grid(np.zeros(1)), np.arange(3), rescaling=levels)
    with pytest.raises(ValueError, match=r"the policy has a rescaling, .*wanted mddag\.compile"):
        Dag(ensemble, policy)
    dag = mddag.compile(ensemble, policy)
    wanted = [ensemble.bias - 0.5]
    np.testing.assert_allclose(dag.scores(np.zeros((1, 2))), wanted, atol=dag.fixed_point.bound)


@pytest.mark.parametrize("policy", [None, random_policy(3, 1)])
def test_bad_threads_and_an_out_among_the_rows_are_refused(policy):
    dag, X = mddag.compile(stumps(3), policy), np.zeros((6, 2))
    for call in (dag.run, dag.scores):
        with pytest.raises(ValueError, match=r"n_jobs is 2\.5; wanted a whole number, 1 or more"):
            call(X, n_jobs=2.5)
    with pytest.raises(ValueError, match="out shares memory with X"):
        dag.scores(X, out=X.reshape(-1)[:6].reshape(6, 1))


def test_evaluations_are_counted_block_by_block(monkeypatch):
    monkeypatch.setattr(dag_module, "BLOCK", 7)
    ensemble, X = stumps(6), np.random.default_rng(0).normal(size=(30, 2))
    grid = Grid(np.zeros(1))
    actions = np.random.default_rng(1).integers(0, 3, (6, 2)).astype(np.uint8)
    for dag in (
        mddag.compile(ensemble, Policy(actions, grid, np.arange(6))),
        mddag.compile(ensemble),
    ):
        np.testing.assert_array_equal(dag.n_evaluated(X, n_jobs=2), dag.run(X).n_evaluated)


def test_a_prefix_is_evaluated_at_once():
    ensemble = forest(8)
    prefix = Policy.prefix(7, len(ensemble), Grid(np.zeros(1)))
    dag = mddag.compile(ensemble, prefix, executor="all")
    assert str(dag).endswith("evaluates 7 of 30 of every row")
    assert dag.expected_speedup > 1


def test_the_cost_model_chooses_batch_by_batch():
    ensemble = forest(8, n_trees=300)
    full = mddag.compile(ensemble)
    assert (full.chosen(1).name, full.chosen(100_000).name) == ("walk", "all")
    sparse = mddag.compile(ensemble, every(noisy_policy(ensemble, 6), 15))
    assert (sparse.chosen(1).name, sparse.chosen(100_000).name) == ("walk", "blocks")
    assert mddag.compile(ensemble, executor="walk").chosen(100_000).name == "walk"


def test_what_cannot_run_a_policy_is_refused():
    ensemble = forest(8)
    with pytest.raises(ValueError, match="executor is 'fast'; wanted one of 'walk', 'blocks'"):
        mddag.compile(ensemble, executor="fast")
    with pytest.raises(ValueError, match=r"'all', but the policy does not .*; wanted 'walk' or"):
        mddag.compile(ensemble, noisy_policy(ensemble, 5), executor="all")
    called = Ensemble.from_callables([lambda rows: rows[:, 0]], n_features=1)
    with pytest.raises(ValueError, match=r"executor is 'walk', but .* callables.*; leave executor"):
        mddag.compile(called, executor="walk")


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
    assert [executor.name for executor in called.possible] == ["steps"]
    assert called.expected_speedup == called.expected_speedup_one == 1
    with pytest.raises(TypeError, match="callables; only trees have native executors"):
        called.walk.predict_one(np.zeros(1))


@given(st.data())
@settings(deadline=None, max_examples=50)
def test_callables_equal_the_twin(data):
    source = data.draw(strategies.ensembles().filter(lambda e: e.n_classifiers > 0))
    X = data.draw(strategies.rows(source.n_features))
    policy = data.draw(strategies.policies(source.n_classifiers, source.n_scores))

    def voter(j):
        return lambda rows: trees_twin.votes(source, rows)[:, j]

    voters = [voter(j) for j in range(source.n_classifiers)]
    ensemble = Ensemble.from_callables(voters, n_features=source.n_features, bias=source.bias)
    dag = mddag.compile(ensemble, policy)
    dense = trees_twin.votes(source, X)
    walks = [
        twin.follow(lambda j, i=i: [dense[i, j]], policy, ensemble.bias, ensemble.cost)
        for i in range(len(X))
    ]
    assert_equal_walks(dag.run(X), walks)
    np.testing.assert_array_equal(dag.scores(X), [w.scores for w in walks])
    scores, exit_step = dag.exits(X)
    np.testing.assert_array_equal(scores, [w.scores for w in walks])
    assert exit_step.tolist() == [w.exit_step for w in walks]


@given(st.data())
@settings(deadline=None, max_examples=50)
def test_trees_equal_the_twin_in_floats(data):
    """Sums of whole votes are exact: in which order trees are added makes no difference."""
    ensemble = twin.in_fixed_point(data.draw(strategies.ensembles()))
    X = data.draw(strategies.rows(ensemble.n_features))
    policy = data.draw(strategies.policies(ensemble.n_classifiers, ensemble.n_scores))
    assert_equal_walks(
        Steps(Program(ensemble, policy)).run(X, 1), twin.on_rows(ensemble, policy, X)
    )


def test_each_base_classifier_is_called_once_on_the_rows_that_evaluate_it():
    calls = []

    def voter(j):
        return lambda rows: (calls.append((j, len(rows))), rows[:, 0])[1]

    ensemble = Ensemble.from_callables([voter(j) for j in range(3)], n_features=1)
    actions = np.array([[0, 0], [0, 2], [0, 1]])  # rows above 0 quit after the first
    dag = mddag.compile(ensemble, Policy(actions, Grid(np.zeros(1)), np.array([2, 0, 1])))
    trace = dag.run(np.array([[-1.0], [1.0], [-2.0]]))
    assert calls == [(2, 3), (0, 2), (1, 2)]
    assert [trace.path(i).tolist() for i in range(3)] == [[2, 0, 1], [2], [2, 0, 1]]
