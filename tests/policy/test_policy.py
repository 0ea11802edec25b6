"""Rollouts of scores against the twin; those of stages are in test_stages.py."""

import pickle
from copy import copy, deepcopy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.ensemble.rescaling import Rescaling
from mddag.ensemble.votes import Votes
from mddag.losses import Logistic, ZeroOne
from mddag.policy.arrangement import Arrangement
from mddag.policy.grid import Grid
from mddag.policy.mdp import MDP
from mddag.policy.policy import (
    EVAL,
    QUIT,
    Policy,
)
from mddag.policy.rollout import roll_out
from tests import strategies
from tests.reference import rollout as twin

GRID = Grid(np.array([0.0]))


def by_step(policy):
    """The jump table as rollouts take it, (N + 1, n_cells)."""
    return policy.native[0]


@given(st.data(), st.integers(0, 6), st.sampled_from([1, 2, 3]))
@settings(deadline=None)
def test_the_jump_table_equals_the_policy_step_by_step(data, n_steps, n_scores):
    policy = data.draw(strategies.policies(n_steps, n_scores))
    assert by_step(policy).shape == (n_steps + 1, policy.grid.n_cells)
    for j in range(n_steps + 1):
        for c in range(policy.grid.n_cells):
            assert by_step(policy)[j, c] == twin.next_step(policy, j, c)


@given(st.data(), st.integers(0, 6), st.sampled_from([1, 2, 3]))
@settings(deadline=None)
def test_decisions_lead_where_the_jump_table_says(data, n_steps, n_scores):
    policy = data.draw(strategies.policies(n_steps, n_scores))
    assert policy.jumps.shape == (len(policy.actions) + 1, policy.grid.n_cells)
    for d, row in enumerate(policy.jumps):
        j = min(d * policy.every, n_steps)
        assert row.tolist() == [twin.next_step(policy, j, c) for c in range(len(row))]
    ends = [j for j in range(n_steps + 1) if (by_step(policy)[j] == n_steps).all()]
    assert policy.n_reached == ends[0]


def test_one_decision_may_cover_more_steps_than_there_are():
    policy = Policy(np.array([[EVAL, QUIT]]), GRID, np.arange(3), every=2**70)
    assert by_step(policy).tolist() == [[0, 3], [1, 1], [2, 2], [3, 3]]
    assert policy.jumps.tolist() == [[0, 3], [3, 3]]
    assert (policy.n_together, policy.n_reached) == (3, 3)
    assert Policy.constant(EVAL, 0, GRID, every=5).n_together == 1


def test_a_prefix_evaluates_then_quits():
    policy = Policy.prefix(2, 4, GRID)
    assert by_step(policy)[:, 0].tolist() == [0, 1, 4, 4, 4]
    assert (by_step(Policy.prefix(0, 4, GRID)) == 4).all()
    with pytest.raises(ValueError, match="cannot evaluate the first 5 of 4"):
        Policy.prefix(5, 4, GRID)
    with pytest.raises(ValueError, match="n_evaluated is -1; wanted a whole number, 0 or more"):
        Policy.prefix(-1, 4, GRID)


def test_what_the_caller_keeps_can_no_longer_change_the_policy():
    actions, order, edges = np.zeros((2, 2), np.uint8), np.arange(2), np.array([0.0])
    policy = Policy(actions, Grid(edges), order)
    actions[:], order[:], edges[:] = QUIT, 7, 5.0
    assert policy.evaluates_all
    assert policy.grid.edges.tolist() == [0.0]


@pytest.mark.parametrize("again", [lambda p: pickle.loads(pickle.dumps(p)), copy, deepcopy])
def test_a_policy_stays_read_only_however_it_is_copied(again):
    policy = Policy.prefix(1, 2, Grid(np.array([0.0])))
    assert policy.jumps[0, 0] == 0
    other = again(policy)
    for array in (other.actions, other.order, other.jumps, other.grid.edges):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_a_policy_of_reordered_classifiers_decides_on_those_of_the_source():
    learned = Policy(np.full((3, 2), EVAL), GRID, np.array([0, 2, 1]))
    assert learned.after(Arrangement(np.array([2, 0, 1]))).order.tolist() == [2, 1, 0]
    with pytest.raises(ValueError, match=r"for 3 base classifiers, but the arrangement has 2"):
        learned.after(Arrangement(np.array([0, 1])))


