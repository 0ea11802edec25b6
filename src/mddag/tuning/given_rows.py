"""Given rows of ``acquire``: those that train models of smaller sets, and those for the policy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_consistent_length

from mddag._internal.row_sampling import stratified
from mddag.ensemble.ensemble import Ensemble

TRAINED_SHARE = 0.5  # of X, where no other rows train the models of smaller sets


class GivenRows:
    """The rows as they are used: those that train smaller models, and those for the policy.

    train, train_labels : for the models of smaller sets
    rows, labels        : for the policy; labels are class numbers (regressors: numbers), None
                          without y
    unseen              : whether the given model has not seen the training rows either
    told                : whether the labels of all rows were given
    """

    def __init__(
        self,
        model: Any,
        ensemble: Ensemble,
        X: Any,
        y: Any,
        X_train: Any,
        y_train: Any,
        random: np.random.RandomState,
    ) -> None:
        self.model, self.ensemble = model, ensemble
        if y_train is not None and X_train is None:
            raise ValueError("y_train is given without X_train, whose labels they are; give both")
        truth = None if y is None else _labels(ensemble, X, y)
        self.train, train_labels = X_train, None
        if X_train is None:
            strata = None if truth is None else ensemble.task.strata(truth)
            self.train, train_labels, X, truth = _halves(X, truth, strata, random)
        elif y_train is not None:
            train_labels = _labels(ensemble, X_train, y_train)
        self.rows = ensemble.features.rows(X)
        self.train_rows = ensemble.features.rows(self.train)
        self.train = self.train if hasattr(self.train, "columns") else np.asarray(self.train)
        self.unseen = X_train is None
        self.told = truth is not None and train_labels is not None
        self.labelled = truth is not None
        self.labels = None if truth is None else ensemble.task.coded(truth)
        if train_labels is None:
            train_labels = ensemble.task.predictions(ensemble.scores(self.train_rows))
        self.train_labels: NDArray[Any] = train_labels


def _labels(ensemble: Ensemble, X: Any, y: Any) -> NDArray[Any]:
    labels = ensemble.task.checked_targets(y)
    check_consistent_length(X, labels)
    ensemble.task.coded(labels)  # refuses labels that are not among the classes
    return labels


def _halves(
    X: Any,
    y: NDArray[Any] | None,
    strata: NDArray[Any] | None,
    random: np.random.RandomState,
) -> tuple[Any, ...]:
    """Rows and labels that train, and those for the policy; each has its share of the strata."""
    n = _num_samples(X)
    if n < 4:
        raise ValueError(
            f"X has {n} row(s), too few to train smaller models on some and to decide by others; "
            "give more, or X_train"
        )
    trains = stratified(np.zeros(n) if strata is None else strata, TRAINED_SHARE, random)
    rest = np.setdiff1d(np.arange(n), trains)
    labels = (None, None) if y is None else (y[trains], y[rest])
    return _safe_indexing(X, trains), labels[0], _safe_indexing(X, rest), labels[1]
