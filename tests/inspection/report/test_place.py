"""A policy of the curve, made a model and measured on the test rows of the sweep, is its point."""

from dataclasses import replace

import pytest

import mddag
from mddag.inspection.report.facts import at_price, place_of
from mddag.losses import Exponential, Logistic, Squared, ZeroOne
from mddag.ordering import Given
from mddag.solvers import Margin, Prefix
from tests.inspection.explanation.models import classifier, frame, labels, regressor
from tests.inspection.report.reports import bare, facts_of, two

BETAS = [1e-4, 1e-3]


def swept(model, y, **more):
    given = {"betas": BETAS, "ordering": Given(), "X_test": frame(), "y_test": y}
    return mddag.sweep(model, frame(), y, **(given | more))


@pytest.mark.parametrize("loss", [ZeroOne(), ZeroOne([1.0, 5.0]), Exponential()])
@pytest.mark.parametrize("at", range(len(BETAS)))
def test_a_classifier(loss, at):
    curve = swept(classifier(), labels(), loss=loss, solver=Margin())
    same = mddag.MDDAGClassifier(classifier().ensemble_).adopt(
        curve.policies[at], frame(), labels()
    )
    place = place_of(curve, facts_of(same, frame(), labels()))
    assert place.n_evaluated == pytest.approx(curve.test_n_evaluated[at])
    assert place.loss == pytest.approx(curve.test_loss[at])
    assert place.full_loss == pytest.approx(curve.full_test_loss[0])


def test_a_regressor():
    y = frame().to_numpy() @ [3.0, 1.0, -2.0] + 5
    curve = swept(regressor(), y, loss=Squared(), solver=Prefix())
    same = mddag.MDDAGRegressor(regressor().ensemble_).adopt(curve.policies[1], frame(), y)
    place = place_of(curve, facts_of(same, frame(), y))
    assert place.n_evaluated == pytest.approx(curve.test_n_evaluated[1])
    assert place.loss == pytest.approx(curve.test_loss[1])
    assert place.full_loss == pytest.approx(curve.full_test_loss[0])


def test_nothing_to_measure():
    curve = swept(classifier(), labels(), solver=Margin())
    assert place_of(curve, bare()) is None
    assert place_of(curve, two(targets=False)) is None
    assert place_of(curve, replace(two(), source=None)).full_loss is None
    assert place_of(replace(curve, loss=Logistic()), two()) is None


def test_the_point_with_a_price():
    curve = swept(classifier(), labels(), solver=Margin())
    assert [at_price(curve, beta) for beta in (None, 1e-4, 1e-3, 2e-3)] == [None, 0, 1, None]
