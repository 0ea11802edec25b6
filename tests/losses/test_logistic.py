import numpy as np

from mddag.losses import Logistic


def test_one_score_by_hand():
    value = Logistic()(np.array([[0.0], [2.0], [2.0]]), np.array([1, 1, 0]))
    np.testing.assert_allclose(value, [np.log(2), np.log1p(np.exp(-2)), np.log1p(np.exp(2))])


def test_several_scores_are_a_softmax():
    scores, labels = np.random.default_rng(0).normal(size=(10, 4)), np.arange(10) % 4
    share = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(Logistic()(scores, labels), -np.log(share[np.arange(10), labels]))


def test_log_odds_f_are_the_two_scores_0_and_f():
    f, labels = np.random.default_rng(0).normal(size=(10, 1)), np.arange(10) % 2
    np.testing.assert_allclose(Logistic()(f, labels), Logistic()(np.c_[0 * f, f], labels))


def test_large_scores_do_not_overflow():
    value = Logistic()(np.array([[1e4], [1e4]]), np.array([0, 1]))
    assert value.tolist() == [1e4, 0.0]
    assert Logistic()(np.array([[1e4, 0.0, -1e4]]), np.array([2])).tolist() == [2e4]
