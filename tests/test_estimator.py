"""What classifier and regressor share; their own files test them through scikit-learn's checks."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier

import mddag
from mddag import MDDAGClassifier, MDDAGRegressor
from mddag.estimator import DagEstimator
from mddag.losses import Logistic, ZeroOne
from mddag.ordering import Correlation, Given
from mddag.solvers import Margin, Portfolio

X, y = load_breast_cancer(return_X_y=True)
MODEL = GradientBoostingClassifier(n_estimators=30, max_depth=2, random_state=0).fit(
    X[:250], y[:250]
)


def test_a_policy_of_a_sweep_can_be_adopted():
    curve = mddag.sweep(MODEL, X[250:], y[250:], betas=[0.001], solver=Margin())
    model = MDDAGClassifier(MODEL, beta=0.001).adopt(curve.policies[0], X[250:], y[250:])
    assert model.policy_ is curve.policies[0]
    assert model.predict_proba(X).shape == (len(X), 2)
    assert model.n_features_in_ == X.shape[1]


def test_the_default_solver_takes_the_threads_and_another_keeps_its_own():
    assert MDDAGClassifier(n_threads=3).checked_solver().n_threads == 3
    assert MDDAGClassifier(solver=Portfolio(), n_threads=3).checked_solver().n_threads == 1


def test_soft_targets_calibrate_an_adopted_policy():
    soft = MODEL.predict_proba(X)
    everything = mddag.compile(mddag.as_ensemble(MODEL)).policy
    model = MDDAGClassifier(MODEL).adopt(everything, X, soft)
    np.testing.assert_allclose(model.predict_proba(X), soft, atol=1e-6)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        MDDAGClassifier(MODEL).adopt(everything, X[:5], soft)


def test_exits_are_calibrated_to_what_the_full_ensemble_says():
    """Of 319 rows hardly one that leaves early is wrong: labels could not tell how sure to be."""
    model = MDDAGClassifier(MODEL, beta=0.002, loss=Logistic(), random_state=0).fit(
        X[250:], y[250:]
    )
    full = mddag.compile(model.ensemble_).policy
    said = MDDAGClassifier(MODEL).adopt(full, X[250:], y[250:]).predict_proba(X[250:])
    assert model.n_evaluated(X[250:]).mean() < 20
    assert np.abs(model.predict_proba(X[250:]) - said).mean() < 0.05


def test_the_order_of_decisions_is_a_parameter():
    given = MDDAGClassifier(MODEL, beta=0.001, solver=Margin(), ordering=Given()).fit(X, y)
    assert given.policy_.order.tolist() == list(range(30))
    better = MDDAGClassifier(MODEL, beta=0.001, solver=Margin(), ordering=None).fit(X, y)
    assert better.policy_.order.tolist() != list(range(30))
    assert set(better.trace(X).indices.tolist()) <= set(range(30))
    np.testing.assert_allclose(
        better.ensemble_.scores(X)[:, 0], MODEL.decision_function(X), atol=1e-9
    )


def test_what_cannot_be_adopted_is_refused():
    with pytest.raises(TypeError, match="policy is None; wanted a Policy"):
        MDDAGClassifier(MODEL).adopt(None, X, y)
    everything = mddag.Policy.constant(0, 30, mddag.Grid(np.empty(0)))
    with pytest.raises(ValueError, match="1d array"):
        MDDAGRegressor(MODEL).adopt(everything, X, np.c_[y, y])


def test_one_decision_can_cover_several():
    model = MDDAGClassifier(MODEL, beta=0.001, solver=Margin(), every=8).fit(X, y)
    assert model.policy_.every == 8
    assert set(model.n_evaluated(X).tolist()) <= {0, 8, 16, 24, 30}


def test_prices_of_errors_move_the_decisions_and_keep_the_answers_consistent():
    dear_misses = ZeroOne(weights=(1.0, 50.0))
    plain, careful = (
        MDDAGClassifier(MODEL, beta=0.005, loss=loss, solver=Margin()).fit(X[250:], y[250:])
        for loss in (None, dear_misses)
    )
    again = MDDAGClassifier(MODEL, beta=0.005, loss=dear_misses)
    again.adopt(plain.policy_, X[250:], y[250:])
    assert careful.evaluation_.objective < again.evaluation_.objective
    labels = careful.predict(X)
    np.testing.assert_array_equal(labels, careful.predict_proba(X).argmax(axis=1))
    np.testing.assert_array_equal(labels, careful.decision_function(X) > 0)


def test_prices_of_base_classifiers_move_the_order():
    ensemble = mddag.as_ensemble(MODEL)
    first = int(Correlation()(ensemble.votes(X))[0])
    cost = np.ones(30)
    cost[first] = 1000.0
    model = MDDAGClassifier(
        ensemble.with_cost(cost), beta=1e-4, solver=Margin(), ordering=Correlation()
    ).fit(X, y)
    assert model.policy_.order[0] != first
    assert model.trace(X).cost.mean() < 1000


def test_a_subclass_must_say_what_it_is():
    with pytest.raises(TypeError, match="DagEstimator must say what to train"):
        DagEstimator()._default_model()
    with pytest.raises(TypeError, match="DagEstimator must say what its targets are"):
        DagEstimator()._targets(y)
