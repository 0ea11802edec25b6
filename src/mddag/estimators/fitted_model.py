"""FittedModel: the base classifiers of an estimator, and the rows that are left for its policy.

A fitted model is used as it is, and every row is a policy row. A model that is not fitted is
cloned and fitted on a part of the rows; the rest, which it has not seen, is for the policy. The
steps of a Pipeline before its ensemble are the transformer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from mddag._utils.arrays import stratified
from mddag.adapters import ModelParts, Transformer, ensemble_of, monotone_columns, parts_of
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Patches
from mddag.ensemble.patches import PatchFeatures, checked_patches
from mddag.ensemble.tasks import TASKS, Kind
from mddag.estimators.adaboost import AdaBoostMHClassifier
from mddag.learners.learner import own_columns


@dataclass(frozen=True, eq=False)
class FittedModel:
    """An ensemble, and the rows that the policy may learn on, intp (n_policy_rows,).

    transformer : what makes the rows that the ensemble reads; None where it reads them as they are
    monotone : the columns in which the model had to be monotone: 1 if rising, -1 if falling
    """

    ensemble: Ensemble
    rows: NDArray[np.intp]
    transformer: Transformer | None = None
    monotone: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, model: Any, kind: Kind, rows: NDArray[np.intp]) -> FittedModel:
        """Return the ensemble of a fitted model, if it is that of a `kind`."""
        parts = parts_of(model)
        ensemble = of_kind(ensemble_of(parts), kind)
        return cls(ensemble, rows, parts.transformer, monotone_columns(parts.model))


def fitted_model(
    model: Any,
    kind: Kind,
    X: Any,
    targets: NDArray[Any],
    held_out: float,
    random: np.random.RandomState,
    weight: NDArray[np.float64] | None = None,
) -> FittedModel:
    """Return the ensemble of a model, fitted on all but a share `held_out` of the rows if need be.

    weight : of the rows (n,), for the model too if it is fitted here
    """
    everything = np.arange(len(targets))
    if is_fitted(model):
        return FittedModel.of(model, kind, everything)
    if weight is not None and not has_fit_parameter(model, "sample_weight"):
        raise ValueError(
            f"sample_weight is given, but {type(model).__name__}.fit, which is to train the "
            "ensemble, does not take it; give a fitted ensemble, or leave sample_weight out"
        )
    model = clone(model)
    for name in _unset_seeds(model):
        model.set_params(**{name: random.randint(2**31 - 1)})
    out = stratified(TASKS[kind]().strata(targets), held_out, random)
    if held_out > 0 and len(out) == 0:
        raise ValueError(
            f"n_samples={len(targets)} leaves no row for the policy when the ensemble is fitted, "
            f"too; give more rows, a fitted ensemble, or policy_rows='train'"
        )
    rest = np.setdiff1d(everything, out)
    weights = {} if weight is None else {"sample_weight": weight[rest]}
    model.fit(_safe_indexing(X, rest), targets[rest], **weights)
    return FittedModel.of(model, kind, out if held_out > 0 else everything)


def _unset_seeds(model: Any) -> list[str]:
    """Return the names of seeds that are None, of a Pipeline those of its steps."""
    names = ["random_state"]
    if isinstance(model, Pipeline):
        names = [f"{step}__random_state" for step, _ in model.steps]
    params = model.get_params()
    return [name for name in names if params.get(name, 0) is None]


def is_fitted(model: Any) -> bool:
    """Return whether a model can be read as it is; bare boosters and Ensembles always can."""
    model = _thawed(model)
    if isinstance(model, Pipeline) and model.steps:  # the last step decides, as in scikit-learn
        return is_fitted(model.steps[-1][1])
    if callable(getattr(model, "is_fitted", None)):  # CatBoost
        return bool(model.is_fitted())
    if not isinstance(model, BaseEstimator):
        return True
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def may_transform(model: Any) -> bool:
    """Return whether there may be something that transforms rows before the ensemble reads them."""
    model = _thawed(model)
    if isinstance(model, (Pipeline, ModelParts)):
        return True
    return getattr(model, "transformer_", None) is not None


def reads_patches(model: Any) -> bool:
    """Return whether X are patches: for an ensemble over Haar features, or a learner of them."""
    model = _thawed(model)
    return _patch_features(model) is not None or own_columns(_learner(model)) is not None


def patches_for(model: Any, X: Any) -> Patches:
    """Return X as patches of the size that such a model reads."""
    model = _thawed(model)
    features = _patch_features(model)
    if features is not None:
        return features.patches(X)
    return checked_patches(X, getattr(_learner(model), "window", None))


def _thawed(model: Any) -> Any:
    return _thawed(model.estimator) if isinstance(model, FrozenEstimator) else model


def _patch_features(model: Any) -> PatchFeatures | None:
    features = getattr(getattr(model, "ensemble_", model), "features", None)
    return features if isinstance(features, PatchFeatures) else None


def _learner(model: Any) -> Any:
    return model.learner if isinstance(model, AdaBoostMHClassifier) else None


def of_kind(ensemble: Ensemble, kind: Kind) -> Ensemble:
    """Return the ensemble, if it is that of a `kind` whose predictions can be made."""
    if ensemble.kind != kind:
        raise ValueError(f"the ensemble is that of a {ensemble.kind}; a {kind} is wanted here")
    ensemble.task.require_predictions()
    return ensemble
