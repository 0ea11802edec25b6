import numpy as np
import pytest

from mddag import MDP
from mddag.losses import Squared


def test_real_labels():
    assert Squared()(np.array([[1.0], [3.0]]), np.array([1.5, 1.0])).tolist() == [0.25, 4.0]


def test_class_labels_are_plus_and_minus_one():
    scores = np.array([[0.5], [0.5]])
    assert Squared()(scores, np.array([1, 0])).tolist() == [0.25, 2.25]


def test_several_scores_are_summed():
    scores = np.array([[0.5, -1.0, 0.0]])
    assert Squared()(scores, np.array([0])).tolist() == [0.25 + 0.0 + 1.0]


def test_real_labels_have_one_score():
    with pytest.raises(ValueError, match=r"real labels.*scores have 3"):
        Squared()(np.zeros((2, 3)), np.array([0.5, 1.0]))


def test_regression_by_an_mdp():
    mdp = MDP([[1.0, 1.0], [2.0, 2.0]], [2.0, 5.0], loss=Squared(), beta=0.5)
    value = mdp.evaluate(mdp.evaluate_all())
    assert (value.loss, value.cost, value.objective) == (0.5, 2.0, 1.5)
