"""acquire: a trained model and prices in, an estimator that buys what a row needs out."""

from functools import cache

import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)

import mddag
from mddag import PurchaseDisplay
from mddag.adapters import metric_of_objective
from mddag.metrics import Accuracy, LogLoss, RocAuc
from tests.acquisition.costly import COSTS, GROUPS, bought, model, rows

pytestmark = pytest.mark.filterwarnings("ignore::mddag.DoubtfulResult")


@cache
def numbers(n=2400, seed=0):
    """The expensive group matters where the cheap one is large; column 4 is free noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    return X, 2 * X[:, 0] + np.where(X[:, 0] > 0.5, 3 * X[:, 2], 0.0) + 0.1 * rng.normal(size=n)


@cache
def regressor():
    X, y = numbers()
    return GradientBoostingRegressor(n_estimators=60, random_state=0).fit(X[:800], y[:800])


@cache
def bought_numbers(unlabelled=False, **given):
    X, y = numbers()
    found = mddag.acquire(
        regressor(),
        X[800:1800],
        None if unlabelled else y[800:1800],
        feature_costs=COSTS,
        feature_groups=GROUPS,
        X_train=X[:800],
        y_train=y[:800],
        **(given or {"beta": 0.03}),
    )
    return found, X[1800:], y[1800:]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_costs_less_and_is_nearly_as_good(n_classes):
    estimator, X, y = bought(n_classes)
    assert 0 < estimator.feature_cost(X).mean() < 5
    full = np.mean(model(n_classes).predict(X) != y)
    assert np.mean(estimator.predict(X) != y) < full + 0.05
    assert estimator.groups_bought(X).shape == (len(X), 3)
    assert estimator.result_.acquired.full_cost == 6.0
    assert [m.name for m in estimator.result_.metrics] == ["accuracy", "ROC AUC", "log-loss"]
    assert estimator.result_.metric("accuracy").full == pytest.approx(1 - full, abs=0.03)
    proba = estimator.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(estimator.classes_[proba.argmax(axis=1)], estimator.predict(X))


def test_regressors_pay_less_and_are_nearly_as_good():
    found, X, y = bought_numbers()
    assert isinstance(found, mddag.MDDAGRegressor)
    assert found.feature_cost(X).mean() < 4.5  # of 6
    assert found.score(X, y) > regressor().score(X, y) - 0.05
    paid = found.groups_bought(X)
    assert paid[X[:, 0] > 0.7].all(axis=1).mean() > 0.9  # where the expensive group matters
    assert paid[X[:, 0] < 0].all(axis=1).mean() < 0.1


@pytest.mark.parametrize(
    "made", [lambda: bought(2), lambda: bought(3), bought_numbers], ids=["2", "3", "numbers"]
)
def test_no_row_reads_what_it_did_not_buy_and_a_file_fetches_the_same(made, tmp_path):
    estimator, X, _ = made()
    prices, groups, hidden = estimator.feature_prices, estimator.groups_bought(X), X.copy()
    for g, columns in enumerate(prices.columns):
        hidden[np.ix_(~groups[:, g], columns)] = 1e9
    np.testing.assert_array_equal(estimator.scores(hidden), estimator.scores(X))
    estimator.save(tmp_path / "model.mddag")
    served = mddag.load(tmp_path / "model.mddag")
    np.testing.assert_array_equal(served.predict(X), estimator.predict(X))
    columns = dict(zip(prices.names, prices.columns, strict=True))
    asked = np.zeros((len(X), prices.n_groups), bool)

    def fetch(group, wanted):
        asked[wanted, prices.names.index(group)] = True
        return X[np.ix_(wanted, columns[group])]

    lazily = served.predict_lazy(fetch, n_rows=len(X))
    np.testing.assert_array_equal(lazily, estimator.predict(X))
    np.testing.assert_array_equal(asked, groups)


@pytest.mark.parametrize("made", [bought, bought_numbers])
def test_a_budget_is_kept_on_held_out_rows(made):
    estimator, X, _ = made(budget=2.0)
    assert 0.5 < estimator.result_.acquired.feature_cost <= 2.0
    assert estimator.feature_cost(X).mean() < 2.4


def test_a_budget_below_every_policy_buys_nothing():
    X, y = rows()
    given = {"feature_costs": np.ones(5), "budget": 1e-6}
    with pytest.warns(mddag.DoubtfulResult, match="budget=1e-06.* evaluates nothing"):
        found = mddag.acquire(model(), X[500:], y[500:], **given)
    assert not found.feature_cost(X).any()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_by_default_labels_and_ranking_are_certified(n_classes):
    found, X, y = bought(n_classes, max_loss=0.05)
    assert [bound.name for bound in found.result_.bounds] == ["accuracy", "ROC AUC"]
    assert (found.result_.value, found.result_.n_rows) == (0.05, 300)
    assert found.feature_cost(X).mean() < 5.5  # of 6
    of_full, of_found = (m.predict_proba(X) for m in (model(n_classes), found))
    for metric in (Accuracy(), RocAuc()):
        assert metric(of_found, y) > metric(of_full, y) - 0.08


def test_labels_agree_as_often_as_asked():
    strict, X, _ = bought(max_disagreement=0.01)
    assert np.mean(strict.predict(X) != model().predict(X)) < 0.02
    loose, X, _ = bought(max_loss=0.05, confidence=None)
    assert loose.result_.confidence is None
    assert loose.feature_cost(X).mean() < 6


@cache
def bought_for_rare(**given):
    """A model of a class that four rows in a hundred have, and the loss of its ROC AUC."""
    X, _ = rows(2, 6000)
    signal = np.where(np.abs(X[:, 0]) > 0.6, X[:, 0], X[:, 2])
    y = (signal + np.random.default_rng(1).normal(size=len(X)) * 0.3 > 1.9).astype(int)
    full = GradientBoostingClassifier(n_estimators=20, random_state=0).fit(X[:2000], y[:2000])
    found = mddag.acquire(
        full,
        X[2000:4000],
        y[2000:4000],
        feature_costs=COSTS,
        feature_groups=GROUPS,
        X_train=X[:2000],
        y_train=y[:2000],
        max_loss=0.05,
        confidence=None,
        **given,
    )
    X, y = X[4000:], y[4000:]
    return found, X, RocAuc()(full.predict_proba(X), y) - RocAuc()(found.predict_proba(X), y)


def test_rare_rows_keep_their_rank_unless_labels_alone_are_protected():
    found, X, lost = bought_for_rare()
    assert lost < 0.08
    labels_alone, _, lost_alone = bought_for_rare(metric="accuracy")
    assert lost_alone > 0.2  # nothing is bought
    assert labels_alone.feature_cost(X).mean() < 0.1 < found.feature_cost(X).mean() < 6
    assert [bound.name for bound in labels_alone.result_.bounds] == ["accuracy"]


def test_decisions_at_a_threshold_and_other_metrics_are_protected():
    found, X, y = bought(max_loss=0.05, threshold=0.2)
    assert found.result_.bounds[0].name == "accuracy at threshold 0.2"
    wrong = [np.mean((m.predict_proba(X)[:, 1] > 0.2) != y) for m in (model(), found)]
    assert wrong[1] < wrong[0] + 0.08
    same, X, _ = bought(max_disagreement=0.05, threshold=0.2, confidence=None)
    of_full, of_same = (m.predict_proba(X)[:, 1] > 0.2 for m in (model(), same))
    assert np.mean(of_full != of_same) < 0.08
    found, X, y = bought(max_loss=0.1, metric="neg_log_loss", confidence=None)
    assert [bound.name for bound in found.result_.bounds] == ["log-loss"]
    full, sparse = (LogLoss()(m.predict_proba(X), y) for m in (model(), found))
    assert sparse < full + 0.15
    assert found.feature_cost(X).mean() < 6


@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize(
    ("objective", "name"),
    [
        ({"loss": "quantile", "quantile": 0.9}, "D2 of the pinball loss (0.9)"),
        ({"loss": "absolute_error"}, "D2 of the mean absolute error"),
        ({"loss": "poisson"}, "D2 of the Poisson deviance"),
    ],
)
def test_regressors_keep_their_objective(objective, name, bare):
    X, y = numbers(4000)
    y = np.random.default_rng(0).poisson(np.exp(0.4 * y)).astype(float)
    full = HistGradientBoostingRegressor(max_iter=30, **objective).fit(X[:1500], y[:1500])
    found = mddag.acquire(
        mddag.as_ensemble(full) if bare else full,
        X[1500:3000],
        y[1500:3000],
        feature_costs=COSTS,
        feature_groups=GROUPS,
        X_train=X[:1500],
        y_train=y[:1500],
        max_loss=0.1,
        confidence=None,
        metric=metric_of_objective(full) if bare else None,
    )
    assert [bound.name for bound in found.result_.bounds] == [name]
    assert found.result_.metric(name).sparse > found.result_.metric(name).full - 0.12
    X, y = X[3000:], y[3000:]
    assert found.feature_cost(X).mean() < 6
    own = metric_of_objective(full)
    assert own(y, found.predict(X)) > own(y, full.predict(X)) - 0.15
    if "quantile" in objective:
        assert np.mean(y <= found.predict(X)) > 0.82


def test_a_bound_in_units_of_r2_is_certified():
    found, X, y = bought_numbers(max_loss=0.1)
    assert found.result_.bounds[0].name == "R2"
    assert found.feature_cost(X).mean() < 6.0
    assert regressor().score(X, y) - found.score(X, y) < 0.12
    loose, _, _ = bought_numbers(max_loss=0.1, confidence=None)
    assert loose.result_.bounds[0].lost < 0.12


def test_without_labels_the_model_is_the_truth():
    X, _ = rows()
    costs = {0: 1, 1: 1, 2: 3, 3: 3, 4: 1}
    found = mddag.acquire(model(), X[500:1100], feature_costs=costs, beta=0.01)
    assert found.result_.against == "model"
    assert found.result_.metrics == ()
    assert "disagreement" in str(found)
    assert np.mean(found.predict(X[1100:]) == model().predict(X[1100:])) > 0.85
    found, X, y = bought_numbers(unlabelled=True, beta=0.03)
    assert found.result_.metrics == ()
    assert found.score(X, y) > regressor().score(X, y) - 0.05
    assert found.feature_cost(X).mean() < 4.5


def test_frames_and_names():
    iris = load_iris(as_frame=True)
    X, y = iris.data, iris.target
    fitted = GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X, y)
    prices = dict(zip(X.columns, [1.0, 1.0, 2.0, 2.0], strict=True))
    found = mddag.acquire(fitted, X, y, feature_costs=prices, beta=0.01)
    assert np.mean(found.predict(X) == y) > 0.9
    assert found.feature_names_in_.tolist() == list(X.columns)


def test_waves_are_paid():
    X, y = rows()
    given = {"feature_groups": GROUPS, "feature_costs": COSTS}
    found = mddag.acquire(model(), X[500:], y[500:], **given, wave_cost=0.5, beta=0.02)
    trace = found.trace(X)
    paid = trace.groups @ found.dag_.purchases.prices.costs + 0.5 * trace.waves
    np.testing.assert_allclose(trace.feature_cost, paid)


def test_the_same_seed_gives_the_same_policy():
    one, two = (bought.__wrapped__(2, beta=0.03)[0] for _ in range(2))
    np.testing.assert_array_equal(one.policy_.actions, two.policy_.actions)


def test_forests_bare_ensembles_and_many_groups_are_taken():
    X, y = rows()
    forest = RandomForestClassifier(10, max_depth=4, random_state=0).fit(X[:500], y[:500])
    for given in (forest, mddag.as_ensemble(forest)):
        found = mddag.acquire(given, X[500:], y[500:], feature_costs=[1, 1, 3, 3, 0], beta=0.02)
        assert found.feature_cost(X).mean() < 8
    X, y = numbers()
    wide = np.hstack([X, np.random.default_rng(1).normal(size=(len(X), 5))])
    many = HistGradientBoostingRegressor(max_iter=30, random_state=0).fit(wide[:800], y[:800])
    found = mddag.acquire(many, wide[800:], y[800:], feature_costs=np.ones(10), budget=3.0)
    assert found.score(wide, y) > 0.5
    ensemble = mddag.as_ensemble(regressor())
    bare = mddag.acquire(ensemble, X[800:], y[800:], feature_costs=[1, 1, 5, 5, 0], budget=4.0)
    assert bare.score(X, y) > 0.5


def test_print_says_what_rows_pay():
    shown = str(bought()[0])
    assert shown.startswith("Sparse decision DAG (MDDAGClassifier, acquire(")
    assert "features bought" in shown
    shown = str(bought_numbers()[0])
    assert "MDDAGRegressor, acquire(beta=0.03)" in shown
    assert "R2" in shown


def test_threads_change_nothing_and_progress_is_shown(capfd):
    X, y = make_classification(600, 4, n_informative=3, n_redundant=0, random_state=0)
    model = GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X[:200], y[:200])
    one, two = (
        mddag.acquire(model, X[200:], y[200:], feature_costs=[1, 1, 5, 5], budget=4.0, **how)
        for how in ({}, {"n_jobs": 2, "verbose": True})
    )
    assert "acquire: 2/2" in capfd.readouterr().err
    assert two.n_jobs == 2
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


# PurchaseDisplay.


def test_flows_are_those_of_the_rows():
    estimator, X, _ = bought()
    trace = estimator.trace(X)
    shown = PurchaseDisplay.from_trace(trace, estimator.dag_.purchases)
    paid = estimator.dag_.purchases.prices.paid
    assert sum(shown.last_.values()) == len(X)
    for held, n in shown.last_.items():
        rows = [set(row.nonzero()[0].tolist()) == set(held) for row in trace.groups & paid]
        assert sum(rows) == n
    assert sum(shown.flows_.values()) == trace.waves.sum()
    assert shown.ax_.get_xlabel() == "price of the groups bought"
    assert any("quit" in text.get_text() for text in shown.ax_.texts)
    plt.close("all")


def test_what_is_no_trace_is_refused():
    with pytest.raises(TypeError, match=r"trace is .*; wanted a Trace"):
        PurchaseDisplay(3, None)
