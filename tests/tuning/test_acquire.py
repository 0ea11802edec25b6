"""acquire: a trained model and prices in, an estimator that buys what a row needs out."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import mddag
from tests.tuning.costly import GROUPS, bought, model, rows

pytestmark = pytest.mark.filterwarnings("ignore::mddag.DoubtfulResult")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_costs_less_and_is_nearly_as_good(n_classes):
    estimator, X, y = bought(n_classes)
    cost = estimator.feature_cost(X)
    assert 0 < cost.mean() < 5
    full = np.mean(model(n_classes).predict(X) != y)
    assert np.mean(estimator.predict(X) != y) < full + 0.05
    assert estimator.groups_bought(X).shape == (len(X), 3)
    assert estimator.acquisition_.full_cost == 6.0
    proba = estimator.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(estimator.classes_[proba.argmax(axis=1)], estimator.predict(X))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_row_reads_no_feature_that_it_did_not_buy(n_classes):
    estimator, X, _ = bought(n_classes)
    groups, hidden = estimator.groups_bought(X), X.copy()
    columns = estimator.dag_.purchases.prices.columns
    for g, of_group in enumerate(columns):
        hidden[np.ix_(~groups[:, g], of_group)] = 1e9
    np.testing.assert_array_equal(estimator.scores(hidden), estimator.scores(X))


def test_the_file_predicts_the_same_and_lazily(tmp_path):
    estimator, X, _ = bought()
    estimator.save(tmp_path / "model.mddag")
    predictor = mddag.load(tmp_path / "model.mddag")
    np.testing.assert_array_equal(predictor.predict(X), estimator.predict(X))
    prices = estimator.dag_.purchases.prices
    columns = dict(zip(prices.names, prices.columns, strict=True))
    asked = np.zeros((len(X), prices.n_groups), bool)

    def fetch(group, wanted):
        asked[wanted, prices.names.index(group)] = True
        return X[np.ix_(wanted, columns[group])]

    found = predictor.predict_lazy(fetch, n_rows=len(X))
    np.testing.assert_array_equal(found, estimator.predict(X))
    np.testing.assert_array_equal(asked, estimator.groups_bought(X))


def test_a_budget_is_kept_on_rows_held_out():
    estimator, X, _ = bought(budget=2.0)
    assert estimator.acquisition_.feature_cost <= 2.0
    assert estimator.feature_cost(X).mean() < 2.4


def test_a_budget_below_every_policy_buys_nothing():
    X, y = rows()
    given = {"feature_costs": np.ones(5), "budget": 1e-6}
    with pytest.warns(mddag.DoubtfulResult, match="no policy that buys anything"):
        found = mddag.acquire(model(), X[500:], y[500:], **given)
    assert not found.feature_cost(X).any()


def test_a_bound_is_certified():
    estimator, X, y = bought(max_loss=0.05)
    assert estimator.promise_.bound == 0.05
    assert estimator.acquisition_.n_rows == 300
    full = np.mean(model().predict(X) != y)
    assert np.mean(estimator.predict(X) != y) < full + 0.08
    strict, X, _ = bought(max_disagreement=0.01)
    assert np.mean(strict.predict(X) != model().predict(X)) < 0.02


def test_a_point_estimate_needs_no_certificate():
    estimator, X, _ = bought(max_loss=0.05, confidence=None)
    assert not hasattr(estimator, "promise_")
    assert estimator.feature_cost(X).mean() < 6


def test_the_model_is_its_own_teacher():
    X, _ = rows()
    found = mddag.acquire(
        model(), X[500:1100], feature_costs={0: 1, 1: 1, 2: 3, 3: 3, 4: 1}, beta=0.01
    )
    assert found.measured_against_ == "model"
    assert found.acquisition_.error is None
    assert "disagreement" in str(found.acquisition_)
    assert np.mean(found.predict(X[1100:]) == model().predict(X[1100:])) > 0.85


def test_frames_and_names():
    iris = load_iris(as_frame=True)
    X, y = iris.data, iris.target
    fitted = GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X, y)
    prices = dict(zip(X.columns, [1.0, 1.0, 2.0, 2.0], strict=True))
    found = mddag.acquire(fitted, X, y, feature_costs=prices, beta=0.01)
    assert isinstance(X, pd.DataFrame)
    assert np.mean(found.predict(X) == y) > 0.9
    assert found.feature_names_in_.tolist() == list(X.columns)


def test_waves_are_paid():
    X, y = rows()
    given = {"feature_groups": GROUPS, "feature_costs": {"cheap": 1, "dear": 5, 4: 0}}
    found = mddag.acquire(model(), X[500:], y[500:], **given, wave_cost=0.5, beta=0.02)
    trace = found.trace(X)
    paid = trace.groups @ found.dag_.purchases.prices.costs + 0.5 * trace.waves
    np.testing.assert_allclose(trace.feature_cost, paid)


def test_the_same_seed_gives_the_same_policy():
    one, two = (bought.__wrapped__(2, beta=0.03)[0] for _ in range(2))
    np.testing.assert_array_equal(one.policy_.actions, two.policy_.actions)


def test_a_forest_and_a_bare_ensemble_are_taken():
    X, y = rows()
    forest = RandomForestClassifier(10, max_depth=4, random_state=0).fit(X[:500], y[:500])
    costs = np.array([1.0, 1, 3, 3, 0])
    for given in (forest, mddag.as_ensemble(forest)):
        found = mddag.acquire(given, X[500:], y[500:], feature_costs=costs, beta=0.02)
        assert found.feature_cost(X).mean() < 8


def test_print_says_what_rows_pay():
    estimator, _, _ = bought()
    first, second, third = str(estimator).splitlines()
    assert first.startswith("MDDAGClassifier by acquire(")
    assert "features bought for" in second
    assert "full model" in third
