import numpy as np
import pytest

import mddag
from mddag.inspection.report.facts import Facts
from mddag.inspection.report.page import page
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
    assert facts.coloured[0] == ()


def test_colours_are_classes_true_ones_first():
    names, group = two().coloured
    assert [names[g] for g in group] == labels().tolist()
    assert two().colours == "rows of class"
    names, group = two(targets=False).coloured
    assert [names[g] for g in group] == classifier().predict(frame()).tolist()
    assert two(targets=False).colours == "rows that are predicted to be"


def test_without_rows_little_is_known():
    facts = bare()
    assert facts.n_rows == 0
    assert facts.full_predicted is None
    assert facts.evaluation.n_evaluated > 0


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"X": None, "y": labels()}, "y is given without X; wanted the rows X that y belongs to"),
        ({"y": labels()[:7]}, "y has 7 entries, but X has 400 rows; wanted one for each row"),
        ({"y": np.full(400, "oak")}, "y contains the label 'oak'"),
    ],
)
def test_targets_must_fit(more, words):
    given = {"X": frame(), "y": labels()} | more
    with pytest.raises(ValueError, match=words):
        facts_of(classifier(), **given)


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
    assert "evenly spaced rows" in facts.of_paths
    assert "Counted on" in page(facts)
    assert two().of_paths == ""
    np.testing.assert_array_equal(two().paths.indices, two().trace.indices)
