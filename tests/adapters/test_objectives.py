"""Regressors keep the objective that they were trained for: its metric, and the link of scores."""

import warnings

import catboost
import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV

from mddag import DoubtfulResult, as_ensemble
from mddag.adapters import decision_threshold, metric_of_objective, monotone_columns, parts_of
from mddag.metrics import (
    D2,
    R2,
    GammaDeviance,
    MeanAbsoluteError,
    Pinball,
    PoissonDeviance,
    TweedieDeviance,
)

MAE, POISSON, GAMMA = D2(MeanAbsoluteError()), D2(PoissonDeviance()), D2(GammaDeviance())


def own(targets, predictions):
    return predictions - targets, np.ones_like(targets)


class Own:
    def calc_ders_range(self, approxes, targets, weights):
        return [(t - a, -1) for t, a in zip(targets, approxes, strict=True)]


def light(objective=None, **options):
    return lightgbm.LGBMRegressor(objective=objective, n_estimators=5, verbose=-1, **options)


def xgb(objective=None, **options):
    return xgboost.XGBRegressor(objective=objective, n_estimators=5, n_jobs=1, **options)


def cat(loss="RMSE", **options):
    quiet = {"verbose": 0, "allow_writing_files": False, "thread_count": 1}
    return catboost.CatBoostRegressor(loss_function=loss, iterations=5, **quiet, **options)


def histogram(loss, **options):
    return HistGradientBoostingRegressor(loss=loss, max_iter=5, **options)


def stages(loss, **options):
    return GradientBoostingRegressor(loss=loss, n_estimators=5, **options)


QUIET = [
    (light(), R2()),
    (light("l1"), MAE),
    (light("huber", alpha=0.7), MAE),
    (light("fair"), MAE),
    (light("quantile", alpha=0.9), D2(Pinball(0.9))),
    (light("poisson"), POISSON),
    (light("gamma"), GAMMA),
    (light("tweedie", tweedie_variance_power=1.3), D2(TweedieDeviance(1.3))),
    (xgb(), R2()),
    (xgb("reg:absoluteerror"), MAE),
    (xgb("reg:pseudohubererror"), MAE),
    (xgb("reg:quantileerror", quantile_alpha=0.2), D2(Pinball(0.2))),
    (xgb("count:poisson"), POISSON),
    (xgb("reg:gamma"), GAMMA),
    (xgb("reg:tweedie"), D2(TweedieDeviance(1.5))),
    (xgb("reg:tweedie", tweedie_variance_power=1.3), D2(TweedieDeviance(1.3))),
    (cat(), R2()),
    (cat("MAE"), MAE),
    (cat("Huber:delta=2"), MAE),
    (cat("LogCosh"), MAE),
    (cat("Lq:q=2"), R2()),
    (cat("Quantile"), D2(Pinball(0.5))),
    (cat("Quantile:alpha=0.9"), D2(Pinball(0.9))),
    (cat("Poisson"), POISSON),
    (cat("Tweedie:variance_power=1.3"), D2(TweedieDeviance(1.3))),
    (histogram("squared_error"), R2()),
    (histogram("absolute_error"), MAE),
    (histogram("quantile", quantile=0.9), D2(Pinball(0.9))),
    (histogram("poisson"), POISSON),
    (histogram("gamma"), GAMMA),
    (stages("squared_error"), R2()),
    (stages("absolute_error"), MAE),
    (stages("huber"), MAE),
    (stages("quantile", alpha=0.9), D2(Pinball(0.9))),
    (RandomForestRegressor(5), R2()),
    (RandomForestRegressor(5, criterion="absolute_error"), MAE),
    (ExtraTreesRegressor(5, criterion="poisson"), R2()),
]
DOUBTFUL = [
    (light("mape"), MAE, "mape.*sample_weight"),
    (light(own), R2(), "an objective of your own.*metric="),
    (xgb(own), R2(), "an objective of your own.*metric="),
    (xgb("reg:squaredlogerror"), R2(), "reg:squaredlogerror"),
    (cat("MAPE"), MAE, "MAPE.*sample_weight"),
    (cat("Expectile:alpha=0.8"), R2(), "Expectile:alpha=0.8"),
    (cat(Own(), eval_metric="RMSE"), R2(), "an objective of your own.*metric="),
]


@pytest.fixture(scope="module")
def amounts():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    return X, np.exp(0.7 * X[:, 0]) * rng.gamma(3, 1 / 3, 300)


@pytest.mark.parametrize(("model", "metric"), QUIET, ids=lambda value: type(value).__name__)
def test_the_metric_is_that_of_the_objective(amounts, model, metric):
    X, y = amounts
    model = model.fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DoubtfulResult)
        assert metric_of_objective(model) == metric
    ensemble = as_ensemble(model)
    means = ensemble.task.predictions(ensemble.scores(X))
    np.testing.assert_allclose(means, model.predict(X), rtol=1e-4)
    assert ensemble.task.link == ("exp" if "iance" in metric.name else "identity")


@pytest.mark.filterwarnings("ignore:Failed to import numba")
@pytest.mark.parametrize(
    ("model", "metric", "words"), DOUBTFUL, ids=lambda value: type(value).__name__
)
def test_objectives_without_a_metric_warn(amounts, model, metric, words):
    model = model.fit(*amounts)
    with pytest.warns(DoubtfulResult, match=words):
        assert metric_of_objective(model) == metric


