import numpy as np
import pytest

from mddag import MDP
from mddag.losses import Logistic, OfMeans, Squared, ZeroOne
from mddag.solvers.teacher import with_teacher

RNG = np.random.default_rng(0)
VOTES = RNG.normal(0, 0.3, (200, 5))
NUMBERS = RNG.poisson(np.exp(VOTES.sum(axis=1))).astype(float)


@pytest.mark.parametrize("loss", [Squared(), OfMeans(Squared())])
def test_a_regressor_loses_nothing_by_its_own_opinion(loss):
    said = with_teacher(MDP(VOTES, NUMBERS, loss=loss))
    assert said.evaluate(said.evaluate_all()).loss == pytest.approx(0, abs=1e-20)


def test_a_classifier_says_how_often_it_is_wrong():
    labels = (VOTES.sum(axis=1) + RNG.logistic(0, 0.5, 200) > 0).astype(int)
    mdp = MDP(VOTES, labels, loss=ZeroOne())
    said = with_teacher(mdp)
    assert said.labels.shape == (200, 2)
    full = mdp.evaluate_all()
    assert said.evaluate(full).loss == pytest.approx(mdp.evaluate(full).loss, abs=0.05)
    again = with_teacher(said).labels  # its opinion by its own opinion
    np.testing.assert_allclose(again, said.labels, atol=0.01)


def test_rows_without_weight_teach_nothing():
    labels = (VOTES.sum(axis=1) > 0).astype(int)
    labels[100:] = 1 - labels[100:]
    weight = np.repeat([1.0, 0.0], 100)
    half = MDP(VOTES[:100], labels[:100], loss=Logistic())
    whole = with_teacher(MDP(VOTES, labels, loss=Logistic(), weight=weight))
    np.testing.assert_allclose(whole.labels[:100], with_teacher(half).labels)
