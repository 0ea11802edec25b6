"""A result that is useless for what the model was made for never comes without a warning."""

import warnings

import numpy as np
import pytest
from catboost import CatBoostRegressor
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor
from xgboost import XGBRegressor

import mddag
from mddag.adapters import other_than_mean
from mddag.metrics import Accuracy, LogLoss
from mddag.solvers import Margin, Prefix

SMALL = {"n_estimators": 3, "verbose": -1, "min_child_samples": 2}
QUIET = {"iterations": 3, "verbose": 0, "allow_writing_files": False}


def own(targets, predictions):
    return predictions - targets, np.ones_like(targets)


@pytest.fixture(scope="module")
def numbers():
    random = np.random.default_rng(0)
    X = random.random((2_000, 3))
    return X, X[:, 0] + 0.1 * random.random(2_000)


@pytest.mark.parametrize(
    ("model", "objective"),
    [
        (LGBMRegressor(**SMALL), None),
        (LGBMRegressor(objective="tweedie", **SMALL), None),
        (LGBMRegressor(objective="quantile", alpha=0.9, **SMALL), "quantile:alpha=0.9"),
        (LGBMRegressor(objective="l1", **SMALL), "regression_l1"),
        (LGBMRegressor(objective=own, **SMALL), "an objective of your own"),
        (XGBRegressor(n_estimators=3), None),
        (
            XGBRegressor(n_estimators=3, objective="reg:quantileerror", quantile_alpha=0.2),
            "reg:quantileerror:alpha=0.2",
        ),
        (XGBRegressor(n_estimators=3, objective=own), "an objective of your own"),
        (CatBoostRegressor(**QUIET), None),
        (CatBoostRegressor(loss_function="Tweedie:variance_power=1.5", **QUIET), None),
        (CatBoostRegressor(loss_function="Quantile:alpha=0.9", **QUIET), "Quantile:alpha=0.9"),
        (CatBoostRegressor(loss_function="MAE", **QUIET), "MAE"),
        (HistGradientBoostingRegressor(max_iter=3), None),
        (
            HistGradientBoostingRegressor(max_iter=3, loss="quantile", quantile=0.9),
            "quantile:alpha=0.9",
        ),
        (GradientBoostingRegressor(n_estimators=3), None),
        (GradientBoostingRegressor(n_estimators=3, loss="huber"), "huber"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_objectives_other_than_the_mean_are_known(numbers, model, objective):
    X, y = numbers
    assert other_than_mean(model.fit(X[:200], y[:200])) == objective


def test_a_quantile_model_is_not_made_sparse_without_a_word(numbers):
    X, y = numbers
    model = LGBMRegressor(objective="quantile", alpha=0.9, **SMALL).fit(X[:500], y[:500])
    with pytest.warns(mddag.DoubtfulResult, match=r"quantile:alpha=0\.9"):
        mddag.sparsify(model, X[500:], y[500:], max_loss=0.05, confidence=None, solver=Prefix())


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


def test_a_bound_below_it_and_a_metric_of_probabilities_do_not(rare):
    X, y, model = rare
    held_out = X[2_000:], y[2_000:]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mddag.sparsify(model, *held_out, max_loss=0.001, confidence=None, solver=Margin())
        kept = mddag.sparsify(model, *held_out, max_loss=0.05, metric=LogLoss(), confidence=None)
    assert kept.predict_proba(X)[y == 1, 1].mean() > kept.predict_proba(X)[y == 0, 1].mean()
