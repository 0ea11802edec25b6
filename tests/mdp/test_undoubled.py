"""Policies of features paid that need no bit become policies of scores, which decide the same."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.mdp.grid import Grid
from mddag.mdp.paid import Paid
from mddag.mdp.policy import EVAL, SKIP, Policy
from mddag.mdp.state import Score
from mddag.mdp.undoubled import constant_bits, undoubled
from tests import strategies


@given(st.data())
@settings(deadline=None, max_examples=150)
def test_rows_go_the_same_way(data):
    ensemble = data.draw(strategies.ensembles())
    X = data.draw(strategies.rows(ensemble.n_features))
    policy = data.draw(strategies.paid_policies(len(ensemble), ensemble.n_scores))
    policy = replace(policy, verdict=None, leaps=None)
    if data.draw(st.booleans()):  # the same actions where the bit is not known
        lacking, there = np.split(policy.actions, 2, axis=1)
        known = (constant_bits(policy.state) >= 0)[:: policy.every]
        there = np.where(known[:, None], there, lacking)
        policy = replace(policy, actions=np.concatenate([lacking, there], axis=1))
        assert isinstance(undoubled(policy).state, Score)
    wanted = mddag.compile(ensemble, policy).run(X)
    got = mddag.compile(ensemble, undoubled(policy)).run(X)
    assert got.indices.tolist() == wanted.indices.tolist()
    assert got.scores.tolist() == wanted.scores.tolist()


def test_a_group_of_ones_own_is_never_there():
    wants = np.array([[True, False], [False, True], [True, True], [False, False]])
    state = Paid(Grid(np.empty(0)), wants)
    assert constant_bits(state).tolist() == [0, 0, -1, 1]


def test_what_the_bit_decides_stays():
    grid = Grid(np.empty(0))
    state = Paid(grid, np.ones((2, 1), bool))
    actions = np.array([[SKIP, EVAL], [SKIP, EVAL]])
    policy = Policy(actions, grid, np.arange(2), state=state)
    assert undoubled(policy) is policy
    scores = Policy(actions[:, :1], grid, np.arange(2))
    assert undoubled(scores) is scores
