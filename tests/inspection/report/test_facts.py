"""Facts of a report: predictions, features read, and the place of the model on a curve."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.inspection.report.facts import Facts, point_of, reads_of
from mddag.inspection.report.page import page
from mddag.losses import Exponential, Logistic, Squared, ZeroOne
from mddag.policy import Given
from mddag.solvers import Margin, Prefix
from tests import strategies
from tests.inspection.explanation.models import classifier, frame, labels, regressor
from tests.inspection.report.reports import bare, facts_of, numbers, three, two


@pytest.mark.parametrize("make", [two, three])
def test_what_is_predicted_is_what_the_model_predicts(make):
    facts = make()
    model = classifier(len(facts.classes))
    assert facts.classes[facts.predicted].tolist() == model.predict(frame()).tolist()
    np.testing.assert_array_equal(facts.probabilities, model.predict_proba(frame()))
    full = mddag.compile(model.ensemble_).verdicts(frame())
    assert facts.full_predicted.tolist() == full.tolist()
    assert facts.classes[facts.codes].tolist() == labels(len(facts.classes)).tolist()


def test_numbers_are_those_of_the_regressor():
    facts = numbers()
    np.testing.assert_array_equal(facts.predicted, regressor().predict(frame()))
    assert facts.codes is None
    assert facts.probabilities is None
    assert facts.colored[0] == ()


def test_colours_are_classes_true_ones_first():
    names, group = two().colored
    assert [names[g] for g in group] == labels().tolist()
    assert two().colors == "rows of class"
    names, group = two(targets=False).colored
    assert [names[g] for g in group] == classifier().predict(frame()).tolist()
    assert two(targets=False).colors == "rows that are predicted to be"


def test_without_rows_little_is_known():
    facts = bare()
    assert facts.n_rows == 0
    assert facts.full_predicted is None
    assert facts.evaluation.n_evaluated > 0


def test_numbers_must_be_numbers():
    with pytest.raises(ValueError, match="y has dtype <U10; wanted numbers"):
        facts_of(regressor(), frame(), labels())
    with pytest.raises(TypeError, match="curve is 3; wanted a Curve"):
        Facts("title", classifier().dag_, curve=3)


def test_too_many_evaluations_are_counted_on_some_rows(monkeypatch):
    monkeypatch.setattr("mddag.inspection.report.facts.MOST_EVALUATIONS", 900)
    facts = facts_of(classifier(), frame(), labels())
    assert 0 < len(facts.paths) < facts.n_rows
    assert len(facts.paths.indices) < 1200
    assert facts.graph.size.sum() == len(facts.paths)
    assert "evenly spaced rows" in facts.counted_on
    assert "Counted on" in page(facts)
    monkeypatch.undo()
    assert two().counted_on == ""
    np.testing.assert_array_equal(two().paths.indices, two().trace.indices)


@given(st.data())
@settings(deadline=None, max_examples=30)
def test_the_columns_of_all_splits(data):
    ensemble = data.draw(strategies.ensembles())
    found = reads_of(ensemble)
    for j in range(len(ensemble)):
        trees = ensemble.tables.trees_of([j])
        split = [ensemble.tree(int(t)).records["feature"] for t in trees]
        wanted = {int(i) for features in split for i in features if i >= 0}
        assert set(found[j].tolist()) == wanted


def test_callables_read_what_they_like():
    assert reads_of(mddag.Ensemble.from_callables([np.ndarray.sum], n_features=1)) == {}


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
    place = point_of(curve, facts_of(same, frame(), labels()))
    assert place.n_evaluated == pytest.approx(curve.test_n_evaluated[at])
    assert place.loss == pytest.approx(curve.test_loss[at])
    assert place.full_loss == pytest.approx(curve.full_test_loss[0])


def test_a_regressor():
    y = frame().to_numpy() @ [3.0, 1.0, -2.0] + 5
    curve = swept(regressor(), y, loss=Squared(), solver=Prefix())
    same = mddag.MDDAGRegressor(regressor().ensemble_).adopt(curve.policies[1], frame(), y)
    place = point_of(curve, facts_of(same, frame(), y))
    assert place.n_evaluated == pytest.approx(curve.test_n_evaluated[1])
    assert place.loss == pytest.approx(curve.test_loss[1])
    assert place.full_loss == pytest.approx(curve.full_test_loss[0])


def test_nothing_to_measure():
    curve = swept(classifier(), labels(), solver=Margin())
    assert point_of(curve, bare()) is None
    assert point_of(curve, two(targets=False)) is None
    assert point_of(curve, replace(two(), source=None)).full_loss is None
    assert point_of(replace(curve, loss=Logistic()), two()) is None
