"""Candidates of all shapes are learned and chosen without the rows that certify."""

from dataclasses import replace

import numpy as np
import pytest
from lightgbm import LGBMClassifier

from mddag.tuning import training_job
from mddag.tuning.training_job import TrainingJob
from tests.tuning.few_shapes import QUIET, rows_of, small


@pytest.fixture(autouse=True)
def _few_shapes(monkeypatch):
    small(monkeypatch)


def test_certifying_labels_change_no_candidate(hastie_rows):
    """Other labels there may change which candidate is promised, but none of the candidates."""
    X, y, _, _ = hastie_rows
    rows = rows_of(X, y, proves=True)
    first = job(rows).front()
    at = rows.certifying
    other = y.copy()
    other[at] = np.where(y[at] == "in", "out", "in")
    second = job(replace(rows, targets=other)).front()
    np.testing.assert_array_equal(first.losses, second.losses)
    np.testing.assert_array_equal(first.costs, second.costs)


def test_shapes_that_promise_little_are_only_looked_at(hastie_rows):
    X, y, _, _ = hastie_rows
    rows = rows_of(X[:900], y[:900])
    front = job(rows).front()
    trained = dict.fromkeys(front.owners)
    assert 3 <= len(trained) <= 4  # the best full model besides
    assert len(trained) + len(front.only_looked_at) == 8
    assert all(len(contestant.parts) == 900 for contestant in trained)
    n_first = len(rows.judged_by(0))
    assert all(len(contestant.parts) == n_first for contestant in front.only_looked_at)
    assert front.reference.model.loss == min(contestant.model.loss for contestant in trained)


def test_models_that_differ_in_form_are_refused(hastie_rows, monkeypatch):
    X, y, _, _ = hastie_rows
    monkeypatch.setattr(training_job, "trained_again", lambda *arguments: None)
    with pytest.raises(ValueError, match=r"models of LGBMClassifier .* vote for different scores"):
        job(rows_of(X[:300], y[:300])).front()


def job(rows):
    made = LGBMClassifier(**QUIET)
    return TrainingJob(made, rows, "classifier", "max_loss", "evaluations", 1, False)
