import pickle

import numpy as np
import pytest
from lightgbm import LGBMRegressor
from sklearn.base import clone
from sklearn.datasets import make_friedman1
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

import mddag
from mddag import MDDAGRegressor
from mddag.losses import Squared
from mddag.solvers import Sarsa
from tests.tuning.sweeps import BestPrefix

SMALL = {"solver": Sarsa(n_episodes=10_000, evaluate_every=1000), "random_state": 0}


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """HistGradientBoosting's threads would wait for each other on a busy machine."""
    with threadpool_limits(1):
        yield


SPLIT = {
    "check_sample_weight_equivalence_on_dense_data": "rows are held out at random: a row of weight "
    "2 is in one part, two equal rows may be in both; and episodes draw rows at random"
}


@parametrize_with_checks(
    [MDDAGRegressor(HistGradientBoostingRegressor(max_iter=30), beta=1e-4, **SMALL)],
    expected_failed_checks=lambda estimator: SPLIT,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def friedman():
    X, y = make_friedman1(6000, random_state=0)
    model = LGBMRegressor(n_estimators=100, num_leaves=8, n_jobs=1, verbose=-1).fit(
        X[:2000], y[:2000]
    )
    return model, X[2000:4000], y[2000:4000], X[4000:], y[4000:]


def test_few_evaluations_are_nearly_as_good_as_all(friedman):
    model, X, y, X_test, y_test = friedman
    fast = MDDAGRegressor(model, beta=0.001, solver=BestPrefix()).fit(X, y)
    assert fast.n_evaluated(X_test).mean() < 70
    assert fast.score(X_test, y_test) > model.score(X_test, y_test) - 0.05


def test_a_prefix_lies_too_close_to_the_mean_and_calibration_mends_it(friedman):
    model, X, y, X_test, y_test = friedman
    fast = MDDAGRegressor(model, beta=0.02, solver=BestPrefix()).fit(X, y)
    raw = fast.scores(X_test)[:, 0]
    assert fast.calibration_.factors[0] > 1.1
    assert np.var(fast.predict(X_test) - y_test) < 0.95 * np.var(raw - y_test)


def test_without_an_ensemble_small_trees_are_trained(friedman):
    _, X, y, X_test, y_test = friedman
    model = MDDAGRegressor(beta=1e-4, solver=BestPrefix(), random_state=0).fit(X, y)
    assert model.ensemble_.tables.n_leaves.max() <= 8
    assert model.score(X_test, y_test) > 0.8


def test_beta_is_in_units_of_explained_variance(friedman):
    model, X, y, X_test, _ = friedman
    plain = MDDAGRegressor(model, beta=0.01, solver=BestPrefix()).fit(X, y)
    assert plain.result_.evaluation.objective == pytest.approx(
        plain.result_.evaluation.loss + 0.01 * np.var(y) * plain.result_.evaluation.cost
    )
    with_loss = clone(plain).set_params(ensemble=FrozenEstimator(model), loss=Squared()).fit(X, y)
    np.testing.assert_array_equal(with_loss.n_evaluated(X_test), plain.n_evaluated(X_test))


def test_a_log_link_predicts_positive_means():
    X, y = make_friedman1(3000, random_state=1)
    counts = np.random.default_rng(0).poisson(y / 4)
    model = HistGradientBoostingRegressor(loss="poisson", max_iter=40, max_leaf_nodes=8)
    model.fit(X[:1000], counts[:1000])
    fast = MDDAGRegressor(model, beta=0.01, solver=BestPrefix()).fit(
        X[1000:2000], counts[1000:2000]
    )
    predicted = fast.predict(X[2000:])
    assert (predicted > 0).all()
    assert predicted.mean() == pytest.approx(counts[2000:].mean(), rel=0.05)
    full = mddag.MDDAGRegressor(model, beta=0.0, solver=BestPrefix(), actions=("eval",))
    assert full.fit(X[1000:2000], counts[1000:2000]).calibration_.factors.tolist() == [1.0]


def test_an_unknown_link_and_classifiers_are_refused_by_name(friedman):
    _, X, y, _, _ = friedman
    strange = LGBMRegressor(n_estimators=3, reg_sqrt=True, n_jobs=1, verbose=-1).fit(X, y)
    with pytest.raises(ValueError, match="neither its scores nor exp of them"):
        MDDAGRegressor(strange, solver=BestPrefix()).fit(X, y)
    labels = GradientBoostingClassifier(n_estimators=2).fit(X, y > 14)
    with pytest.raises(ValueError, match="that of a classifier; a regressor is wanted here"):
        MDDAGRegressor(labels, solver=BestPrefix()).fit(X, y)


def test_pickles_sweeps_and_adopts(friedman):
    model, X, y, X_test, y_test = friedman
    fast = MDDAGRegressor(model, beta=0.01, solver=BestPrefix()).fit(X, y)
    again = pickle.loads(pickle.dumps(fast))
    np.testing.assert_array_equal(again.predict(X_test), fast.predict(X_test))
    curve = mddag.sweep(fast, X, y, betas=[0.1, 0.001], X_test=X_test, y_test=y_test)
    assert curve.train_cost[0] < curve.train_cost[1]
    adopted = MDDAGRegressor(model).adopt(curve.policies[1], X, y)
    assert adopted.n_evaluated(X_test).mean() == pytest.approx(curve.test_n_evaluated[1])
