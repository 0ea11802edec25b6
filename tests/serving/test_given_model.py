"""The Predictor of what was given, or words that say what was wanted."""

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier

import mddag
from mddag.serving.predictor import given_predictor
from mddag.solvers import Margin


def test_estimators_and_predictors_are_taken_and_others_refused():
    X = np.random.default_rng(0).normal(size=(60, 2))
    boost = GradientBoostingClassifier(n_estimators=3).fit(X, X[:, 0] > 0)
    fast = mddag.sparsify(boost, X, beta=0.01, solver=Margin())
    predictor = given_predictor(fast)
    assert given_predictor(predictor) is predictor
    np.testing.assert_array_equal(predictor.predict(X), fast.predict(X))
    for other in (boost, type(fast), None):
        with pytest.raises(TypeError, match=r"model is .*; wanted a Predictor: mddag"):
            given_predictor(other, "a Predictor")
