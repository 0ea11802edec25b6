import numpy as np

from mddag.losses import Hinge


def test_one_score_by_hand():
    value = Hinge()(np.array([[2.0], [0.25], [0.0], [1.0]]), np.array([1, 1, 0, 0]))
    assert value.tolist() == [0.0, 0.75, 1.0, 2.0]


def test_several_scores_by_hand():
    scores = np.array([[0.5, 0.25, -9.0], [0.5, 0.25, -9.0], [4.0, 0.0, 0.0]])
    assert Hinge()(scores, np.array([0, 1, 0])).tolist() == [0.75, 1.25, 0.0]


def test_a_margin_of_one_is_enough():
    assert Hinge()(np.array([[1.0]]), np.array([1])).tolist() == [0.0]
    assert Hinge(scale=4.0)(np.array([[0.25]]), np.array([1])).tolist() == [0.0]
