"""What a model was trained to do besides its scores: objective, monotone columns, threshold.

A sparse model that ignored them would be useless without a word: learned by squared errors, a model
of a quantile becomes a model of the mean.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from mddag._utils.warnings import doubt
from mddag.adapters.adapter import lineage
from mddag.metrics.regression import (
    D2,
    R2,
    GammaDeviance,
    MeanAbsoluteError,
    Pinball,
    PoissonDeviance,
    RegressionMetric,
    TweedieDeviance,
)

OWN = "an objective of your own"
_SQUARED = {
    *("regression", "cross_entropy", "cross_entropy_lambda"),
    *("reg:squarederror", "reg:logistic", "reg:linear"),
    *("RMSE", "RMSEWithUncertainty", "Lq:q=2"),
    # trees of a forest are split by it, but their votes are means; their partial sums may be
    # negative, where the deviance is not defined
    *("squared_error", "friedman_mse", "criterion poisson"),
}
# The Huber loss and its kin are chosen so that outliers do not count, as in the absolute error
_ABSOLUTE = {
    *("regression_l1", "huber", "fair", "reg:absoluteerror", "reg:pseudohubererror"),
    *("MAE", "Huber", "LogCosh", "Lq:q=1", "absolute_error"),
}
_PERCENT = {"mape", "MAPE"}
_POISSON = {"poisson", "count:poisson", "Poisson"}
_GAMMA = {"gamma", "reg:gamma"}
_TWEEDIE = {"tweedie", "reg:tweedie", "Tweedie"}
_QUANTILE = {"quantile", "reg:quantileerror", "Quantile"}
_METRICS: dict[str, Callable[[float | None], RegressionMetric]] = {
    **dict.fromkeys(_SQUARED, lambda value: R2()),
    **dict.fromkeys(_ABSOLUTE | _PERCENT, lambda value: D2(MeanAbsoluteError())),
    **dict.fromkeys(_POISSON, lambda value: D2(PoissonDeviance())),
    **dict.fromkeys(_GAMMA, lambda value: D2(GammaDeviance())),
    **dict.fromkeys(_TWEEDIE, lambda power: D2(TweedieDeviance(1.5 if power is None else power))),
    **dict.fromkeys(_QUANTILE, lambda alpha: D2(Pinball(0.5 if alpha is None else alpha))),
}


def metric_of_objective(model: Any) -> RegressionMetric:
    """Return the metric of what a fitted regressor was trained for: R2, or D2 of another metric.

    As a share of what the best constant loses it has no unit, so that max_loss means the same for
    any model. Objectives without a metric of their own warn and get the nearest one.
    """
    objective = objective_of(model)
    if objective is None:
        return R2()
    name, _, parameter = objective.partition("=")
    name, value = (name.rpartition(":")[0], float(parameter)) if parameter else (name, None)
    if name in _PERCENT:
        doubt(
            f"the model was trained for {objective}, the error relative to the target, but the "
            "policy is learned and bounded by the absolute error, so large targets count more "
            "than they did; give sample_weight=1 / abs(y) to weight rows as the model does, or a "
            "metric= of mddag.metrics"
        )
    metric = _METRICS.get(objective) or _METRICS.get(name)
    if metric is not None:
        return metric(value)
    doubt(
        f"the model was trained for {objective}, for which mddag has no metric, so the policy is "
        "learned and bounded by R2 and predictions move towards the mean; if they are not means, "
        "say what they are: metric=Pinball(0.9), MeanAbsoluteError() or another of mddag.metrics"
    )
    return R2()


def objective_of(model: Any) -> str | None:
    """Return the objective as its library names it, with its parameter, such as quantile:alpha=0.9.

    None stands for models that have none.
    """
    classes = lineage(model)
    if not classes.isdisjoint({"lightgbm.LGBMModel", "lightgbm.Booster"}):
        return _of_lightgbm(getattr(model, "booster_", model))
    if not classes.isdisjoint({"xgboost.XGBModel", "xgboost.Booster"}):
        return _of_xgboost(model)
    if "catboost.CatBoost" in classes:
        name = str(model.get_all_params().get("loss_function", "RMSE"))
        return OWN if name.startswith("PythonUserDefined") else _of_catboost(name)
    loss, criterion = (getattr(model, name, None) for name in ("loss", "criterion"))
    if isinstance(loss, str):
        quantile = getattr(model, "quantile", None) or getattr(model, "alpha", None)
        return f"quantile:alpha={quantile:g}" if loss == "quantile" else loss
    if not isinstance(criterion, str):
        return None
    return "criterion poisson" if criterion == "poisson" else criterion


def monotone_columns(model: Any) -> dict[int, int]:
    """Return the columns in which a fitted model had to be monotone: 1 if rising, -1 if falling.

    Files of XGBoost do not record constraints.
    """
    classes = lineage(model)
    signs: Any
    if not classes.isdisjoint({"lightgbm.LGBMModel", "lightgbm.Booster"}):
        text = getattr(model, "booster_", model).model_to_string(num_iteration=1)
        line = re.search(r"^monotone_constraints=(.+)$", text, re.MULTILINE)
        signs = line[1].split() if line else []
    elif not classes.isdisjoint({"xgboost.XGBModel", "xgboost.Booster"}):
        config = _xgboost_config(model)["gradient_booster"]
        trees = config.get("gbtree", config)  # of dart
        signs = re.findall(
            r"-?\d", trees.get("tree_train_param", {}).get("monotone_constraints", "")
        )
    elif "catboost.CatBoost" in classes:
        signs = model.get_all_params().get("monotone_constraints") or {}
    else:
        signs = getattr(model, "monotonic_cst", None)
        signs = {} if signs is None else signs
        if isinstance(signs, dict) and signs:
            names = model.feature_names_in_.tolist()
            signs = {names.index(name): sign for name, sign in signs.items()}
    pairs = signs.items() if isinstance(signs, dict) else enumerate(signs)
    return dict(sorted((int(column), int(sign)) for column, sign in pairs if int(sign) != 0))


def decision_threshold(model: Any) -> float | None:
    """Return the probability of ``classes_[1]`` at which a model was told to decide for it.

    None stands for 1/2, and for models other than TunedThresholdClassifierCV,
    FixedThresholdClassifier and CatBoost's classifiers.
    """
    classes = lineage(model)
    if "catboost.CatBoostClassifier" in classes and model.is_fitted() and len(model.classes_) == 2:
        chosen = float(model.get_probability_threshold())
        return None if chosen == 0.5 else chosen
    if "sklearn.BaseThresholdClassifier" not in classes:
        return None
    if hasattr(model, "best_threshold_"):
        threshold, positive = model.best_threshold_, model._curve_scorer._get_pos_label()
    else:
        threshold, positive = model.threshold, model.pos_label
    if threshold == "auto":
        return None
    method = model.response_method
    if method == "decision_function" or not hasattr(model.estimator, "predict_proba"):
        raise ValueError(
            f"this {type(model).__name__} decides at {threshold:g} of decision_function; mddag "
            "moves decisions by probability: fit it with response_method='predict_proba'"
        )
    is_first = positive is not None and positive == model.classes_[0]
    chosen = 1 - float(threshold) if is_first else float(threshold)
    return None if chosen == 0.5 else chosen


def _of_lightgbm(booster: Any) -> str:
    text = booster.model_to_string(num_iteration=1)
    line = re.search(r"^objective=(\S+)", text, re.MULTILINE)
    if line is None:  # LightGBM writes none where the objective was a function
        return OWN
    key = {"quantile": "alpha", "tweedie": "variance_power"}.get(line[1])
    value = re.search(rf"^\[(?:tweedie_)?{key}: (\S+)\]", text, re.MULTILINE)
    return f"{line[1]}:{key}={value[1]}" if value else line[1]


def _xgboost_config(model: Any) -> dict[str, Any]:
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    config: dict[str, Any] = json.loads(booster.save_config())["learner"]
    return config


def _of_xgboost(model: Any) -> str:
    if callable(getattr(model, "objective", None)):  # the booster would say reg:squarederror
        return OWN
    objective = _xgboost_config(model)["objective"]
    name = str(objective["name"])
    alpha = objective.get("quantile_loss_param", {}).get("quantile_alpha")
    if alpha is not None:
        alphas = alpha.strip("[]").split(",")
        return f"{name}:alpha={float(alphas[0]):g}" if len(alphas) == 1 else f"{name} of several"
    power = objective.get("tweedie_regression_param", {}).get("tweedie_variance_power")
    # a float32 in decimals
    return name if power is None else f"{name}:variance_power={float(power):.6g}"


def _of_catboost(loss: str) -> str:
    """Return the loss with the first of its parameters, if that changes what is predicted."""
    name, _, parameters = loss.partition(":")
    wanted = {"Tweedie": "variance_power", "Quantile": "alpha", "Lq": "q", "Expectile": "alpha"}
    values = dict(pair.split("=", 1) for pair in parameters.split(";") if "=" in pair)
    key = wanted.get(name, "")
    return f"{name}:{key}={float(values[key]):g}" if key in values else name
