"""Metrics by scikit-learn's names."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import get_scorer

from mddag.metrics import D2, NDCG, R2, LogLoss, MeanAbsoluteError, Pinball, as_metric

NAMES = {
    "classifiers": ["accuracy", "roc_auc", "roc_auc_ovr", "neg_log_loss"],
    "regressors": [
        "r2",
        "neg_mean_squared_error",
        "neg_mean_absolute_error",
        "neg_mean_poisson_deviance",
        "neg_mean_gamma_deviance",
        "d2_absolute_error_score",
    ],
}


def test_a_name_means_what_it_means_in_scikit_learn():
    X, y = np.arange(6.0)[:, None], np.array([0, 1, 1, 0, 1, 0])
    model = DummyClassifier(strategy="prior").fit(X, y)
    for name in NAMES["classifiers"]:
        metric, expected = as_metric(name), get_scorer(name)(model, X, y)
        found = metric(model.predict_proba(X), y)
        assert found == pytest.approx(expected if metric.larger_is_better else -expected)
    y = np.array([1.0, 2, 4, 3, 2, 5])
    model = DummyRegressor(strategy="quantile", quantile=0.3).fit(X, y)
    for name in NAMES["regressors"]:
        metric, expected = as_metric(name), get_scorer(name)(model, X, y)
        found = metric(y, model.predict(X))
        assert found == pytest.approx(expected if metric.larger_is_better else -expected)


def test_metrics_stay_and_names_give_new_objects():
    for metric in (R2(), LogLoss(0.01), D2(MeanAbsoluteError()), Pinball(0.9), NDCG(5)):
        assert as_metric(metric) is metric
    as_metric("neg_log_loss").set_params(smallest=0.1)
    assert as_metric("neg_log_loss") == LogLoss()


@pytest.mark.parametrize(
    ("metric", "error", "words"),
    [
        ("f1", ValueError, "'f1'.*neg_log_loss"),
        ("neg_mean_pinball_loss", ValueError, r"Pinball\(0.9\)"),
        ("neg_mean_tweedie_deviance", ValueError, r"TweedieDeviance\(1.5\)"),
        ("neg_root_mean_squared_error", ValueError, r"MeanSquaredError\(\)"),
        ("ndcg", ValueError, "mddag.ranking"),
        (LogLoss, TypeError, "LogLoss"),
        (None, TypeError, "None"),
    ],
)
def test_others_are_refused_by_name(metric, error, words):
    with pytest.raises(error, match=words):
        as_metric(metric)
