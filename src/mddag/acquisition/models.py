"""Train a model for each set of feature groups, like the given one.

A model that can be cloned (scikit-learn's interface) is cloned and fitted on the columns of the
set; any other (a bare booster, a file, an Ensemble) is replaced by ``AdaBoostMHClassifier``, or by
scikit-learn's gradient boosting for regression, over trees of eight leaves. The given model itself
is that of the last set. A model that does not read all groups of its set needs only those that it
reads: that is the set it stands for.

Policies learn from few rows in each cell. The rows that train the models are as many again, but
these models know their labels, so ``cross_fitted_rows`` trains every model again without each fold
of them and scores the fold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing

from mddag.acquisition.feature_sets import FeatureSets, completed_set
from mddag.acquisition.rows import SetScores, SplitRows
from mddag.adapters import as_ensemble, source_scores
from mddag.ensemble.costs import read_groups
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features, Rows, is_frame
from mddag.estimators.adaboost import AdaBoostMHClassifier
from mddag.estimators.fitted_model import is_fitted
from mddag.learners import Tree
from mddag.losses import Deviance, Quantile

N_ROUNDS = 100  # of our own models
FOLDS = 4
ENOUGH = 10_000  # rows to learn from; beyond, chance is small and training takes long
ALIKE = 3.0  # standard errors between the errors of clones and of the given model, at most


@dataclass(frozen=True, eq=False)
class SetModels:
    """The model of each set; None for the first where nothing is free: it is the bias alone."""

    sets: FeatureSets
    models: tuple[Ensemble | None, ...]

    def __len__(self) -> int:
        return len(self.models)

    @classmethod
    def trained(cls, given: SplitRows, sets: FeatureSets, seed: int) -> SetModels:
        """Train models of smaller sets on the training rows."""
        ensemble, template = given.ensemble, template_of(given, seed)
        found: dict[bytes, tuple[NDArray[np.bool_], Ensemble | None]] = {}
        for s in range(len(sets)):
            last = s == len(sets) - 1
            columns = sets.columns(s)
            fitted = ensemble if last else None
            if not last and len(columns):
                fitted = as_ensemble(
                    clone(template).fit(_columns_of(given.train, columns), given.train_labels)
                )
                _check_like(fitted, ensemble, columns)
                fitted = on_columns(fitted, columns, ensemble.features)
            held = sets.held[s] if last or s == 0 else _read(sets, fitted)
            if last or held.tobytes() not in found:
                found[held.tobytes()] = held, fitted
        kept = FeatureSets.of(sets.prices, [held for held, _ in found.values()])
        return cls(kept, tuple(found[held.tobytes()][1] for held in kept.held))

    def scores(self, rows: Rows, bias: NDArray[np.float64], n_jobs: int = 1) -> NDArray[Any]:
        """Return the scores of rows in every set, float64 (n, M, K)."""
        found = np.empty((len(rows), len(self), len(bias)))
        for s, model in enumerate(self.models):
            found[:, s] = bias if model is None else model.scores(rows, n_jobs=n_jobs)
        return found


def can_be_cloned(model: Any) -> bool:
    """Tell whether models like the given one can be trained."""
    return isinstance(model, BaseEstimator) and hasattr(model, "fit") and is_fitted(model)


def template_of(given: SplitRows, seed: int) -> Any:
    """Return an unfitted model like the given one, or another of its kind and objective."""
    model, metric = given.model, given.metric
    if not can_be_cloned(model) and metric is not None:
        objective: dict[str, Any] = {"loss": "squared_error"}
        if given.ensemble.task.link == "exp":
            objective = {"loss": "gamma" if metric.loss == Deviance(2.0) else "poisson"}
        elif isinstance(metric.loss, Quantile):
            objective = {"loss": "quantile", "quantile": metric.loss.alpha}
        return HistGradientBoostingRegressor(
            max_iter=N_ROUNDS,
            max_leaf_nodes=8,
            early_stopping=False,
            random_state=seed,
            **objective,
        )
    if not can_be_cloned(model):
        return AdaBoostMHClassifier(Tree(8), n_rounds=N_ROUNDS, random_state=seed)
    template = clone(model)
    parameters = template.get_params()
    if parameters.get("early_stopping_rounds") is not None:  # which would want rows of its own
        template.set_params(early_stopping_rounds=None)
    if "random_state" in parameters and parameters["random_state"] is None:
        template.set_params(random_state=seed)
    return template


def on_columns(ensemble: Ensemble, columns: NDArray[np.intp], features: Features) -> Ensemble:
    """Return an ensemble that was trained on some of the columns, reading those of `features`."""
    nodes = ensemble.nodes.copy()
    split = nodes["feature"] >= 0
    nodes["feature"][split] = columns[nodes["feature"][split]]
    return replace(ensemble, nodes=nodes, features=features)


def _columns_of(X: Any, columns: NDArray[np.intp]) -> Any:
    """Return some of the columns of an array or a DataFrame."""
    if hasattr(X, "iloc"):
        return X.iloc[:, columns]
    return X[[X.columns[c] for c in columns]] if is_frame(X) else X[:, columns]


def _check_like(found: Ensemble, ensemble: Ensemble, columns: NDArray[np.intp]) -> None:
    """Reject a model of other classes, or with other codes of categories."""
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
    """Return the groups that a model reads, those that come with them, and free ones."""
    assert model is not None
    read = np.asarray(read_groups(sets.prices, model).any(axis=0))
    return completed_set(sets.prices, read)


def cross_fitted_rows(
    given: SplitRows, models: SetModels, seen: SetScores, seed: int
) -> SetScores | None:
    """Score the training rows by cross-fitting; None if the models would not be alike.

    The last set's scores are the given model's own where it has not seen the rows; otherwise those
    of its clones, which may be far from it where it had other rows.
    """
    cloned = can_be_cloned(given.model)
    if not given.labelled or len(seen) >= ENOUGH or not (cloned or given.unseen):
        return None
    task = given.ensemble.task
    labels = task.coded(given.train_labels)
    strata = labels if task.predicts_classes else np.zeros(len(labels), np.intp)
    if np.bincount(strata).min() < FOLDS:  # a model without it would lack a class
        return None
    n_used = min(FOLDS, -(-(ENOUGH - len(seen)) * FOLDS // len(labels)))  # each is a training
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    splits = list(splitter.split(strata, strata))[:n_used]
    scores = np.concatenate([_scores(given, models, others, own, seed) for others, own in splits])
    used = np.concatenate([own for _, own in splits])
    found = replace(seen, scores=scores, labels=labels[used])
    return found if _alike(found, seen) else None


def _scores(
    given: SplitRows,
    models: SetModels,
    others: NDArray[np.intp],
    own: NDArray[np.intp],
    seed: int,
) -> NDArray[np.float64]:
    """Score training rows `own` in every set by models of the others, (len(own), M, K).

    The models predict themselves, since converting one takes as long as training it.
    """
    ensemble, template = given.ensemble, template_of(given, seed)
    found = np.empty((len(own), len(models), ensemble.n_scores))
    found[:] = ensemble.bias
    n_trained, last = len(models), len(models) - 1
    if given.unseen:
        n_trained = last
        rows = ensemble.features.rows(_safe_indexing(given.train, own))
        found[:, last] = ensemble.scores(rows)
    X, X_own = (_safe_indexing(given.train, index) for index in (others, own))
    for s in range(n_trained):
        columns = models.sets.columns(s) if s < last else np.arange(ensemble.features.n)
        if len(columns):
            model = clone(template).fit(_columns_of(X, columns), given.train_labels[others])
            found[:, s] = source_scores(model, _columns_of(X_own, columns))
    return found


def _alike(found: SetScores, seen: SetScores) -> bool:
    """Tell whether the full set's models have about the same loss."""
    lost, own = (rows.lost(rows.full) for rows in (found, seen))
    spread = np.sqrt(lost.var() / len(lost) + own.var() / len(own) + 1 / len(own) ** 2)
    return bool(abs(lost.mean() - own.mean()) <= ALIKE * spread)
