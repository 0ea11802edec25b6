"""Rows in folds: none is judged by a model that was trained on it, and some only certify."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.tuning import folded_rows
from mddag.tuning.folded_rows import ALL, FOLDS, FoldedRows, folds_of


class Spy:
    """A model that remembers the rows that it was trained on."""

    def fit(self, X, y, sample_weight=None):
        self.rows, self.y, self.weight = X[:, 0].astype(int), y, sample_weight
        return self


def folded(strata, proves=False, seed=0, weight=None):
    """Rows whose only column is their number."""
    strata = np.asarray(strata)
    X = np.arange(len(strata))[:, None]
    return FoldedRows.of(X, strata, weight, strata, proves, np.random.RandomState(seed))


@settings(deadline=None, max_examples=100)
@given(st.lists(st.integers(0, 3), min_size=12, max_size=80), st.booleans(), st.integers(0, 99))
def test_no_row_is_judged_by_a_model_that_was_trained_on_it(strata, proves, seed):
    rows = folded(strata, proves, seed)
    judged = []
    for fold in (*range(FOLDS), ALL):
        own = rows.judged_by(fold)
        assert not np.intersect1d(rows.numbers[own], rows.fitted(Spy(), fold).rows).size
        judged += own.tolist()
    assert sorted(judged) == list(range(len(rows.numbers)))  # each by one model


def test_rows_that_certify_do_nothing_else():
    rows = folded(np.arange(200) % 2, proves=True)
    assert len(rows.certifying) == 30
    assert (rows.fold[rows.certifying] == ALL).all()
    assert not np.intersect1d(rows.certifying, rows.judging).size
    for fold in (*range(FOLDS), ALL):
        assert not np.intersect1d(rows.certifying, rows.training(fold)).size
    np.testing.assert_array_equal(rows.numbers[rows.judged_by(ALL)], rows.certifying)


def test_the_model_of_all_rows_is_trained_on_all_that_do_not_certify():
    for proves in (False, True):
        rows = folded(np.arange(200) % 2, proves)
        wanted = np.setdiff1d(np.arange(200), rows.certifying)
        np.testing.assert_array_equal(rows.training(ALL), wanted)
    assert len(folded(np.arange(200) % 2).judged_by(ALL)) == 0


def test_classes_with_too_few_rows_train_every_model():
    rows = folded([0] * 60 + [1] * (FOLDS - 1) + [2] * FOLDS)
    few, enough = np.array([60, 61]), np.array([62, 63, 64])
    assert (rows.fold[few] == ALL).all()
    assert sorted(rows.fold[enough]) == list(range(FOLDS))
    for fold in (*range(FOLDS), ALL):
        assert np.isin(few, rows.training(fold)).all()
        assert set(rows.fitted(Spy(), fold).y) == {0, 1, 2}
    assert not np.isin(few, rows.judging).any()


@pytest.mark.parametrize("proves", [False, True])
def test_every_purpose_has_its_share_of_every_class(proves):
    strata = np.repeat([0, 1, 2], [600, 300, 100])
    rows = folded(strata, proves)
    n = np.array([600, 300, 100]) - np.bincount(strata[rows.certifying], minlength=3)
    assert n.tolist() == ([510, 255, 85] if proves else [600, 300, 100])
    for fold in range(FOLDS):
        own = rows.numbers[rows.judged_by(fold)]
        assert np.abs(np.bincount(strata[own]) - n / FOLDS).max() < 1


def test_caps(monkeypatch):
    monkeypatch.setattr(folded_rows, "MOST_CERTIFYING", 20)
    monkeypatch.setattr(folded_rows, "MOST_JUDGING", 90)
    rows = folded(np.arange(400) % 2, proves=True)
    assert (len(rows.certifying), len(rows.judging)) == (20, 90)
    assert len(rows.training(ALL)) == 380  # more train than judge
    sizes = [len(rows.judged_by(fold)) for fold in range(FOLDS)]
    assert sum(sizes) == 90
    assert min(sizes) > 15


def test_rows_are_given_as_they_came():
    X = pd.DataFrame({"number": np.arange(100.0)}, index=np.arange(100) + 7)
    y, weight = np.arange(100) % 2, np.arange(100.0) + 1
    rows = FoldedRows.of(X, y, weight, y, True, np.random.RandomState(0))
    assert isinstance(rows.given, pd.DataFrame)
    np.testing.assert_array_equal(rows.given["number"], rows.numbers)
    np.testing.assert_array_equal(rows.given_targets, y[rows.numbers])
    np.testing.assert_array_equal(rows.given_weight, weight[rows.numbers])
    some = np.array([3, 1])
    np.testing.assert_array_equal(rows.some_given(some)["number"], rows.numbers[some])


def test_models_get_their_rows_with_targets_and_weights():
    weight = np.arange(90.0) + 1
    rows = folded(np.arange(90) % 2, weight=weight)
    found = rows.fitted(Spy(), 1)
    np.testing.assert_array_equal(found.rows, rows.training(1))
    np.testing.assert_array_equal(found.y, rows.targets[found.rows])
    np.testing.assert_array_equal(found.weight, weight[found.rows])
    assert folded(np.arange(90) % 2).fitted(Spy(), 1).weight is None


def test_a_row_learns_or_chooses_whichever_rows_are_asked_for():
    rows = folded(np.arange(300) % 2, proves=True)
    learning, choosing = rows.split(np.arange(len(rows.judging)))
    assert len(learning) == round(0.6 * len(rows.judging))
    assert sorted([*learning, *choosing]) == list(range(len(rows.judging)))
    first = rows.judged_by(0)
    of_first = rows.split(first)
    np.testing.assert_array_equal(of_first[0], np.intersect1d(learning, first))
    np.testing.assert_array_equal(of_first[1], np.intersect1d(choosing, first))


def test_the_same_seed_gives_the_same_folds():
    one, same, other = (folded(np.arange(90) % 2, True, seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.fold, same.fold)
    np.testing.assert_array_equal(one.certifying, same.certifying)
    assert (one.fold != other.fold).any()


def test_folds_leave_out_rows_that_certify():
    fold = folds_of(np.zeros(9), np.array([0, 4]), np.random.RandomState(0))
    assert fold[[0, 4]].tolist() == [ALL, ALL]
    assert sorted(np.bincount(np.delete(fold, [0, 4]))) == [2, 2, 3]
