"""Regressors that buy features."""

from functools import cache

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor

import mddag
from tests.tuning.costly import GROUPS

COSTS = {"cheap": 1.0, "dear": 5.0, 4: 0.0}


@cache
def rows(n=2400, seed=0):
    """The dear group matters where the cheap one is large; column 4 is free noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    return X, 2 * X[:, 0] + np.where(X[:, 0] > 0.5, 3 * X[:, 2], 0.0) + 0.1 * rng.normal(size=n)


@cache
def model():
    X, y = rows()
    return GradientBoostingRegressor(n_estimators=60, random_state=0).fit(X[:800], y[:800])


@cache
def bought(unlabelled=False, **given):
    X, y = rows()
    found = mddag.acquire(
        model(),
        X[800:1800],
        None if unlabelled else y[800:1800],
        feature_costs=COSTS,
        feature_groups=GROUPS,
        X_train=X[:800],
        y_train=y[:800],
        **(given or {"beta": 0.03}),
    )
    return found, X[1800:], y[1800:]


def test_it_pays_less_and_is_nearly_as_good():
    found, X, y = bought()
    assert isinstance(found, mddag.MDDAGRegressor)
    assert found.feature_cost(X).mean() < 4.5  # of 6
    assert found.score(X, y) > model().score(X, y) - 0.05
    paid = found.groups_bought(X)
    large = X[:, 0] > 0.7
    assert paid[large].all(axis=1).mean() > 0.9  # where the dear group matters, it is bought
    assert paid[X[:, 0] < 0].all(axis=1).mean() < 0.1


def test_no_row_reads_what_it_did_not_buy():
    found, X, _ = bought()
    hidden, prices = X.copy(), found.feature_prices
    for g, columns in enumerate(prices.columns):
        hidden[np.ix_(~found.groups_bought(X)[:, g], columns)] = 99.0
    np.testing.assert_array_equal(found.predict(hidden), found.predict(X))


def test_the_file_predicts_the_same_and_lazily(tmp_path):
    found, X, _ = bought()
    found.save(tmp_path / "model.mddag")
    served = mddag.load(tmp_path / "model.mddag")
    np.testing.assert_array_equal(served.predict(X), found.predict(X))
    columns = dict(zip(served.feature_prices.names, served.feature_prices.columns, strict=True))
    lazily = served.predict_lazy(lambda g, at: X[np.ix_(at, columns[g])], n_rows=len(X))
    np.testing.assert_array_equal(lazily, found.predict(X))


def test_a_budget_is_kept():
    found, X, _ = bought(budget=2.0)
    assert 0.5 < found.acquisition_.feature_cost <= 2.0
    assert found.feature_cost(X).mean() < 2.4


def test_a_bound_in_units_of_r2_is_certified():
    found, X, y = bought(max_loss=0.1)
    assert found.promise_.measure == "mean"
    assert found.feature_cost(X).mean() < 6.0
    assert model().score(X, y) - found.score(X, y) < 0.12
    loose, _, _ = bought(max_loss=0.1, confidence=None)
    assert loose.acquisition_.error - loose.acquisition_.full_error < 0.12


def test_the_model_is_its_own_teacher():
    found, X, y = bought(unlabelled=True, beta=0.03)
    assert found.acquisition_.error is None
    assert found.score(X, y) > model().score(X, y) - 0.05
    assert found.feature_cost(X).mean() < 4.5


def test_print_says_what_it_is():
    shown = str(bought()[0].acquisition_)
    assert "MDDAGRegressor by acquire(beta=0.03)" in shown
    assert "1 - R2" in shown
    assert "squared difference from the full model" in shown


@pytest.mark.filterwarnings("ignore:X has 800 rows")
def test_a_bare_ensemble_and_many_groups():
    X, y = rows()
    ensemble = mddag.as_ensemble(model())
    wide = np.hstack([X, np.random.default_rng(1).normal(size=(len(X), 5))])
    many = HistGradientBoostingRegressor(max_iter=30, random_state=0).fit(wide[:800], y[:800])
    found = mddag.acquire(many, wide[800:], y[800:], feature_costs=np.ones(10), budget=3.0)
    assert found.score(wide, y) > 0.5
    bare = mddag.acquire(ensemble, X[800:], y[800:], feature_costs=[1, 1, 5, 5, 0], budget=4.0)
    assert bare.score(X, y) > 0.5


def test_labels_cannot_disagree_and_log_links_are_refused():
    X, y = rows()
    given = {"feature_costs": COSTS, "feature_groups": GROUPS}
    with pytest.raises(ValueError, match="no labels to disagree on; give max_loss"):
        mddag.acquire(model(), X, y, **given, max_disagreement=0.01)
    poisson = HistGradientBoostingRegressor(loss="poisson", max_iter=5).fit(X, np.exp(y / 4))
    with pytest.raises(ValueError, match="predicts exp of its score"):
        mddag.acquire(poisson, X, np.exp(y / 4), **given, beta=0.01)
