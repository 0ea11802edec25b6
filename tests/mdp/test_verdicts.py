from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.losses import Logistic, ZeroOne
from mddag.mdp.grid import Grid
from mddag.mdp.mdp import MDP
from mddag.mdp.policy import EVAL, QUIT, SKIP, Policy
from mddag.mdp.verdicts import checked_verdict, decided, last_decisions
from mddag.ordering.arrangement import Arrangement
from tests import strategies
from tests.reference import rollout as twin

GRID = Grid(np.array([0.0]))


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


@given(st.data(), st.integers(0, 6), st.sampled_from([1, 3]))
@settings(deadline=None)
def test_fewer_cells_give_the_same_verdicts(data, n_steps, n_scores):
    policy = data.draw(strategies.policies(n_steps, n_scores))
    policy = data.draw(strategies.with_verdicts(policy))
    fewer = policy.on_fewest_cells()
    scores = np.random.default_rng(0).normal(size=(50, n_scores))
    cells, fewer_cells = policy.grid.cells(scores), fewer.grid.cells(scores)
    np.testing.assert_array_equal(policy.verdict[:, cells], fewer.verdict[:, fewer_cells])
    np.testing.assert_array_equal(policy.actions[:, cells], fewer.actions[:, fewer_cells])


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


def test_none_is_by_the_scores():
    assert checked_verdict(None, (3, 2), 2) is None
    assert Policy.constant(EVAL, 2, GRID).verdict is None
    codes = np.array([0, 1, 1])
    assert decided(codes, np.array([-1, 0, -1], np.int16)).tolist() == [0, 0, 1]


def test_rows_that_pass_the_end_have_a_decision_of_their_own():
    quits = np.array([[True, False], [False, False]])
    assert last_decisions(quits).tolist() == [[0, 2], [2, 2], [2, 2]]


def test_a_verdict_is_a_read_only_copy():
    mine = np.zeros((3, 2), int)
    policy = Policy(np.full((2, 2), SKIP), GRID, np.arange(2), verdict=mine)
    mine[:] = 1
    assert policy.verdict.dtype == np.int16
    assert not policy.verdict.any()
    with pytest.raises(ValueError, match="read-only"):
        policy.verdict[0] = 1


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (np.zeros((2, 2), int), r"array of int64 of shape \(2, 2\)\; wanted integers \(3, 2\)"),
        (np.zeros((3, 2)), r"array of float64"),
        (np.full((3, 2), 2), r"decision 0 in cell 0 is 2; wanted a class from 0 to 1, or -1"),
        (np.full((3, 2), -2), r"is -2; wanted a class"),
        ("no", r"verdict is 'no'; wanted integers"),
    ],
)
def test_what_is_no_verdict_is_refused(verdict, words):
    with pytest.raises(ValueError, match=words):
        Policy(np.zeros((2, 2)), GRID, np.arange(2), verdict=verdict)


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
