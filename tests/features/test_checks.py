import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.utils import _safe_indexing

from mddag.features.checks import checked_array, checked_labels, checked_rows
from mddag.features.features import Features


class Fitted(BaseEstimator):
    n_features_in_ = 2


class Named(Fitted):
    feature_names_in_ = np.array(["a", "b"], object)


def test_rows_may_miss_values_and_be_infinite_but_in_fit():
    X = np.array([[0.0, np.nan]])
    np.testing.assert_array_equal(checked_array(Fitted(), X, finite=True), X)
    infinite = np.array([[0.0, np.inf]])
    frame = pd.DataFrame(infinite)
    for rows in (infinite, frame):
        np.testing.assert_array_equal(checked_rows(Fitted(), rows, Features(2)), infinite)
        with pytest.raises(ValueError, match="X contains infinity"):
            checked_rows(Fitted(), rows, Features(2), finite=True)
    with pytest.raises(ValueError, match="X has 1 features, but Fitted is expecting 2"):
        checked_array(Fitted(), np.zeros((3, 1)))


def test_frames_become_codes_by_the_features():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": pd.Categorical(["x", "y"])})
    features = Features(2, names=("a", "b"), categories={1: ("y", "x")})
    np.testing.assert_array_equal(checked_rows(Named(), frame, features), [[1, 1], [2, 0]])


def test_checked_rows_are_known_to_have_been_a_frame():
    features = Features(2, names=("a", "b"))
    rows = features.rows(np.ones((3, 2)))
    assert checked_rows(Named(), rows, features) is rows
    assert len(checked_rows(Named(), _safe_indexing(rows, [0, 2]), features)) == 2
    for unknown in (np.ones((1, 2)), rows[:, ::-1], rows.astype(np.float32)):
        with pytest.warns(UserWarning, match="X does not have valid feature names"):
            assert checked_rows(Named(), unknown, features).features is features
    with pytest.raises(ValueError, match="X has 1 features, but Fitted"):
        checked_rows(Fitted(), rows[:, :1], features)


def test_labels_are_discrete_and_present():
    assert checked_labels([0, 1]).tolist() == [0, 1]
    assert checked_labels(["a", "b"]).tolist() == ["a", "b"]
    with pytest.raises(ValueError, match=r"y contains None \(row 1\)"):
        checked_labels(np.array(["a", None], object))
    with pytest.raises(ValueError, match="continuous"):
        checked_labels([0.5, 1.5])
