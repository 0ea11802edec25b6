"""Candidates of all shapes are learned and chosen without the rows that certify."""

from dataclasses import replace

import numpy as np
from lightgbm import LGBMClassifier

from mddag.tuning.train import parted
from mddag.tuning.training_job import TrainingJob
from tests.tuning.few_shapes import QUIET, small


def test_certifying_labels_change_no_candidate(hastie_rows, monkeypatch):
    """Other labels there may change which candidate is promised, but none of the candidates."""
    small(monkeypatch)
    X, y, _, _ = hastie_rows
    rows = parted(X, y, None, "classifier", True, np.random.RandomState(0), 1)
    first = job(rows).front()
    at = rows.held_out[first.reference.parts.certifying]
    other = y.copy()
    other[at] = np.where(y[at] == "in", "out", "in")
    second = job(replace(rows, targets=other)).front()
    np.testing.assert_array_equal(first.losses, second.losses)
    np.testing.assert_array_equal(first.costs, second.costs)


def job(rows):
    made = LGBMClassifier(**QUIET)
    return TrainingJob(made, rows, "classifier", "max_loss", "evaluations", 1, False, "raise")