def test_rows_quit_before_what_an_arrangement_left_out():
    learned = Policy(np.full((2, 2), EVAL), GRID, np.array([1, 0]))
    whole = learned.after(Arrangement(np.array([3, 1, 0, 2]), n_kept=2))
    assert whole.order.tolist() == [1, 3, 0, 2]
    assert whole.actions[:, 0].tolist() == [EVAL, EVAL, QUIT, QUIT]
    assert by_step(whole)[2].tolist() == [4, 4]
    coarse = Policy(np.full((1, 2), EVAL), GRID, np.arange(2), every=2)
    assert coarse.after(Arrangement(np.arange(5), n_kept=2)).actions[:, 1].tolist() == [
        EVAL,
        QUIT,
        QUIT,
    ]
    with pytest.raises(ValueError, match="every 2 steps do not end at step 3"):
        replace(coarse, actions=np.full((2, 2), EVAL), order=np.arange(3)).after(
            Arrangement(np.arange(5), n_kept=3)
        )


def test_levels_of_both_arrangements_add_up_in_the_numbers_of_the_source():
    inner = Rescaling(np.array([-3.0]), np.array([[1.0], [2.0], [0.0]]))
    outer = Rescaling(np.array([-6.0]), np.array([[3.0], [2.0], [1.0]]))
    learned = Policy(np.full((3, 2), EVAL), GRID, np.arange(3), rescaling=inner)
    levels = learned.after(Arrangement(np.array([2, 0, 1]), outer)).rescaling
    assert levels.start.tolist() == [-9]
    assert levels.shift.ravel().tolist() == [5, 2, 2]
    assert levels.scale.ravel().tolist() == [1, 1, 1]
    assert not learned.evaluates_all
    with pytest.raises(ValueError, match=r"the rescaling is of shape \(3, 1\); wanted .* \(2, 1\)"):
        Policy(np.full((2, 2), EVAL), GRID, np.arange(2), rescaling=inner)


@given(st.data(), st.integers(0, 6), st.sampled_from([1, 2, 3]))
@settings(deadline=None)
def test_fewest_cells_decide_as_all_do(data, n_steps, n_scores):
    policy = data.draw(strategies.policies(n_steps, n_scores))
    few = policy.on_fewest_cells()
    assert set(few.grid.edges) <= set(policy.grid.edges)
    scores = np.random.default_rng(0).normal(size=(200, n_scores))
    edges = np.append(policy.grid.edges, [0.0, np.nan])
    on_edges = np.zeros((len(edges), n_scores))
    on_edges[:, 0] = edges
    for rows in (scores, 3 * scores, on_edges):
        mine, theirs = few.grid.cells(rows), policy.grid.cells(rows)
        np.testing.assert_array_equal(few.actions[:, mine], policy.actions[:, theirs])
    again = few.on_fewest_cells()
    assert again.grid.n_cells == few.grid.n_cells


def test_one_threshold_needs_one_edge():
    grid = Grid(np.arange(10.0), n_scores=3)
    quits = np.tile(np.arange(11) > 4, 3)
    policy = Policy(np.where(quits, QUIT, EVAL)[None].repeat(2, axis=0), grid, np.arange(2))
    few = policy.on_fewest_cells()
    assert few.grid.edges.tolist() == [4.0]
    assert few.actions.tolist() == [[EVAL, QUIT] * 3] * 2
    assert Policy.constant(EVAL, 2, grid).on_fewest_cells().grid.n_cells == 3


def verdict_of(policy, decision, cell):
    """The verdict on a row that evaluates nothing more, one decision after the other."""
    for d in range(decision, len(policy.actions)):
        if policy.actions[d, cell] == QUIT:
            return policy.verdict[d, cell]
    return policy.verdict[-1, cell]


