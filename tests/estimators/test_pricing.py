"""Prices of features of fitted estimators."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, make_classification
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mddag
from tests.acquisition.costly import bought
from tests.serving.lazy.stores import Table

GROUPS = {"form": [0, 1, 2], "lab": [3, 4, 5]}


@pytest.fixture(scope="module")
def data():
    return make_classification(900, 8, n_informative=5, random_state=0)


@pytest.fixture(scope="module")
def sparse(data):
    X, y = data
    full = GradientBoostingClassifier(n_estimators=30, random_state=0).fit(X[:300], y[:300])
    return mddag.sparsify(full, X[300:], y[300:], beta=0.003)


def test_a_sparse_model_gets_prices_and_predicts_the_same(data, sparse, tmp_path):
    X = data[0][:200]
    priced = sparse.with_prices({"form": 0, "lab": 5, 6: 1, 7: 2}, GROUPS, wave_cost=0.5)
    np.testing.assert_array_equal(priced.predict(X), sparse.predict(X))
    assert priced.feature_prices.names == ("form", "lab", 6, 7)
    trace = priced.trace(X)
    np.testing.assert_array_equal(priced.feature_cost(X), trace.feature_cost)
    np.testing.assert_array_equal(priced.groups_bought(X), trace.groups)
    assert sparse.feature_prices is None, "the source stays as it was"
    priced.save(tmp_path / "net.mddag")
    predictor = mddag.load(tmp_path / "net.mddag")
    assert "prices: 8 for 4 groups (form 0, lab 5, 6 1, 7 2), 0.5 per wave" in str(predictor)
    fetch = Table(predictor, X)
    result = predictor.predict_lazy(fetch, n_rows=len(X), return_details=True)
    np.testing.assert_array_equal(result.predictions, sparse.predict(X))
    np.testing.assert_array_equal(result.probabilities, sparse.predict_proba(X))
    np.testing.assert_array_equal(result.feature_cost, trace.feature_cost)


def test_a_regressor():
    X, y = load_diabetes(return_X_y=True)
    full = GradientBoostingRegressor(n_estimators=20, random_state=0).fit(X[:200], y[:200])
    with pytest.warns(mddag.DoubtfulResult):
        sparse = mddag.sparsify(full, X[200:], y[200:], beta=10.0)
    predictor = sparse.with_prices(np.ones(10)).predictor()
    found = predictor.predict_lazy(Table(predictor, X), n_rows=len(X))
    np.testing.assert_array_equal(found, sparse.predict(X))


def test_behind_a_pipeline_features_are_those_of_the_ensemble(data):
    X, y = data
    full = make_pipeline(StandardScaler(), GradientBoostingClassifier(n_estimators=5))
    sparse = mddag.sparsify(full.fit(X[:300], y[:300]), X[300:], y[300:], beta=0.01)
    priced = sparse.with_prices(np.ones(8))
    assert (priced.feature_cost(X) <= 8).all()
    with pytest.raises(ValueError, match="the model reads rows after"):
        priced.predictor()


def test_without_prices_the_error_says_what_to_do(data, sparse):
    with pytest.raises(ValueError, match="no prices of features; give them by with_prices"):
        sparse.feature_cost(data[0])
    with pytest.raises(ValueError, match="no prices of features; give them by with_prices"):
        sparse.groups_bought(data[0])


def test_what_acquire_makes_pays_for_the_groups_that_it_buys():
    estimator, X, _ = bought()
    groups, prices = estimator.groups_bought(X), estimator.feature_prices
    np.testing.assert_allclose(estimator.feature_cost(X), groups @ prices.costs)
    predictor = estimator.predictor()
    found = predictor.predict_lazy(Table(predictor, X), n_rows=len(X), return_details=True)
    np.testing.assert_array_equal(found.predictions, estimator.predict(X))
    np.testing.assert_array_equal(found.groups, groups)
