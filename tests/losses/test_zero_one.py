import numpy as np
import pytest

from mddag import MDP
from mddag.losses import ZeroOne
from mddag.mdp.grid import Grid
from mddag.mdp.policy import QUIT, Policy


def test_one_score_by_hand():
    scores, labels = np.array([[2.0], [2.0], [-1.0], [-1.0]]), np.array([1, 0, 1, 0])
    assert ZeroOne()(scores, labels).tolist() == [0, 1, 1, 0]


def test_several_scores_by_hand():
    scores = np.array([[1.0, 0.5, 0.0], [0.0, 0.5, 1.0], [-3.0, -1.0, -2.0]])
    assert ZeroOne()(scores, np.array([0, 1, 1])).tolist() == [0, 1, 0]


def test_a_tie_is_an_error():
    assert ZeroOne()(np.zeros((2, 1)), np.array([0, 1])).tolist() == [1, 1]
    assert ZeroOne()(np.array([[1.0, 1.0, 0.0]] * 3), np.array([0, 1, 2])).tolist() == [1, 1, 1]


def test_a_tie_between_other_classes_is_none():
    assert ZeroOne()(np.array([[2.0, 1.0, 1.0]]), np.array([0])).tolist() == [0]


def test_quitting_at_zero_does_not_pay():
    """With ties free, as printed in the paper, no policy could beat quitting at f = 0."""
    labels = np.array([0, 1, 0, 1])
    mdp = MDP(np.array([[-1.0], [1.0], [-1.0], [1.0]]), labels, beta=0.1)
    quit_at_once = mdp.evaluate(Policy.constant(QUIT, 1, Grid(np.zeros(1))))
    assert quit_at_once.objective == 1.0
    assert mdp.evaluate(mdp.evaluate_all()).objective == pytest.approx(0.1)


def test_nan_scores_are_errors():
    assert ZeroOne()(np.array([[np.nan]]), np.array([1])).tolist() == [1]
    assert ZeroOne()(np.array([[np.nan, 1.0]]), np.array([1])).tolist() == [1]


def test_prices_by_true_class():
    loss = ZeroOne(weights=[1.0, 10.0])
    scores, labels = np.array([[1.0], [-1.0], [1.0], [0.0]]), np.array([0, 1, 1, 1])
    assert loss(scores, labels).tolist() == [1, 10, 0, 10]
    assert loss(np.c_[-scores, scores], labels).tolist() == [1, 10, 0, 10]


def test_prices_by_true_and_predicted_class():
    loss = ZeroOne(weights=[[0, 1, 2], [3, 0, 4], [5, 6, 0]])
    scores = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [0.0, 0.0, 1.0]])
    assert loss(scores, np.array([0, 1, 2, 2])).tolist() == [2, 3, 6, 0]


def test_a_tie_costs_what_its_rival_costs():
    loss = ZeroOne(weights=[[0, 1, 2], [3, 0, 4], [5, 6, 0]])
    assert loss(np.array([[1.0, 0.0, 1.0]]), np.array([0])).tolist() == [2]


def test_prices_without_weights_are_ones():
    assert ZeroOne().prices(3).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert ZeroOne([2, 3]).prices(2).tolist() == [[0, 2], [3, 0]]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (3.0, r"weights have shape \(\)"),
        ([[1.0, 2.0]], r"weights have shape \(1, 2\)"),
        ([1.0, -1.0], "wanted finite prices, 0 or more"),
        ([1.0, np.nan], "wanted finite prices, 0 or more"),
        ([[1.0, 2.0], [3.0, 0.0]], r"diagonal \[1.0, 0.0\]; a right decision is free"),
    ],
)
def test_weights_that_are_no_prices_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        ZeroOne(weights)


def test_weights_for_other_classes_are_refused_at_the_door():
    with pytest.raises(ValueError, match=r"shape \(3,\); wanted \(2,\) or \(2, 2\)"):
        MDP([[1.0], [2.0]], [0, 1], loss=ZeroOne([1, 2, 3]))
