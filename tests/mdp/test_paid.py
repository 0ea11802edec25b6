"""The doubled state, against a twin that takes one action at a time."""

import pickle
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.dag.executors.steps import Steps
from mddag.dag.replay import replay
from mddag.mdp.grid import Grid
from mddag.mdp.paid import MOST_GROUPS, Paid, words_of
from mddag.mdp.policy import EVAL, QUIT, SKIP, Policy
from mddag.ordering.arrangement import Arrangement
from mddag.serving.model_file import Model
from tests import strategies
from tests.dag.test_dag import stumps
from tests.reference import charges as twin
from tests.reference import trees as trees_twin
from tests.reference.rollout import in_fixed_point


def walks(ensemble, policy, X, edges=None):
    """The twin's walks of rows; costs do not matter here."""
    tables = ensemble.tables
    steps = {name: getattr(policy, name) for name in ("actions", "order", "verdict", "leaps")}
    edges = policy.grid.edges if edges is None else edges
    grid = SimpleNamespace(edges=edges, n_scores=policy.grid.n_scores)
    of = SimpleNamespace(
        **steps, grid=grid, n_steps=policy.n_steps, every=policy.every, state=policy.state
    )
    step_of = np.argsort(policy.order)

    def follow(x):
        def evaluate(row, j):
            scores = row.scores
            for t in range(tables.rounds[j], tables.rounds[j + 1]):
                vote = tables.table(t)[trees_twin.leaf_code(ensemble.tree(t), x)].tolist()
                scores = [f + v for f, v in zip(scores, vote, strict=True)]
            read = row.read | twin.members(policy.state.wants[step_of[j]])
            return twin.Row(scores, read), 0.0

        return twin.follow(of, ensemble.bias.tolist(), evaluate)

    return [follow(x) for x in X]


def codes(found):
    return [
        walk.verdict
        if walk.verdict >= 0
        else int(walk.row.scores[0] > 0)
        if len(walk.row.scores) == 1
        else int(np.argmax(walk.row.scores))
        for walk in found
    ]


@st.composite
def problems(draw):
    ensemble = draw(strategies.ensembles())
    X = draw(strategies.rows(ensemble.n_features))
    return ensemble, X, draw(strategies.paid_policies(len(ensemble), ensemble.n_scores))


@given(problems())
@settings(deadline=None, max_examples=150)
def test_rows_go_as_single_actions_say(problem):
    ensemble, X, policy = problem
    wanted = walks(ensemble, policy, X)
    trace = Steps(mddag.compile(ensemble, policy).program).run(X, 1)
    assert [trace.path(i).tolist() for i in range(len(X))] == [walk.path for walk in wanted]
    assert trace.exit_step.tolist() == [walk.exit_step for walk in wanted]
    assert trace.verdict.tolist() == codes(wanted)


@given(problems())
@settings(deadline=None, max_examples=200)
def test_the_walk_gives_the_bits_of_the_twin_in_fixed_point(problem):
    ensemble, X, policy = problem
    dag = mddag.compile(ensemble, policy)
    assert [executor.name for executor in dag.possible] == ["walk"]
    fixed = dag.fixed_point
    edges = np.ldexp(fixed.edges(policy.grid.edges).astype(float), -fixed.exponent)
    wanted = walks(in_fixed_point(ensemble), policy, X, edges)
    scores = [walk.row.scores for walk in wanted]
    trace = dag.run(X)
    assert [trace.path(i).tolist() for i in range(len(X))] == [walk.path for walk in wanted]
    assert trace.scores.tolist() == scores
    assert trace.verdict.tolist() == codes(wanted)
    for n_threads in (1, 3):
        assert dag.scores(X, n_threads=n_threads).tolist() == scores
        assert dag.verdicts(X, n_threads=n_threads).tolist() == codes(wanted)
        assert dag.exits(X, n_threads=n_threads)[1].tolist() == trace.exit_step.tolist()
    for i, x in enumerate(np.ascontiguousarray(X)):
        if ensemble.features.missing or not np.isnan(x).any():
            assert list(dag.walk.scores_one(x)) == scores[i]
            assert dag.walk.predict_one(x) == codes(wanted)[i]