@given(st.data(), st.integers(0, 6), st.sampled_from([1, 3]))
@settings(deadline=None)
def test_the_last_verdict_is_that_of_the_first_decision_that_quits(data, n_steps, n_scores):
    policy = data.draw(strategies.policies(n_steps, n_scores))
    policy = data.draw(strategies.with_verdicts(policy))
    for d in range(len(policy.actions) + 1):
        for c in range(policy.grid.n_cells):
            assert policy.last_verdicts[d, c] == verdict_of(policy, d, c)


def test_cells_that_differ_by_their_verdict_stay():
    same = Policy(np.zeros((2, 2)), GRID, np.arange(2))
    assert same.on_fewest_cells().grid.n_cells == 1
    assert replace(same, verdict=np.zeros((3, 2), int)).on_fewest_cells().grid.n_cells == 1
    assert replace(same, verdict=np.array([[0, 0], [0, 0], [0, 1]])).on_fewest_cells().grid is GRID


def test_what_an_arrangement_leaves_out_keeps_the_verdict_of_the_end():
    actions = np.array([[EVAL, QUIT], [EVAL, EVAL]])
    policy = Policy(actions, GRID, np.arange(2), verdict=np.array([[-1, 0], [0, 0], [1, 0]]))
    whole = policy.after(Arrangement(np.array([2, 3, 0, 1]), None, 2))
    assert whole.verdict.tolist() == [[-1, 0], [0, 0], [1, 0], [1, 0], [1, 0]]
    assert (whole.last_verdicts[2:] == [1, 0]).all()


def sample(seed=0):
    """Votes and labels of 80 rows, and a policy that quits with verdicts."""
    rng = np.random.default_rng(seed)
    votes, labels = rng.normal(size=(80, 5)), rng.integers(0, 2, 80)
    actions = rng.choice(3, (5, 2), p=[0.5, 0.2, 0.3])
    actions[0] = EVAL  # at f = 0 the loss counts a tie, which is wrong for every label
    policy = Policy(actions, GRID, np.arange(5), verdict=rng.integers(-1, 2, (6, 2)))
    return votes, labels, policy


@pytest.mark.parametrize("seed", range(8))
def test_wrong_decisions_are_those_of_the_verdicts(seed):
    votes, labels, policy = sample(seed)
    mdp = MDP(votes, labels, beta=0.1)
    codes = np.array(twin.codes(twin.on_votes(mdp.votes, policy, mdp.costs)))
    assert mdp.evaluate(policy).loss == pytest.approx(np.mean(codes != labels))
    shares = np.eye(2)[labels] * 0.8 + 0.1
    expected = np.mean(1 - shares[np.arange(80), codes])
    assert MDP(votes, shares).evaluate(policy).loss == pytest.approx(expected)
    prices = np.array([[0.0, 3.0], [5.0, 0.0]])
    priced = MDP(votes, labels, loss=ZeroOne(prices)).evaluate(policy).loss
    assert priced == pytest.approx(np.mean(prices[labels, codes]))


def test_other_losses_are_of_the_scores():
    votes, labels, policy = sample()
    mdp = MDP(votes, labels, loss=Logistic())
    assert mdp.evaluate(policy) == mdp.evaluate(replace(policy, verdict=None))


@given(st.data(), st.integers(1, 6), st.sampled_from([1, 3]))
@settings(deadline=None)
def test_rows_go_as_single_actions_say(data, n_steps, n_scores):
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    votes = Votes.from_dense(rng.choice([-1.0, 0.25, 1.5], (20, n_steps, n_scores)))
    policy = data.draw(strategies.policies(n_steps, n_scores))
    if data.draw(st.booleans()):
        policy = data.draw(strategies.with_verdicts(policy))
    costs = rng.integers(1, 5, n_steps).astype(float)
    found = roll_out(policy, votes, costs)
    walks = twin.on_votes(votes, policy, costs)
    assert found.scores.tolist() == [walk.scores for walk in walks]
    assert found.n_evaluated.tolist() == [len(walk.path) for walk in walks]
    assert found.exit_step.tolist() == [walk.exit_step for walk in walks]
    assert found.cost.tolist() == [walk.cost for walk in walks]
    if policy.verdict is None:
        assert found.verdict is None
    else:
        assert found.verdict.tolist() == [walk.verdict for walk in walks]
