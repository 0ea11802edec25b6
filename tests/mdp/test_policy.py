import pickle
from copy import copy, deepcopy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.ensemble.rescaling import Rescaling
from mddag.mdp.grid import Grid
from mddag.mdp.policy import ACTIONS, EVAL, QUIT, SKIP, Policy
from mddag.ordering.arrangement import Arrangement
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


def test_constant_policies():
    assert (by_step(Policy.constant(EVAL, 3, GRID))[:3] == np.arange(3)[:, None]).all()
    assert (by_step(Policy.constant(SKIP, 3, GRID)) == 3).all()
    assert (by_step(Policy.constant(QUIT, 3, GRID)) == 3).all()
    assert Policy.constant(EVAL, 3, GRID, every=2).evaluates_all
    assert [ACTIONS[a] for a in (EVAL, SKIP, QUIT)] == ["eval", "skip", "quit"]


def test_only_the_full_ensemble_in_its_order_evaluates_all():
    assert Policy.constant(EVAL, 3, GRID).evaluates_all
    assert not Policy.prefix(2, 3, GRID).evaluates_all
    assert not Policy(np.full((3, 2), EVAL), GRID, np.array([0, 2, 1])).evaluates_all


def test_a_prefix_evaluates_then_quits():
    policy = Policy.prefix(2, 4, GRID)
    assert by_step(policy)[:, 0].tolist() == [0, 1, 4, 4, 4]
    assert (by_step(Policy.prefix(0, 4, GRID)) == 4).all()
    with pytest.raises(ValueError, match="cannot evaluate the first 5 of 4"):
        Policy.prefix(5, 4, GRID)
    with pytest.raises(ValueError, match="n_evaluated is -1; wanted a whole number, 0 or more"):
        Policy.prefix(-1, 4, GRID)


def test_a_policy_of_no_steps_quits():
    assert by_step(Policy.constant(EVAL, 0, GRID)).tolist() == [[0, 0]]


@pytest.mark.parametrize("order", [[0, 0], [1, 2], [-1, 0], [0.5, 1]])
def test_the_order_must_be_a_permutation(order):
    with pytest.raises(ValueError, match=r"each of 0\.\.1 once"):
        Policy(np.zeros((2, 2), np.uint8), GRID, np.array(order))


def test_actions_must_fit_the_order_and_the_grid():
    with pytest.raises(ValueError, match=r"actions have shape \(2, 3\); wanted \(2, 2\)"):
        Policy(np.zeros((2, 3), np.uint8), GRID, np.arange(2))
    with pytest.raises(ValueError, match="the action at step 1 in cell 0 is 7; wanted EVAL"):
        Policy(np.array([[0, 1], [7, 2]]), GRID, np.arange(2))


def test_orders_and_actions_of_other_types_are_taken():
    policy = Policy(np.full((3, 2), SKIP, np.int64), GRID, np.arange(3, dtype=np.int32)[::-1])
    assert policy.actions.dtype == np.uint8
    jump, order = policy.native
    assert order.flags.c_contiguous
    assert order.tolist() == [2, 1, 0]
    assert (jump == 3).all()


def test_actions_cannot_change_behind_the_jump_table():
    policy = Policy.constant(EVAL, 2, GRID)
    with pytest.raises(ValueError, match="read-only"):
        policy.actions[0] = QUIT


def test_what_a_policy_was_not_made_for_is_refused():
    policy = Policy.constant(EVAL, 2, GRID)
    policy.require(2, 1)
    with pytest.raises(ValueError, match=r"for 2 base classifiers and 1 score.*got 3 and 1"):
        policy.require(3, 1)
    with pytest.raises(ValueError, match="got 2 and 4; learn a policy for these"):
        policy.require(2, 4)


def test_a_policy_survives_pickling():
    policy = Policy.prefix(1, 2, GRID)
    again = pickle.loads(pickle.dumps(policy))
    np.testing.assert_array_equal(again.jumps, policy.jumps)
    assert repr(again) == "<Policy of 2 steps, 2 cells>"


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


def test_a_decision_may_cover_several_steps():
    policy = Policy(np.array([[EVAL, SKIP], [EVAL, QUIT]]), GRID, np.arange(3), every=2)
    assert by_step(policy).tolist() == [[0, 3], [1, 1], [2, 3], [3, 3]]
    assert "every=2" in repr(policy)
    with pytest.raises(ValueError, match=r"wanted \(1, 2\) .* every=3"):
        Policy(np.zeros((3, 2)), GRID, np.arange(3), every=3)


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
