"""Checks of X and y by scikit-learn's rules, for estimators: once, before any work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _num_samples,
    assert_all_finite,
    check_array,
    check_consistent_length,
    column_or_1d,
    validate_data,
)

from mddag._utils.arrays import checked_weight
from mddag._utils.checks import as_floats
from mddag.ensemble.features import Features, Floats, Rows, is_frame, unmasked, without_arrow
from mddag.ensemble.patches import PatchFeatures


def checked_rows(estimator: Any, X: Any, features: Features, *, finite: bool = False) -> Rows:
    """X as numbers, checked against the fitted estimator.

    NaN may be there, infinities too unless the rows are to be `finite`: those of ``fit`` are, as in
    scikit-learn; trees that are grown read an infinity as a number beyond every threshold.
    """
    if isinstance(X, Rows) and not finite and X.passed(features):
        return X
    if isinstance(features, PatchFeatures):  # scikit-learn would make floats of grey levels
        return features.rows(X)
    X = without_arrow(X)
    if not is_frame(X):
        return features.rows(checked_array(estimator, X, finite=finite))
    validate_data(estimator, X, reset=False, skip_check_array=True)
    return transformed_rows(estimator, X, features, finite=finite)


def checked_array(estimator: Any, X: Any, *, finite: bool = False) -> Floats:
    """The same of an array where there are no Features yet."""
    X = unmasked(X) if isinstance(X, np.ma.MaskedArray) else X
    return validate_data(estimator, X, reset=False, **_wanted(finite))  # type: ignore[no-any-return]


def transformed_rows(estimator: Any, X: Any, features: Features, *, finite: bool = False) -> Rows:
    """The same of rows that the steps of a Pipeline have made: their columns are those of
    `features`; the estimator's own names and number are those before the steps."""
    rows = features.rows(X)
    check_array(rows, estimator=estimator, input_name="X", **_wanted(finite))
    return rows


def _wanted(finite: bool) -> dict[str, Any]:
    """What scikit-learn is to check."""
    return {
        "dtype": [np.float64, np.float32],
        "ensure_all_finite": "allow-nan" if finite else False,
    }


def checked_labels(y: Any) -> NDArray[Any]:
    """Class labels (n,): one-dimensional, finite, discrete."""
    labels: NDArray[Any] = column_or_1d(y, warn=True)
    if labels.dtype == object and any(label is None for label in labels):
        raise ValueError(
            f"y contains None (row {labels.tolist().index(None)}); leave such rows out"
        )
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    return labels


def checked_numbers(y: Any) -> NDArray[np.float64]:
    """Targets of regression (n,): one-dimensional, finite numbers."""
    targets = as_floats("y", column_or_1d(y, warn=True), "one number per row")
    assert_all_finite(targets, input_name="y")
    return targets


def counted_rows(
    X: Any, y: Any, sample_weight: Any, name: str = "sample_weight"
) -> tuple[Any, Any, NDArray[np.float64] | None]:
    """X, y and the weights without the rows of weight 0, which are as if they were not given.

    Weights are brought to a mean of 1; None where none are given. y may be None.
    """
    X = without_arrow(X)
    if sample_weight is None:
        return X, y, None
    check_consistent_length(X, y)
    weight = checked_weight(sample_weight, _num_samples(X), name)
    counted = np.flatnonzero(weight)
    if len(counted) < len(weight):
        X, weight = _safe_indexing(X, counted), weight[counted]
        y = None if y is None else _safe_indexing(y, counted)
    return X, y, weight


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """Take back every attribute set inside if an exception, Ctrl-C included, comes out."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise
