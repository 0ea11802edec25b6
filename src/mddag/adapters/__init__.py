"""Adapters turn a trained model of another library, or its file, into an Ensemble.

``as_ensemble(model)`` takes the first adapter that accepts the model, converts it, and compares the
Ensemble's scores with the model's own. Libraries are recognized by the names of the model's
classes, so none is imported that the caller does not use; files by their content.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.checks import described, typed
from mddag.adapters import _files
from mddag.adapters._files import is_path, opened, readable, refusal
from mddag.adapters._model_parts import ModelParts, Transformer, steps_of
from mddag.adapters._objectives import (
    decision_threshold,
    metric_of_objective,
    monotone_columns,
)
from mddag.adapters.adapter import (
    Adapter,
    FileAdapter,
    lineage,
    link_of,
    refuse_one_class,
    refuse_unfitted,
    verify,
)
from mddag.adapters.catboost import CatBoost
from mddag.adapters.lightgbm import LightGBM
from mddag.adapters.sklearn import (
    AdaBoost,
    AdaBoostMH,
    Forest,
    GradientBoosting,
    HistGradientBoosting,
)
from mddag.adapters.xgboost import XGBoost
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.tasks import Regression

__all__ = [
    "MEMBERS",
    "Adapter",
    "FileAdapter",
    "ModelParts",
    "Transformer",
    "as_ensemble",
    "decision_threshold",
    "ensemble_of",
    "metric_of_objective",
    "monotone_columns",
    "other_than_ours",
    "parts_of",
    "source_scores",
]

_WITH_FILES: tuple[FileAdapter, ...] = (LightGBM(), XGBoost(), CatBoost())
MEMBERS: tuple[Adapter, ...] = (
    AdaBoostMH(),
    *_WITH_FILES,
    HistGradientBoosting(),
    GradientBoosting(),
    Forest(),
    AdaBoost(),
)


def as_ensemble(model: Any, *, isolated: bool = False) -> Ensemble:
    """Convert a trained model into H = (h_1 … h_N), with the model's own scores and labels.

    Parameters
    ----------
    model : fitted model, str or os.PathLike
        A LightGBM, XGBoost, CatBoost or scikit-learn ensemble, an estimator of mddag, or the path
        of a file that LightGBM, XGBoost or CatBoost saved. An Ensemble is returned as it is.
    isolated : bool, default=False
        Whether to read a file in a process of its own: if the file crashes the library that reads
        it, you get a ValueError. It takes a second or two more.

    Returns
    -------
    Ensemble
        The model; h_j is a boosting round, for K > 2 all its trees. Its scores are compared with
        the model's own on 256 rows.

    Raises
    ------
    TypeError
        If no adapter accepts the model.
    ValueError
        If the model cannot be an Ensemble, or if the scores differ; with `isolated` also if the
        file crashes its library.

    Examples
    --------
    >>> import mddag
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    >>> mddag.as_ensemble(model)
    <Ensemble of 5 base classifiers (5 trees), classifier, 3 score(s), 4 features>
    """
    if isolated:
        if not is_path(model):
            raise TypeError(
                f"isolated=True is for the path of a file, but model is {described(model)}"
            )
        return _files.isolated(model)
    parts = parts_of(model)
    if parts.transformer is not None:
        inside = "ensemble_" if "mddag.DagEstimator" in lineage(model) else "steps[-1][1]"
        raise TypeError(
            f"model is {typed(model)}, whose ensemble reads rows after "
            f"{parts.transformer}; sparsify, sweep and MDDAGClassifier take it as it is; for an "
            f"Ensemble pass the final, fitted estimator (model.{inside}) and the rows that it sees"
        )
    return ensemble_of(parts)


def parts_of(model: Any) -> ModelParts:
    """Return what votes and what transforms the rows before; open files and unwrap models."""
    if isinstance(model, ModelParts):
        return model
    if is_path(model):
        return _deciding(ModelParts(opened(model, _WITH_FILES), path=os.fspath(model)))
    classes = lineage(model)
    if "sklearn.FrozenEstimator" in classes:
        return parts_of(model.estimator)
    if "sklearn.BaseThresholdClassifier" in classes:
        refuse_unfitted(model, "estimator_")
        threshold = decision_threshold(model)
        return replace(parts_of(model.estimator_), threshold=threshold)
    if "mddag.DagEstimator" in classes:  # what it sparsifies
        refuse_unfitted(model, "ensemble_")
        return ModelParts(model.ensemble_, model.transformer_)
    if "sklearn.Pipeline" not in classes:
        return _deciding(ModelParts(model))
    steps, last = steps_of(model)
    inner = parts_of(last)
    if not steps:
        return inner
    absent = np.nan if "xgboost.XGBModel" in lineage(inner.model) else 0.0
    if inner.transformer is not None:
        steps, absent = steps + inner.transformer.steps, inner.transformer.absent
    return replace(inner, transformer=Transformer(steps, absent))


def _deciding(parts: ModelParts) -> ModelParts:
    """Move the threshold out of a model of CatBoost."""
    threshold = decision_threshold(parts.model)
    if threshold is None:
        return parts
    model = parts.model.copy()
    model.set_probability_threshold(0.5)
    return replace(parts, model=model, threshold=threshold)


def ensemble_of(parts: ModelParts) -> Ensemble:
    """Return the model of `parts` as an Ensemble; it reads rows after the transformer."""
    if parts.threshold is not None:
        raise ValueError(
            f"the model, a {type(parts.model).__name__}, decides at probability "
            f"{parts.threshold:.4g} instead of 0.5, which mddag.sparsify takes into account; "
            "elsewhere pass the model without the threshold, and apply it to predict_proba of "
            "the sparse one"
        )
    if parts.path is None:
        return _converted(parts.model)
    try:
        return _converted(parts.model)
    except Exception as error:  # of a file that its library has opened
        if type(error) in (ImportError, TypeError, ValueError):
            raise
        raise ValueError(refusal(parts.path, "its reader", error)) from error


def source_scores(model: Any, X: Any) -> NDArray[np.float64]:
    """Return the raw scores (n, K) of a fitted model itself, in the form of its Ensemble."""
    return next(a for a in MEMBERS if a.accepts(model)).raw_scores(model, X)


def other_than_ours(data: bytes) -> str | None:
    """Describe a file that ``mddag.load`` was given by mistake; None if it is unknown."""
    return _files.other_than_ours(data, _WITH_FILES)


def _converted(model: Any) -> Ensemble:
    if isinstance(model, Ensemble):
        return model
    adapter = next((a for a in MEMBERS if a.accepts(model)), None)
    if adapter is None:
        raise TypeError(_unknown(model))
    refuse_one_class(model)
    ensemble = adapter.convert(model)
    verify(adapter, model, ensemble)
    if ensemble.kind == "regressor":
        return replace(ensemble, task=Regression(link=link_of(model, ensemble)))
    return ensemble


def _unknown(model: Any) -> str:
    known = "; ".join(adapter.models for adapter in MEMBERS)
    if isinstance(model, type):
        return f"model is the class {model.__name__}; pass a fitted object of it"
    wrapper = next((name for name in lineage(model) if name in _INSIDE), None)
    if wrapper is not None:
        return (
            f"model is {typed(model)}, which wraps other models; pass the final, fitted "
            f"estimator ({_INSIDE[wrapper]}) and the rows that it sees{_KEEPING.get(wrapper, '')}"
        )
    return (
        f"model is {typed(model)}, which mddag cannot read; it reads: {known}; "
        f"{readable(_WITH_FILES)}; other linear combinations: Ensemble.from_callables"
    )


# Where scikit-learn's wrappers keep what they wrap
_INSIDE = {
    "sklearn.CalibratedClassifierCV": "model.calibrated_classifiers_[0].estimator",
    "sklearn.BaseSearchCV": "model.best_estimator_",
    "sklearn.OneVsRestClassifier": "one of model.estimators_",
    "sklearn.MultiOutputClassifier": "one of model.estimators_",
    "sklearn.MultiOutputRegressor": "one of model.estimators_",
    "sklearn.TransformedTargetRegressor": "model.regressor_",
}
# What would be lost without them, and how to keep it
_KEEPING = {
    "sklearn.CalibratedClassifierCV": "; its calibration moves decisions, which would be lost, as "
    "would the models of other folds: fit it with ensemble=False, so that there is one model, and "
    "calibrate what sparsify makes of that: "
    "CalibratedClassifierCV(FrozenEstimator(sparse)).fit(X, y)",
    "sklearn.TransformedTargetRegressor": "; it predicts transformed targets, so give "
    "model.transformer_.transform(y[:, None])[:, 0] for y, which max_loss then counts, and apply "
    "model.transformer_.inverse_transform to what the sparse model predicts",
}