@pytest.mark.parametrize(
    ("model", "metric", "names"),
    [
        (light("quantile", alpha=0.9), D2(Pinball(0.9)), ["m.txt"]),
        (light("tweedie", tweedie_variance_power=1.3), D2(TweedieDeviance(1.3)), ["m.txt"]),
        (xgb("reg:quantileerror", quantile_alpha=0.2), D2(Pinball(0.2)), ["m.json", "m.ubj"]),
        (xgb("count:poisson"), POISSON, ["m.json", "m.ubj"]),
        (cat("Quantile:alpha=0.9"), D2(Pinball(0.9)), ["m.json", "m.cbm"]),
        (cat("Poisson"), POISSON, ["m.json", "m.cbm"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_files_keep_it(amounts, tmp_path, model, metric, names):
    X, y = amounts
    model = model.fit(X, y)
    for name in names:
        path = str(tmp_path / name)
        if hasattr(model, "booster_"):
            model.booster_.save_model(path)
        elif name == "m.json" and hasattr(model, "get_all_params"):
            model.save_model(path, format="json")
        else:
            model.save_model(path)
        assert metric_of_objective(parts_of(path).model) == metric
        ensemble = as_ensemble(path)
        means = ensemble.task.predictions(ensemble.scores(X))
        np.testing.assert_allclose(means, model.predict(X), rtol=1e-4)


def test_boosters_and_models_without_an_objective(amounts):
    X, y = amounts
    booster = light("quantile", alpha=0.9).fit(X, y).booster_
    assert metric_of_objective(booster) == D2(Pinball(0.9))
    booster = xgb("count:poisson").fit(X, y).get_booster()
    assert metric_of_objective(booster) == POISSON
    assert metric_of_objective(as_ensemble(booster)) == R2()


@pytest.mark.parametrize(
    "model",
    [
        light(monotone_constraints=[1, 0, -1]),
        xgb(monotone_constraints=(1, 0, -1)),
        xgb(monotone_constraints=(1, 0, -1), booster="dart"),
        cat(monotone_constraints={0: 1, 2: -1}),
        histogram("squared_error", monotonic_cst=[1, 0, -1]),
        RandomForestRegressor(5, monotonic_cst=[1, 0, -1]),
    ],
    ids=lambda model: type(model).__name__,
)
def test_columns_with_monotone_constraints(amounts, model):
    X, y = amounts
    assert monotone_columns(model.fit(X, y)) == {0: 1, 2: -1}
    for name in ("booster_", "get_booster"):
        inner = getattr(model, name, None)
        if inner is not None:
            assert monotone_columns(inner() if callable(inner) else inner) == {0: 1, 2: -1}


def test_columns_with_monotone_constraints_by_name_and_from_files(amounts, tmp_path):
    X, y = amounts
    frame = pd.DataFrame(X, columns=list("abc"))
    for model in (
        histogram("squared_error", monotonic_cst={"c": -1}),
        xgb(monotone_constraints={"c": -1}),
        cat(monotone_constraints={"c": -1}),
    ):
        assert monotone_columns(model.fit(frame, y)) == {2: -1}
    model.save_model(str(tmp_path / "m.cbm"))
    assert monotone_columns(parts_of(str(tmp_path / "m.cbm")).model) == {2: -1}
    model = light(monotone_constraints=[0, 0, -1]).fit(X, y)
    model.booster_.save_model(str(tmp_path / "m.txt"))
    assert monotone_columns(parts_of(str(tmp_path / "m.txt")).model) == {2: -1}


@pytest.mark.parametrize(
    "model",
    [light(), xgb(), xgb(booster="gblinear"), cat(), histogram("squared_error"), stages("huber")],
    ids=lambda model: type(model).__name__,
)
def test_models_without_monotone_constraints(amounts, model):
    X, y = amounts
    assert monotone_columns(model.fit(X, y)) == {}
    if "linear" not in str(getattr(model, "booster", "")):
        assert monotone_columns(as_ensemble(model)) == {}


def test_thresholds_of_wrappers(amounts):
    X, y = amounts
    y = (y > 1.5).astype(int)
    plain = AdaBoostClassifier(n_estimators=5, random_state=0).fit(X, y)
    assert decision_threshold(plain) is None
    for labels, positive in ((y, 1), (y, 0), (np.array(["no", "yes"])[y], "no"), (2 - y, None)):
        fixed = FixedThresholdClassifier(plain, threshold=0.45, pos_label=positive)
        tuned = TunedThresholdClassifierCV(plain, scoring="balanced_accuracy", cv=2)
        for wrapper in (fixed, tuned)[: 1 + (positive in (1, None))]:
            wrapper.fit(X, labels)
            p = wrapper.predict_proba(X)[:, 1]
            expected = np.where(p >= decision_threshold(wrapper), *wrapper.classes_[::-1])
            np.testing.assert_array_equal(wrapper.predict(X), expected)
    assert decision_threshold(FixedThresholdClassifier(plain)) is None
    boosted = catboost.CatBoostClassifier(iterations=2, verbose=0, allow_writing_files=False)
    assert decision_threshold(boosted.fit(X, y)) is None
    boosted.set_probability_threshold(0.3)
    assert decision_threshold(boosted) == 0.3
    p = boosted.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(boosted.predict(X), p > 0.3)
    by_score = FixedThresholdClassifier(plain, threshold=1, response_method="decision_function")
    with pytest.raises(ValueError, match=r"decision_function.*predict_proba"):
        decision_threshold(by_score)
