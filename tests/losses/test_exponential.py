import numpy as np
import pytest

from mddag import MDP
from mddag.losses import Exponential


def test_one_score_by_hand():
    value = Exponential()(np.array([[0.5], [0.5], [0.0]]), np.array([1, 0, 1]))
    np.testing.assert_allclose(value, [np.exp(-1.0), np.exp(1.0), 1.0])


def test_several_scores_by_hand():
    """The own score stands outside of the sum over the others."""
    value = Exponential()(np.array([[0.1, 0.2, 0.4]]), np.array([1]))
    np.testing.assert_allclose(value, [np.exp(0.1 + 0.4 - 0.2)])


def test_two_opposite_scores_are_one_score():
    f, labels = np.random.default_rng(0).normal(size=(10, 1)), np.arange(10) % 2
    one, two = Exponential()(f, labels), Exponential()(np.c_[-f, f], labels)
    np.testing.assert_allclose(one, two)


def test_the_scale_is_not_neutral():
    """Unlike for the 0-1 loss: the best action may depend on it (deviations, row 5)."""
    scores, labels = np.array([[1.0], [-3.0]]), np.array([1, 1])
    raw, small = Exponential()(scores, labels), Exponential(scale=0.1)(scores, labels)
    assert not np.allclose(raw / raw[0], small / small[0])


def test_overflow_is_named_by_the_mdp():
    mdp = MDP([[1e3], [-1e3]], [1, 1], loss=Exponential())
    with pytest.raises(ValueError, match=r"Exponential\(scale=1.0\) is inf on row 1.*\[-1000.0\]"):
        mdp.evaluate(mdp.evaluate_all())
