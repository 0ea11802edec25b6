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
    """Return X as numbers, checked against the fitted estimator.

    NaN is allowed. Infinities are, too, unless `finite`, as for the rows of ``fit`` in
    scikit-learn; trees read an infinity as a number beyond every threshold.
    """
    if isinstance(X, Rows) and not finite and X.passed(features):
        return X
    if isinstance(features, PatchFeatures):  # scikit-learn would make floats of gray levels
        return features.rows(X)
    X = without_arrow(X)
    if not is_frame(X):
        return features.rows(checked_array(estimator, X, finite=finite))
    validate_data(estimator, X, reset=False, skip_check_array=True)
    return transformed_rows(estimator, X, features, finite=finite)


def checked_array(estimator: Any, X: Any, *, finite: bool = False) -> Floats:
    """Check an array when there are no Features yet."""
    X = unmasked(X) if isinstance(X, np.ma.MaskedArray) else X
    return validate_data(estimator, X, reset=False, **_wanted(finite))  # type: ignore[no-any-return]


def transformed_rows(estimator: Any, X: Any, features: Features, *, finite: bool = False) -> Rows:
    """Check rows that the steps of a Pipeline have made.

    Their columns are those of `features`; the estimator's own names and number are those before the
    steps.
    """
    rows = features.rows(X)
    check_array(rows, estimator=estimator, input_name="X", **_wanted(finite))
    return rows


def _wanted(finite: bool) -> dict[str, Any]:
    """Return the arguments of scikit-learn's checks."""
    return {
        "dtype": [np.float64, np.float32],
        "ensure_all_finite": "allow-nan" if finite else False,
    }


def checked_labels(y: Any) -> NDArray[Any]:
    """Return class labels (n,) after checking that they are 1-D, finite and discrete."""
    labels: NDArray[Any] = column_or_1d(y, warn=True)
    if labels.dtype == object and any(label is None for label in labels):
        raise ValueError(
            f"y contains None (row {labels.tolist().index(None)}); leave such rows out"
        )
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    return labels


def checked_numbers(y: Any) -> NDArray[np.float64]:
    """Return regression targets (n,) after checking that they are 1-D and finite."""
    targets = as_floats("y", column_or_1d(y, warn=True), "one number per row")
    assert_all_finite(targets, input_name="y")
    return targets


def counted_rows(
    X: Any, y: Any, sample_weight: Any, name: str = "sample_weight"
) -> tuple[Any, Any, NDArray[np.float64] | None]:
    """Drop rows of weight 0 from X, y and the weights, and scale the weights to a mean of 1.

    The weights are None if none are given; y may be None.
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
    """Restore all attributes if an exception, Ctrl-C included, is raised inside."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise
