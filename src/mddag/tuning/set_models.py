"""Set models: a model for each set of feature groups, trained like the given one.

A model that can be cloned (scikit-learn's interface) is cloned and fitted on the columns of the
set; any other (a bare booster, a file, an Ensemble) is replaced by ``AdaBoostMHClassifier``, or by
scikit-learn's gradient boosting of numbers, over trees of eight leaves. The given model itself is
that of the last set. A model that does not read all groups of its set needs only those that it
reads: that is the set it stands for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import HistGradientBoostingRegressor

from mddag.adapters import as_ensemble
from mddag.ensemble.blocks import on_columns
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.read_groups import read_groups
from mddag.estimators.adaboost import AdaBoostMHClassifier
from mddag.estimators.fitted_model import is_fitted
from mddag.features.features import is_frame
from mddag.features.rows import Rows
from mddag.learners import Tree
from mddag.solvers.acquisition.feature_sets import FeatureSets, completed_set

N_ROUNDS = 100  # of our own models


@dataclass(frozen=True, eq=False)
class SetModels:
    """The model of each set; None for the first where nothing is free: it is the bias alone."""

    sets: FeatureSets
    models: tuple[Ensemble | None, ...]

    def __len__(self) -> int:
        return len(self.models)

    @classmethod
    def trained(
        cls, model: Any, ensemble: Ensemble, sets: FeatureSets, X: Any, y: NDArray[Any], seed: int
    ) -> SetModels:
        """Models trained on rows X with labels y; `ensemble` is that of the given `model`."""
        template = template_of(model, ensemble, seed)
        found: dict[bytes, tuple[NDArray[np.bool_], Ensemble | None]] = {}
        for s in range(len(sets)):
            last = s == len(sets) - 1
            columns = sets.columns(s)
            fitted = ensemble if last else None
            if not last and len(columns):
                fitted = fitted_on(template, ensemble, columns, X, y)
            held = sets.held[s] if last or s == 0 else _read(sets, fitted)
            if last or held.tobytes() not in found:
                found[held.tobytes()] = held, fitted
        kept = FeatureSets.of(sets.prices, [held for held, _ in found.values()])
        return cls(kept, tuple(found[held.tobytes()][1] for held in kept.held))

    def scores(self, rows: Rows, bias: NDArray[np.float64], n_threads: int = 1) -> NDArray[Any]:
        """The scores of rows in every set, float64 (n, M, K)."""
        found = np.empty((len(rows), len(self), len(bias)))
        for s, model in enumerate(self.models):
            found[:, s] = bias if model is None else model.scores(rows, n_threads=n_threads)
        return found


def can_be_cloned(model: Any) -> bool:
    """Whether models like the given one can be trained."""
    return isinstance(model, BaseEstimator) and hasattr(model, "fit") and is_fitted(model)


def template_of(model: Any, ensemble: Ensemble, seed: int) -> Any:
    """An unfitted model like the given one, or another of its kind."""
    if not can_be_cloned(model) and not ensemble.task.predicts_classes:
        return HistGradientBoostingRegressor(
            max_iter=N_ROUNDS, max_leaf_nodes=8, early_stopping=False, random_state=seed
        )
    if not can_be_cloned(model):
        return AdaBoostMHClassifier(Tree(8), n_rounds=N_ROUNDS, random_state=seed)
    template = clone(model)
    given = template.get_params()
    if given.get("early_stopping_rounds") is not None:  # which would want rows of its own
        template.set_params(early_stopping_rounds=None)
    if "random_state" in given and given["random_state"] is None:
        template.set_params(random_state=seed)
    return template


def fitted_on(
    template: Any, ensemble: Ensemble, columns: NDArray[np.intp], X: Any, y: NDArray[Any]
) -> Ensemble:
    """A model of some columns, which reads whole rows of the given model's features."""
    part = X.iloc[:, columns] if hasattr(X, "iloc") else X[:, columns]
    if is_frame(X) and not hasattr(X, "iloc"):
        part = X[[X.columns[c] for c in columns]]
    found = as_ensemble(clone(template).fit(part, y))
    _check_like(found, ensemble, columns)
    return on_columns(found, columns, ensemble.features)


def _check_like(found: Ensemble, ensemble: Ensemble, columns: NDArray[np.intp]) -> None:
    """Refuse a model of other classes, or with other codes of categories."""
    own, known = ([] if of.classes is None else of.classes.tolist() for of in (found, ensemble))
    if found.n_scores != ensemble.n_scores or own != known:
        raise ValueError(
            f"the rows to train on have the classes {own[:8]}, but the model knows {known[:8]}; "
            "give X_train and y_train with all of them"
        )
    for i, column in enumerate(columns.tolist()):
        given = ensemble.features.categories.get(column)
        if found.features.categories.get(i) != given:
            raise ValueError(
                f"column {ensemble.features.called(column)!r} has other categories in the rows to "
                "train on than in the model; give X_train with the categories that it was trained "
                "with"
            )


def _read(sets: FeatureSets, model: Ensemble | None) -> NDArray[np.bool_]:
    """The groups that a model reads, with those that come with them and those that are free."""
    assert model is not None
    read = np.asarray(read_groups(sets.prices, model).any(axis=0))
    return completed_set(sets.prices, read)
