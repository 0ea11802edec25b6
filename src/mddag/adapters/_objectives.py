"""What a regression model was trained to predict, if that is not the mean.

Policies and calibration of regressors minimize the squared error, so a model of a quantile or of
the median would silently become a model of the mean; the caller warns.
"""

from __future__ import annotations

import json
import re
from typing import Any

from mddag.adapters.adapter import lineage

OWN = "an objective of your own"
_MEANS = {
    *("regression", "poisson", "gamma", "tweedie", "cross_entropy", "cross_entropy_lambda"),
    *("reg:squarederror", "reg:squaredlogerror", "reg:logistic", "reg:linear"),
    *("count:poisson", "reg:gamma", "reg:tweedie"),
    *("RMSE", "Poisson", "Tweedie", "RMSEWithUncertainty"),
    *("squared_error", "friedman_mse", "MSE"),
}


def other_than_mean(model: Any) -> str | None:
    """Return the objective of a fitted regressor, or None if that is the mean or unknown."""
    objective = _objective(model)
    if objective is None or objective.partition(":alpha")[0] in _MEANS:
        return None
    return objective


def _objective(model: Any) -> str | None:
    classes = lineage(model)
    if not classes.isdisjoint({"lightgbm.LGBMModel", "lightgbm.Booster"}):
        return _of_lightgbm(getattr(model, "booster_", model))
    if not classes.isdisjoint({"xgboost.XGBModel", "xgboost.Booster"}):
        return _of_xgboost(model)
    if "catboost.CatBoost" in classes:
        name = str(model.get_all_params().get("loss_function", "RMSE"))
        return OWN if name.startswith("PythonUserDefined") else _catboost_name(name)
    quantile = getattr(model, "quantile", None) or getattr(model, "alpha", None)
    loss = getattr(model, "loss", None) or getattr(model, "criterion", None)
    if not isinstance(loss, str):
        return None
    return f"quantile:alpha={quantile}" if loss == "quantile" else loss


def _of_lightgbm(booster: Any) -> str:
    text = booster.model_to_string(num_iteration=1)
    line = re.search(r"^objective=(\S+)", text, re.MULTILINE)
    if line is None:  # LightGBM writes none where the objective was a function
        return OWN
    alpha = re.search(r"^\[alpha: (\S+)\]", text, re.MULTILINE)
    return f"quantile:alpha={alpha[1]}" if line[1] == "quantile" and alpha else line[1]


def _of_xgboost(model: Any) -> str:
    if callable(getattr(model, "objective", None)):  # the booster would say reg:squarederror
        return OWN
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    objective = json.loads(booster.save_config())["learner"]["objective"]
    alpha = objective.get("quantile_loss_param", {}).get("quantile_alpha")
    if alpha is None:
        return str(objective["name"])
    return f"{objective['name']}:alpha={float(alpha.strip('[]')):g}"


def _catboost_name(loss: str) -> str:
    name, _, parameters = loss.partition(":")
    return loss if name not in _MEANS and parameters else name
