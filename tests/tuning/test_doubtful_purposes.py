"""A result that is useless for what the model was made for never comes without a warning."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from catboost import CatBoostClassifier
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBRegressor

import mddag
from mddag.metrics import D2, Accuracy, LogLoss, Pinball
from mddag.solvers import Margin, Prefix

SMALL = {"n_estimators": 3, "verbose": -1, "min_child_samples": 2}


def quantile_rows(n):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 4))
    return X, X[:, 0] + random.gamma(2, 0.5 + 0.5 * np.abs(X[:, 1]))


@pytest.mark.parametrize(
    "model",
    [
        LGBMRegressor(objective="quantile", alpha=0.9, n_estimators=60, num_leaves=8, verbose=-1),
        XGBRegressor(
            objective="reg:quantileerror", quantile_alpha=0.9, n_estimators=60, max_depth=3
        ),
        HistGradientBoostingRegressor(loss="quantile", quantile=0.9, max_iter=60, max_leaf_nodes=8),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_quantile_stays_a_quantile(model):
    X, y = quantile_rows(9_000)
    model.fit(X[:3_000], y[:3_000])
    fast = mddag.sparsify(model, X[3_000:6_000], y[3_000:6_000], max_loss=0.02, confidence=None)
    full, sparse = (m.predict(X[6_000:]) for m in (model, fast))
    pinball, truth = D2(Pinball(0.9)), y[6_000:]
    assert fast.n_evaluated(X).mean() < 40
    assert np.mean(truth <= sparse) == pytest.approx(0.9, abs=0.03)
    assert pinball(truth, sparse) > pinball(truth, full) - 0.03
    assert fast.result_.bounds[0].name == pinball.name
    assert fast.result_.metric(pinball.name).full == pytest.approx(pinball(truth, full), abs=0.05)
    assert fast.result_.metric("targets covered").sparse == pytest.approx(0.9, abs=0.03)


def test_deviances_want_their_targets():
    X, y = quantile_rows(3_000)
    model = LGBMRegressor(objective="poisson", **SMALL).fit(X, np.maximum(y, 0))
    with pytest.raises(ValueError, match=r"y\[\d+\] is -.*0 or more"):
        mddag.sparsify(model, X, y, max_loss=0.02)


@pytest.fixture(scope="module")
def rare():
    random = np.random.default_rng(0)
    X = random.normal(size=(4_000, 4))
    y = (X[:, 0] + 0.3 * random.normal(size=4_000) > 2.4).astype(int)
    return X, y, LGBMClassifier(n_estimators=10, verbose=-1).fit(X[:2_000], y[:2_000])


def test_a_bound_above_the_share_of_a_class_warns(rare):
    X, y, model = rare
    held_out = X[2_000:], y[2_000:]
    with pytest.warns(mddag.DoubtfulResult, match="share of class 1"):
        mddag.sparsify(
            model, *held_out, max_loss=0.05, metric=Accuracy(), confidence=None, solver=Margin()
        )


@pytest.mark.filterwarnings("ignore::mddag.DoubtfulResult")
def test_by_default_the_ranking_of_rare_rows_is_protected(rare):
    X, y, model = rare
    fast, labels_alone = (
        mddag.sparsify(model, X[2_000:], y[2_000:], max_loss=0.02, metric=metric, confidence=None)
        for metric in (None, "accuracy")
    )
    lost, lost_alone = (
        found.metric("ROC AUC").full - found.metric("ROC AUC").sparse
        for found in (fast.result_, labels_alone.result_)
    )
    assert lost <= 0.02 < lost_alone
    assert [bound.name for bound in fast.result_.bounds] == ["accuracy", "ROC AUC"]


@pytest.mark.filterwarnings("ignore::mddag.DoubtfulResult")
def test_a_ranking_of_one_class_cannot_be_protected(rare):
    X, y, model = rare
    known = np.flatnonzero(y[:2_000] == 0)
    with pytest.warns(mddag.DoubtfulResult, match="not ROC AUC"):
        fast = mddag.sparsify(
            model, X[known], y[known], max_loss=0.02, confidence=None, solver=Margin()
        )
    assert [bound.name for bound in fast.result_.bounds] == ["accuracy"]


@pytest.mark.filterwarnings("ignore::mddag.DoubtfulResult")
def test_a_guaranteed_ranking_of_a_few_rows_of_a_class_is_doubtful(rare):
    X, y, model = rare
    kept = np.concatenate([np.flatnonzero(y == 0), np.flatnonzero(y)[:20]])
    for asked in ({}, {"metric": "roc_auc"}):
        with pytest.warns(mddag.DoubtfulResult, match="may not hold for ROC AUC"):
            mddag.sparsify(model, X[kept], y[kept], max_loss=0.05, solver=Margin(), **asked)


def test_decisions_at_a_threshold_are_protected():
    X, y = make_classification(9_000, 8, n_informative=5, weights=[0.8], random_state=0)
    model = LGBMClassifier(n_estimators=80, num_leaves=8, verbose=-1).fit(X[:3_000], y[:3_000])
    with pytest.warns(mddag.DoubtfulResult, match=r"own decide otherwise there on 1\.\d % of"):
        fast = mddag.sparsify(model, X[3_000:6_000], y[3_000:6_000], max_loss=0.02, threshold=0.2)
    accuracy, ranking = fast.result_.bounds
    assert (accuracy.name, ranking.name) == ("accuracy at threshold 0.2", "ROC AUC")
    wrong = [np.mean((m.predict_proba(X[6_000:])[:, 1] > 0.2) != y[6_000:]) for m in (model, fast)]
    assert wrong[1] < wrong[0] + 0.03
    assert fast.n_evaluated(X).mean() < 60
    for threshold, metric in ((0.0, None), (0.2, LogLoss())):
        with pytest.raises(ValueError, match=f"threshold is {threshold}"):
            mddag.sparsify(model, X, y, max_loss=0.1, threshold=threshold, metric=metric)


def binary(n_rows=6_000):
    return make_classification(n_rows, 8, n_informative=5, weights=[0.8], random_state=0)


def boosted_with_threshold(X, y):
    model = CatBoostClassifier(iterations=40, verbose=0, allow_writing_files=False).fit(X, y)
    model.set_probability_threshold(0.2)
    return model


@pytest.mark.parametrize(
    "fit",
    [
        lambda X, y: FixedThresholdClassifier(
            make_pipeline(StandardScaler(), LGBMClassifier(n_estimators=60, verbose=-1)),
            threshold=0.2,
        ).fit(X, y),
        lambda X, y: FixedThresholdClassifier(
            FrozenEstimator(LGBMClassifier(n_estimators=60, verbose=-1).fit(X, y)), threshold=0.2
        ).fit(X, y),
        lambda X, y: TunedThresholdClassifierCV(
            GradientBoostingClassifier(n_estimators=40), cv=0.5, random_state=0
        ).fit(X, y),
        boosted_with_threshold,
    ],
    ids=["fixed", "frozen", "tuned", "catboost"],
)
@pytest.mark.parametrize("target", [{"max_loss": 0.02}, {"max_disagreement": 0.03}])
def test_the_threshold_of_a_model_is_protected_and_said(fit, target):
    X, y = binary()
    labels = np.array(["no", "yes"])[y]
    model = fit(X[:2_000], labels[:2_000])
    with pytest.warns(mddag.DoubtfulResult, match="decides for 'yes' at probability") as caught:
        fast = mddag.sparsify(model, X[2_000:5_000], labels[2_000:5_000], solver=Margin(), **target)
    threshold = float(re.search(r"threshold=([\d.e-]+)\)", str(caught[0].message))[1])
    assert f"at threshold {threshold:g}" in fast.result_.bounds[0].name
    decides = FixedThresholdClassifier(FrozenEstimator(fast), threshold=threshold).fit(X, labels)
    same = decides.predict(X[5_000:]) == np.ravel(model.predict(X[5_000:]))
    assert same.mean() > 0.94
    named = fast.result_.metric(f"accuracy at threshold {threshold:g}")
    assert abs(named.full - np.mean(np.ravel(model.predict(X)) == labels)) < 0.03
    np.testing.assert_array_equal(fast.predict(X), fast.classes_[fast.predict_proba(X).argmax(1)])


@pytest.mark.parametrize("columns", [None, list("abcdefgh")])
def test_broken_monotone_constraints_are_said_and_a_prefix_keeps_them(columns):
    X, y = binary()
    X = X if columns is None else pd.DataFrame(X, columns=columns)
    model = LGBMClassifier(n_estimators=60, verbose=-1, monotone_constraints=[0, 1] + [0] * 6)
    model.fit(X[:2_000], y[:2_000])
    held_out = X[2_000:], y[2_000:]
    name = "1" if columns is None else "'b'"
    with pytest.warns(mddag.DoubtfulResult, match=rf"constraints.* {name} \(\d+ %\).*Prefix\(\)"):
        mddag.sparsify(model, *held_out, budget=10, solver=Margin())
    with pytest.warns(mddag.DoubtfulResult, match="monotone constraints"):
        mddag.MDDAGClassifier(model, beta=1e-3, solver=Margin()).fit(*held_out)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kept = mddag.sparsify(model, *held_out, budget=10, solver=Prefix())
    grid = np.repeat(np.array(X)[None, :100], 20, axis=0)
    grid[:, :, 1] = np.linspace(-4, 4, 20)[:, None]
    grid = grid.reshape(-1, 8)
    p = kept.predict_proba(grid if columns is None else pd.DataFrame(grid, columns=columns))[:, 1]
    assert (np.diff(p.reshape(20, 100), axis=0) >= 0).all()
    assert np.ptp(p) > 0


def test_a_bound_below_it_and_a_metric_of_probabilities_do_not(rare):
    X, y, model = rare
    held_out = X[2_000:], y[2_000:]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mddag.sparsify(model, *held_out, max_loss=0.001, confidence=None, solver=Margin())
        kept = mddag.sparsify(model, *held_out, max_loss=0.05, metric=LogLoss(), confidence=None)
    assert kept.predict_proba(X)[y == 1, 1].mean() > kept.predict_proba(X)[y == 0, 1].mean()