@given(problems())
@settings(deadline=None, max_examples=100)
def test_rollouts_and_replays_are_those_of_the_executors(problem):
    ensemble, X, policy = problem
    if len(ensemble) == 0:
        return
    trace, votes = mddag.compile(ensemble, policy).run(X), ensemble.votes(X)
    found = replay(ensemble, policy, votes)
    np.testing.assert_array_equal(found.scores, trace.scores)
    np.testing.assert_array_equal(found.exit_step, trace.exit_step)
    np.testing.assert_array_equal(found.verdict, trace.verdict)


@given(problems())
@settings(deadline=None, max_examples=50)
def test_files_fewer_cells_and_other_orders_change_nothing(problem):
    ensemble, X, policy = problem
    trace = mddag.compile(ensemble, policy).run(X)
    fewer = mddag.compile(ensemble, policy.on_fewest_cells()).run(X)
    read = Model.from_bytes(Model(mddag.compile(ensemble, policy), None).to_bytes()).dag.run(X)
    again = mddag.compile(ensemble, pickle.loads(pickle.dumps(policy))).run(X)
    for other in (fewer, read, again):
        assert other.scores.tolist() == trace.scores.tolist()
        assert other.indices.tolist() == trace.indices.tolist()
        assert other.verdict.tolist() == trace.verdict.tolist()


def test_a_policy_learned_on_an_order_decides_for_the_source():
    ensemble = stumps(6)
    grid, order = Grid(np.array([0.0])), np.array([3, 1, 0, 5, 2, 4])
    wants = np.eye(6, 3, dtype=bool)
    actions = np.full((6, 4), EVAL)
    actions[3:, 2:] = QUIT
    policy = Policy(actions, grid, np.arange(6), state=Paid(grid, wants))
    X = np.random.default_rng(0).normal(size=(50, ensemble.n_features))
    here = mddag.compile(ensemble.reordered(order), policy).run(X)
    there = mddag.compile(ensemble, policy.after(Arrangement(order))).run(X)
    assert there.indices.tolist() == order[here.indices].tolist()


def test_skips_fold_where_the_same_groups_are_wanted():
    grid = Grid(np.empty(0))
    wants = np.array([[True, False], [True, False], [False, True]])
    state = Paid(grid, wants)
    assert state.folds(0, 1)
    assert not state.folds(1, 2)
    policy = Policy(np.full((3, 2), SKIP), grid, np.arange(3), state=state)
    assert policy.jump_table.tolist() == [[2, 2], [2, 2], [3, 3], [3, 3]]


def test_words_hold_the_groups():
    sets = np.random.default_rng(0).random((7, 70)) < 0.5
    words = words_of(sets)
    assert words.shape == (7, 3)
    for row, bits in zip(words.tolist(), sets, strict=True):
        assert [row[g // 32] >> (g % 32) & 1 for g in range(70)] == bits.tolist()


def test_what_kernels_carry_comes_back():
    state = Paid(Grid(np.empty(0), 2), np.zeros((1, 40), bool))
    bias, wanted = np.array([1.5, -2.0]), np.random.default_rng(0).random((3, 40)) < 0.5
    numbers = state.start_of_kernels(bias, 3)
    for got, start in zip(state.carried_of_kernels(numbers), state.start(bias, 3), strict=True):
        assert got.tolist() == start.tolist()
    numbers[:, 2:] = words_of(wanted)
    scores, read = state.carried_of_kernels(numbers)
    assert scores.tolist() == [bias.tolist()] * 3
    assert read.tolist() == wanted.tolist()


@pytest.mark.parametrize("wants", [np.ones((3, 2)), np.ones(3, bool), np.ones((3, 0), bool)])
def test_other_groups_are_refused(wants):
    with pytest.raises(ValueError, match=r"wants is .*wanted bools \(N, G\)"):
        Paid(Grid(np.empty(0)), wants)


def test_rows_carry_no_more_groups_than_they_can():
    with pytest.raises(ValueError, match=r"there are 1048577 groups .*; wanted at most 1048576"):
        Paid(Grid(np.empty(0)), np.ones((0, MOST_GROUPS + 1), bool))


def test_steps_must_be_those_of_the_policy():
    grid = Grid(np.empty(0))
    policy = Policy(np.zeros((3, 2)), grid, np.arange(3), state=Paid(grid, np.ones((3, 1), bool)))
    with pytest.raises(ValueError, match="the state is for 2 steps"):
        replace(policy, state=Paid(grid, np.ones((2, 1), bool)))
