import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from mddag.features.checks import checked_labels, checked_rows
from mddag.features.features import Encoded, Features


class Fitted(BaseEstimator):
    n_features_in_ = 2


class Named(Fitted):
    feature_names_in_ = np.array(["a", "b"], object)


def test_rows_may_miss_values_and_be_infinite_but_in_fit():
    X = np.array([[0.0, np.nan]])
    np.testing.assert_array_equal(checked_rows(Fitted(), X, None, finite=True), X)
    infinite = np.array([[0.0, np.inf]])
    frame = pd.DataFrame(infinite)
    for rows in (infinite, frame):
        np.testing.assert_array_equal(checked_rows(Fitted(), rows, Features(2)), infinite)
        with pytest.raises(ValueError, match="X contains infinity"):
            checked_rows(Fitted(), rows, Features(2), finite=True)
    with pytest.raises(ValueError, match="X has 1 features, but Fitted is expecting 2"):
        checked_rows(Fitted(), np.zeros((3, 1)), None)


def test_frames_become_codes_by_the_features():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": pd.Categorical(["x", "y"])})
    features = Features(2, names=("a", "b"), categories={1: ("y", "x")})
    np.testing.assert_array_equal(checked_rows(Named(), frame, features), [[1, 1], [2, 0]])


def test_encoded_rows_are_known_to_have_been_a_frame():
    features = Features(2, names=("a", "b"))
    rows = Encoded.of(np.ones((1, 2)))
    assert checked_rows(Named(), rows, features).tolist() == [[1, 1]]
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        checked_rows(Named(), np.ones((1, 2)), features)
    with pytest.raises(ValueError, match="X has 3 features, but the model reads 2"):
        checked_rows(Named(), Encoded.of(np.ones((1, 3))), features)


def test_labels_are_discrete_and_present():
    assert checked_labels([0, 1]).tolist() == [0, 1]
    assert checked_labels(["a", "b"]).tolist() == ["a", "b"]
    with pytest.raises(ValueError, match=r"y contains None \(row 1\)"):
        checked_labels(np.array(["a", None], object))
    with pytest.raises(ValueError, match="continuous"):
        checked_labels([0.5, 1.5])
