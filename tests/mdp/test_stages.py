"""Columns of scores by stage, against a twin that takes one action at a time."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.dag.executors.steps import Steps
from mddag.dag.replay import replay
from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, QUIT, SKIP, Policy
from mddag.mdp.stages import Stages
from mddag.ordering.arrangement import Arrangement
from tests import strategies
from tests.dag.test_dag import stumps
from tests.reference import stages as twin
from tests.reference import trees as trees_twin

GRID = Grid(np.linspace(-3, 3, 16))
N_CELLS = GRID.n_cells
LEAPS = np.full((12, N_CELLS), 12)
SEED = 1  # of stumps, some rows of which every stage refuses


@given(st.data())
@settings(deadline=None, max_examples=150)
def test_rows_go_as_single_actions_say(data):
    ensemble = data.draw(strategies.ensembles())
    X = data.draw(strategies.rows(ensemble.n_features))
    policy = data.draw(strategies.staged_policies(len(ensemble), ensemble.n_scores))
    walks = twin.on_rows(ensemble, policy, X)
    executor = Steps(mddag.compile(ensemble, policy).program)
    trace = executor.run(X, 1)
    assert [trace.path(i).tolist() for i in range(len(X))] == [walk.path for walk in walks]
    assert trace.scores.tolist() == [walk.scores for walk in walks]
    assert trace.exit_step.tolist() == [walk.exit_step for walk in walks]
    assert trace.verdict.tolist() == twin.codes(walks)
    assert executor.verdicts(X, 1).tolist() == twin.codes(walks)


@given(st.data())
@settings(deadline=None, max_examples=150)
def test_the_walk_gives_the_bits_of_the_twin_in_fixed_point(data):
    ensemble = data.draw(strategies.ensembles())
    X = data.draw(strategies.rows(ensemble.n_features))
    policy = data.draw(strategies.staged_policies(len(ensemble), ensemble.n_scores))
    dag = mddag.compile(ensemble, policy)
    assert [executor.name for executor in dag.possible] == ["walk"]
    walks = twin.on_rows_in_fixed_point(ensemble, policy, X, dag.fixed_point)
    scores, exits = [walk.scores for walk in walks], [walk.exit_step for walk in walks]
    trace = dag.run(X)
    assert [trace.path(i).tolist() for i in range(len(X))] == [walk.path for walk in walks]
    assert trace.scores.tolist() == scores
    assert trace.exit_step.tolist() == exits
    assert trace.verdict.tolist() == twin.codes(walks)
    for n_threads in (1, 3):
        assert dag.scores(X, n_threads=n_threads).tolist() == scores
        assert dag.verdicts(X, n_threads=n_threads).tolist() == twin.codes(walks)
        assert dag.exits(X, n_threads=n_threads)[1].tolist() == exits
    for i, x in enumerate(np.ascontiguousarray(X)):
        if dag.ensemble.features.missing or not np.isnan(x).any():
            assert list(dag.walk.scores_one(x)) == scores[i]
            assert dag.walk.predict_one(x) == twin.codes(walks)[i]


@given(st.data())
@settings(deadline=None, max_examples=100)
def test_rollouts_and_replays_are_those_of_the_executors(data):
    ensemble = data.draw(strategies.ensembles().filter(len))
    X = data.draw(strategies.rows(ensemble.n_features))
    policy = data.draw(strategies.staged_policies(len(ensemble), ensemble.n_scores))
    dag, votes = mddag.compile(ensemble, policy), ensemble.votes(X)
    found, trace = replay(ensemble, policy, votes), dag.run(X)
    np.testing.assert_array_equal(found.scores, trace.scores)
    np.testing.assert_array_equal(found.exit_step, trace.exit_step)
    np.testing.assert_array_equal(found.n_evaluated, trace.n_evaluated)
    np.testing.assert_array_equal(found.verdict, trace.verdict)
    walks = twin.on_rows(ensemble, policy, X)
    mdp = mddag.MDP(votes, np.zeros(len(X), int))
    scores, n_evaluated, _ = mdp.rollout(policy)
    assert scores.tolist() == [walk.scores for walk in walks]
    assert n_evaluated.tolist() == [len(walk.path) for walk in walks]
    assert mdp.evaluate(policy).loss == pytest.approx(np.mean(list(map(_is_wrong, walks))))


def _is_wrong(walk):
    """Whether the walk of a row of class 0 counts as an error; a tie does."""
    if walk.verdict >= 0:
        return walk.verdict > 0
    first, *others = walk.scores
    return not first < 0 if not others else not first > max(others)


def cascade(n_stages=3, length=4):
    """Stages with a column each: behind a stage, rows that it refuses quit with class 0."""
    n_steps = n_stages * length
    stage = np.arange(n_steps) // length
    reads = np.maximum(np.append(stage, n_stages - 1), 0)
    reads[length::length] = np.arange(n_stages)  # its first step reads the stage before
    actions = np.full((n_steps, N_CELLS), EVAL)
    refused = np.arange(N_CELLS) < GRID.cells(np.array([[0.5]]))[0]
    actions[length::length] = np.where(refused, QUIT, EVAL)
    verdict = np.zeros((n_steps + 1, N_CELLS), int)
    verdict[-1] = ~refused
    state = Stages(GRID, reads, stage[:, None] == np.arange(n_stages))
    return Policy(actions, GRID, np.arange(n_steps), state=state, verdict=verdict)


def test_a_cascade_refuses_by_the_column_of_the_stage():
    ensemble, policy = stumps(12, seed=SEED), cascade()
    X = np.random.default_rng(0).normal(size=(300, 2))
    trace = mddag.compile(ensemble, policy).run(X)
    votes = trees_twin.votes(ensemble, X)[:, :, 0]
    sums = ensemble.bias[0] + votes.reshape(300, 3, 4).sum(axis=2)
    passes = sums > GRID.edges[np.searchsorted(GRID.edges, 0.5) - 1]
    stage = np.where(passes[:, 0], np.where(passes[:, 1], 2, 1), 0)
    assert trace.exit_step.tolist() == (4 * (stage + 1)).tolist()
    np.testing.assert_allclose(trace.scores[:, 0], sums[np.arange(300), stage], atol=1e-6)
    assert trace.verdict.tolist() == passes.all(axis=1).astype(int).tolist()
    assert len(set(stage.tolist())) == 3


def test_skips_fold_within_a_column():
    state = Stages(GRID, np.repeat([0, 1, 2], [4, 4, 5]))
    skips = Policy(np.full((12, N_CELLS), SKIP), GRID, np.arange(12), state=state)
    cells = np.arange(N_CELLS)
    for j in range(13):
        assert (skips.leads_to(j, cells) == min(4 * (j // 4 + 1), 12)).all()
    by_three = Policy(np.full((4, N_CELLS), SKIP), GRID, np.arange(12), 3, state=state)
    assert [by_three.leads_to(j, cells)[0] for j in (0, 3, 6, 9)] == [6, 6, 9, 12]


def test_leaps_lead_over_steps_that_all_quit():
    """Two blocks of steps, and a row that leaps over the first is judged by the second alone."""
    ensemble, n_cells = stumps(6, seed=SEED), N_CELLS
    state = Stages(GRID, [0, 0, 1, 1, 2, 2, 2], np.repeat(np.eye(3, dtype=bool), 2, axis=0))
    actions = np.full((6, n_cells), EVAL)
    actions[2], actions[4, :4] = SKIP, QUIT
    leaps = np.full((6, n_cells), 4)
    leaps[4] = 6
    policy = Policy(actions, GRID, np.arange(6), state=state, leaps=leaps)
    assert policy.n_reached == 6
    X = np.random.default_rng(0).normal(size=(40, 2))
    trace = mddag.compile(ensemble, policy).run(X)
    assert set(trace.indices.tolist()) == {0, 1, 4, 5}
    assert set(trace.exit_step.tolist()) == {6}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"leaps": np.zeros((12, N_CELLS), int)}, "SKIP at decision 0 in cell 0 leads to decision"),
        ({"leaps": np.full((12, N_CELLS), 13)}, "leads to decision 13; wanted one from 1 to 12"),
        ({"leaps": np.full((12, 2), 12)}, r"leaps are .*wanted integers \(12, 17\)"),
        ({"leaps": np.full((12, N_CELLS), 0.5)}, "leaps are .*wanted integers"),
        ({"leaps": LEAPS, "state": None}, "leaps are given with verdicts, a rescaling or"),
        ({"leaps": LEAPS, "verdict": np.zeros((13, N_CELLS), int)}, "leaps are given with verdict"),
    ],
)
def test_leaps_that_lead_nowhere_are_refused(changes, words):
    state = Stages(GRID, np.zeros(13, int))
    given = {"state": state, **changes}
    with pytest.raises(ValueError, match=words):
        Policy(np.full((12, N_CELLS), SKIP), GRID, np.arange(12), **given)


def test_by_default_a_step_writes_what_it_reads():
    state = Stages(GRID, [0, 0, 2, 1])
    assert state.writes.tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 1]]
    assert (state.n_steps, state.n_columns, state.n_cells) == (3, 3, N_CELLS)


def test_steps_that_are_left_out_or_come_behind():
    state = Stages(GRID, [0, 1, 0, 1])
    longer = state.for_steps(5)
    assert longer.reads.tolist() == [0, 1, 0, 1, 1, 1]
    assert not longer.writes[3:].any()
    assert longer.for_steps(3).reads.tolist() == state.reads.tolist()
    assert state.for_steps(1).reads.tolist() == [0, 1]
    policy = replace(cascade(), verdict=None)
    whole = policy.after(Arrangement(np.arange(14), None, 12))
    assert whole.state.n_steps == whole.n_steps == 14


def test_cells_without_a_difference_are_joined():
    policy = cascade()
    fewer = policy.on_fewest_cells()
    assert fewer.grid.n_cells == 2
    assert fewer.state.grid is fewer.grid
    ensemble, X = stumps(12, seed=SEED), np.random.default_rng(0).normal(size=(50, 2))
    one, two = (mddag.compile(ensemble, p).run(X) for p in (policy, fewer))
    np.testing.assert_array_equal(one.scores, two.scores)
    np.testing.assert_array_equal(one.verdict, two.verdict)


def test_stages_survive_pickling():
    again = pickle.loads(pickle.dumps(cascade()))
    assert again.state.grid is again.grid
    assert not again.state.reads.flags.writeable


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Stages(GRID, [0.5]), r"reads is a list.*wanted integers \(N \+ 1,\)"),
        (lambda: Stages(GRID, []), r"reads is .*wanted integers"),
        (lambda: Stages(GRID, [0, -1]), "step 1 reads column -1; wanted 0 to 65535"),
        (lambda: Stages(GRID, [0, 0], [[1]]), r"writes is a list.*wanted bools \(1, C\)"),
        (lambda: Stages(GRID, [0, 2**16]), "step 1 reads column 65536; wanted 0 to 65535"),
        (lambda: Stages(GRID, [0, 1], [[True]]), "step 1 reads column 1, but writes has 1 col"),
        (
            lambda: Policy(np.zeros((3, N_CELLS)), GRID, np.arange(3), state=Stages(GRID, [0, 0])),
            "the state is for 1 steps, but the order has 3",
        ),
    ],
)
def test_what_makes_no_stages_is_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
