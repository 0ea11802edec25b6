"""Verdicts of runs, against twins that walk one action at a time."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.engine.cost_model import MANY_ROWS, Costs
from mddag.engine.executors import Steps
from mddag.engine.program import Program, codes_by_scores
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import TreeBuilder
from mddag.ensemble.votes import Votes
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, QUIT, Policy
from mddag.policy.rollout import LARGEST, IntegerVotes
from tests import strategies
from tests.engine.test_dag import stumps
from tests.engine.test_executors import assert_equal_answers, every
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


GRID = Grid(np.array([0.0]))


@given(st.data())
@settings(deadline=None, max_examples=100)
def test_single_rows_have_the_verdicts_of_batches(data):
    ensemble = data.draw(strategies.ensembles())
    X = np.nan_to_num(data.draw(strategies.rows(ensemble.n_features)))
    policy = data.draw(strategies.policies(ensemble.n_classifiers, ensemble.n_scores))
    dag = mddag.compile(ensemble, data.draw(strategies.with_verdicts(policy)))
    codes = [dag.walk.predict_one(x) for x in np.ascontiguousarray(X)]
    assert codes == dag.verdicts(X).tolist() == dag.run(X).verdict.tolist()


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


def test_numbers_have_no_verdict():
    ensemble = stumps(3)
    regressor = replace(ensemble, task=mddag.ensemble.tasks.Regression())
    X = np.zeros((2, 2))
    assert mddag.compile(regressor).run(X).verdict.tolist() == [-1, -1]
    assert codes_by_scores(regressor, np.ones((2, 1))).tolist() == [-1, -1]
    policy = Policy(np.zeros((3, 2)), GRID, np.arange(3), verdict=np.zeros((4, 2), int))
    with pytest.raises(ValueError, match="verdicts, which are classes, but the ensemble is a reg"):
        mddag.compile(regressor, policy)


def policy_of(n_steps, action, every=1):
    grid = Grid(np.zeros(1))
    actions = np.full((-(-n_steps // every), 2), EVAL)
    actions[:, 0] = action
    return Policy(actions, grid, np.arange(n_steps), every)


def test_evaluating_everything_expects_all_and_a_policy_half():
    ensemble = forest(8)
    assert Costs.of(ensemble, policy_of(30, EVAL), 3.0).evaluations == 30
    assert Costs.of(ensemble, policy_of(30, QUIT)).evaluations == 15
    assert Costs.of(ensemble, policy_of(30, QUIT), 3.0).evaluations == 3


def stumps_on(columns):
    """A stump on each of the columns."""
    trees = []
    for column in columns:
        tree = TreeBuilder()
        leaves = tree.leaf([0.0]), tree.leaf([1.0])
        trees.append(tree.finish(tree.split(column, 0.5, *leaves, missing_left=False)))
    return Ensemble.from_trees(trees, features=Features(max(columns) + 1))


def test_loading_eats_what_a_policy_saves():
    narrow, wide = (
        Costs.of(forest(8, 300, n_features=n), policy_of(300, QUIT, 16), 40.0) for n in (4, 2000)
    )
    of_narrow, of_wide = (c.by_all(MANY_ROWS) / c.by_blocks(MANY_ROWS) for c in (narrow, wide))
    assert 1.0 < of_wide < of_narrow


def test_a_row_by_itself_gains_by_leaving_trees_out_but_not_stumps_of_few_columns():
    for ensemble, gains in ((forest(8, n_trees=300), True), (stumps_on(np.arange(300) % 5), False)):
        full, sparse = (Costs.of(ensemble, policy_of(300, a), 15.0) for a in (EVAL, QUIT))
        assert (sparse.one < full.one) == gains
    bush, large = (Costs.of(forest(n), policy_of(30, QUIT), 5.0) for n in (8, 40))
    assert bush.one < large.one
    assert Costs.of(forest(8), policy_of(30, QUIT, 10), 5.0).one < bush.one


def votes_of(data, n_scores):
    n, n_classifiers = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 6))
    number, size = st.floats(-1e6, 1e6, allow_subnormal=False), n * n_classifiers * n_scores
    flat = data.draw(st.lists(number, min_size=size, max_size=size))
    return Votes.from_dense(np.reshape(flat, (n, n_classifiers, n_scores)), data.draw(number))


@given(st.data(), st.sampled_from([1, 3]))
@settings(deadline=None)
def test_sums_stay_in_31_bits_and_near_the_scores(data, n_scores):
    votes = votes_of(data, n_scores)
    fixed = IntegerVotes.of(votes.tables)
    tables, whole = votes.tables, fixed.bias.astype(object)
    for t in range(tables.n_trees):
        table = fixed.values[tables.starts[t] : tables.starts[t + 1]].reshape(-1, n_scores)
        whole = whole + table[votes.codes[:, t]].astype(object)
    assert np.abs(whole).max() <= LARGEST
    scores = fixed.scores(whole.astype(np.int32))
    rounding = 1e-12 * np.abs(tables.values).sum()
    assert np.abs(scores - votes.scores()).max() <= fixed.bound + rounding


@given(st.floats(-100, 100), st.integers(-1000, 1000))
def test_a_sum_is_above_an_edge_as_its_score_less_rounding_is(edge, whole):
    fixed = IntegerVotes(np.zeros(1, np.int32), np.zeros(1, np.int32), 4, 1)
    score = fixed.scores(np.array([whole], np.int32))
    assert (score - 2 * fixed.unit > edge) == (whole > fixed.edges(np.array([edge])))


@given(st.data(), st.sampled_from([1, 3]))
@settings(deadline=None)
def test_a_state_on_an_edge_stays_there(data, n_scores):
    """The sum or margin of all votes, as an edge: rounding does not lift it over itself."""
    votes = votes_of(data, n_scores)
    fixed, tables = IntegerVotes.of(votes.tables), votes.tables
    sums = fixed.bias.astype(np.int64)
    for t in range(tables.n_trees):
        table = fixed.values[tables.starts[t] : tables.starts[t + 1]].reshape(-1, n_scores)
        sums = sums + table[votes.codes[:, t]]
    scores = votes.scores()
    rounding = 1e-12 * np.abs(tables.values).sum()  # of float64 itself
    state, whole = scores[:, 0] + rounding, sums[:, 0]
    if n_scores > 1:
        state, whole = scores[:, 1] - scores[:, 0] + rounding, sums[:, 1] - sums[:, 0]
    assert (whole <= fixed.edges(state)).all()


def test_votes_of_nothing_and_votes_without_end():
    assert IntegerVotes.of(Votes.from_dense(np.zeros((2, 3))).tables).values.tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="can sum up to inf; wanted finite"):
        IntegerVotes.of(Votes.from_dense(np.full((1, 1), np.inf)).tables)
    with pytest.raises(ValueError, match="can sum up to inf; wanted finite"):
        IntegerVotes.of(Votes.from_dense(np.full((1, 2), 1.7e308)).tables)
    assert IntegerVotes.of(Votes.from_dense(np.full((1, 2), 5e-324)).tables).exponent == 1000
