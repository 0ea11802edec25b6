import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from mddag.door import checked_labels, checked_rows
from mddag.features import Features


class Fitted(BaseEstimator):
    n_features_in_ = 2


class Named(Fitted):
    feature_names_in_ = np.array(["a", "b"], object)


def test_rows_may_miss_values_but_not_be_infinite():
    X = np.array([[0.0, np.nan]])
    np.testing.assert_array_equal(checked_rows(Fitted(), X, None), X)
    with pytest.raises(ValueError, match="infinity"):
        checked_rows(Fitted(), np.array([[0.0, np.inf]]), None)
    with pytest.raises(ValueError, match="X has 1 features, but Fitted is expecting 2"):
        checked_rows(Fitted(), np.zeros((3, 1)), None)


def test_frames_become_codes_by_the_features():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": pd.Categorical(["x", "y"])})
    features = Features(2, names=("a", "b"), categories={1: ("y", "x")})
    np.testing.assert_array_equal(checked_rows(Named(), frame, features), [[1, 1], [2, 0]])


def test_labels_are_discrete_and_present():
    assert checked_labels([0, 1]).tolist() == [0, 1]
    assert checked_labels(["a", "b"]).tolist() == ["a", "b"]
    with pytest.raises(ValueError, match=r"y contains None \(row 1\)"):
        checked_labels(np.array(["a", None], object))
    with pytest.raises(ValueError, match="continuous"):
        checked_labels([0.5, 1.5])
