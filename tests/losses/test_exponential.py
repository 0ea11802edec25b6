import numpy as np
import pytest

from mddag import MDP, Policy
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


@pytest.mark.parametrize("error", [0.05, 0.2, 0.45])
def test_the_first_vote_of_adaboost_does_not_lower_raw_scores_loss(error):
    """With alpha = 1/2 ln((1 - e) / e) the mean of exp(-2 y f) is 1, as before: each evaluation
    costs beta and gains nothing, so quitting at once is best (deviations, row 18)."""
    n, n_wrong = 1000, round(1000 * error)
    labels = np.arange(n) % 2
    alpha = 0.5 * np.log((1 - error) / error)
    right = np.where(np.arange(n) < n_wrong, -1, 1)
    votes = (alpha * right * (2 * labels - 1))[:, None]
    mdp = MDP(votes, labels, loss=Exponential(), beta=1e-6)
    first, nothing = (mdp.evaluate(Policy.prefix(j, 1, mdp.grid)) for j in (1, 0))
    assert first.loss == pytest.approx(nothing.loss) == pytest.approx(1.0)
    assert first.objective > nothing.objective
    scaled = MDP(votes, labels, loss=Exponential(scale=0.5), beta=1e-6)
    assert scaled.evaluate(Policy.prefix(1, 1, mdp.grid)).loss < 1
