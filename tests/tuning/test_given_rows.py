"""Rows that train, and rows for the policy."""

import numpy as np
import pytest

import mddag
from mddag.tuning.given_rows import GivenRows
from tests.tuning.costly import model, rows


def given(X, y, X_train=None, y_train=None):
    ensemble = mddag.as_ensemble(model())
    return GivenRows(model(), ensemble, X, y, X_train, y_train, np.random.RandomState(0))


def test_half_of_the_rows_train_where_no_others_do():
    X, y = rows()
    parts = given(X, y)
    assert len(parts.rows) + len(parts.train) == len(X)
    assert abs(len(parts.rows) - len(parts.train)) <= 2
    both = np.concatenate([np.asarray(parts.rows), parts.train])
    assert len(np.unique(both, axis=0)) == len(X)


def test_rows_that_train_are_taken_as_they_are():
    X, y = rows()
    parts = given(X[500:], y[500:], X[:500], y[:500])
    assert (parts.train_labels == y[:500]).all()
    assert (parts.labels == y[500:]).all()


def test_without_labels_the_model_gives_them():
    X, _ = rows()
    parts = given(X[500:], None, X[:500])
    assert parts.labels is None
    np.testing.assert_array_equal(parts.train_labels, model().predict(X[:500]))


def test_what_does_not_fit_is_refused():
    X, y = rows()
    with pytest.raises(ValueError, match="y_train is given without X_train"):
        given(X, y, None, y)
    with pytest.raises(ValueError, match=r"X has 3 row\(s\), too few"):
        given(X[:3], y[:3])
