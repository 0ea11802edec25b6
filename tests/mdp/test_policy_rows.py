import numpy as np
import pytest

from mddag import Ensemble
from mddag.losses import OfMeans, Squared, ZeroOne
from mddag.mdp.policy_rows import mdp_of

ROWS = np.linspace(-1, 1, 9)[:, None]


def ensemble(**settings):
    votes = [lambda X: X[:, 0], lambda X: 2 * X[:, 0], lambda X: -X[:, 0]]
    return Ensemble.from_callables(votes, n_features=1, **settings)


def made(source, targets, **settings):
    return mdp_of(source, source.votes(ROWS), targets, **settings)


def test_the_rows_of_a_classifier():
    mdp = made(ensemble(classes=["a", "b"]), np.array(list("aabbaabba")), beta=0.3)
    assert mdp.labels.tolist() == [0, 0, 1, 1, 0, 0, 1, 1, 0]
    assert (mdp.loss, mdp.unit, mdp.beta) == (ZeroOne(), 1.0, 0.3)
    assert mdp.costs.tolist() == [1, 1, 1]
    soft = made(ensemble(classes=["a", "b"]), np.tile([0.25, 0.75], (9, 1)))
    assert soft.losses(np.full((9, 1), -1.0)).tolist() == [0.75] * 9


def test_the_price_of_a_regressor_is_in_units_of_variance():
    targets = np.arange(9.0)
    mdp = made(ensemble(kind="regressor"), targets, beta=0.5)
    assert mdp.loss == Squared()
    assert mdp.unit == pytest.approx(np.var(targets))
    assert mdp.beta == pytest.approx(0.5 * np.var(targets))
    assert mdp.at_price(0.25).beta == pytest.approx(0.25 * np.var(targets))
    assert made(ensemble(kind="regressor"), np.ones(9)).unit == 1.0


def test_weights_count_in_the_unit():
    weight, targets = np.arange(1.0, 10.0), np.arange(9.0)
    mdp = made(ensemble(kind="regressor"), targets, weight=weight)
    mean = np.average(targets, weights=weight)
    assert mdp.unit == pytest.approx(np.average((targets - mean) ** 2, weights=weight))
    assert mdp.rows(np.array([8, 2])).weight.tolist() == [9.0, 3.0]


def test_losses_of_a_log_link_are_those_of_the_predictions():
    mdp = made(ensemble(kind="regressor", link="exp"), np.arange(9.0))
    assert mdp.loss == OfMeans(Squared())
    np.testing.assert_allclose(mdp.losses(np.zeros((9, 1))), (1 - np.arange(9.0)) ** 2)


def test_prices_of_an_ensemble_are_taken_or_left_out():
    priced = ensemble(classes=[0, 1]).with_cost([1.0, 2.0, 3.0])
    mdp = made(priced, np.arange(9) % 2)
    assert mdp.costs.tolist() == [1, 2, 3]
    assert mdp.with_unit_costs().costs.tolist() == [1, 1, 1]


def test_a_label_that_is_no_class_is_refused():
    with pytest.raises(ValueError, match=r"y contains the label 'c' \(row 1\), which the ensemble"):
        made(ensemble(classes=["a", "b"]), np.array(["a", "c"] + ["b"] * 7))
