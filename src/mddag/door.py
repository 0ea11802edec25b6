"""The door of the estimators: X and y through scikit-learn's checks, once, before any work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_array, column_or_1d, validate_data

from mddag.features import Features, Rows, is_frame

WANTED = {"dtype": [np.float64, np.float32], "ensure_all_finite": "allow-nan"}


def checked_rows(estimator: Any, X: Any, features: Features | None) -> Rows:
    """X as numbers, checked against the fitted estimator: NaN may be there, infinity may not."""
    if not is_frame(X) or features is None:
        return validate_data(estimator, X, reset=False, **WANTED)  # type: ignore[no-any-return]
    validate_data(estimator, X, reset=False, skip_check_array=True)
    return piped_rows(estimator, X, features)


def piped_rows(estimator: Any, X: Any, features: Features) -> Rows:
    """The same of rows that were transformed for the ensemble: names and counts are the source's,
    the estimator's own being those before."""
    return check_array(  # type: ignore[no-any-return]
        features.rows(X), estimator=estimator, input_name="X", **WANTED
    )


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
    numbers = column_or_1d(y, warn=True, dtype=np.float64)
    assert_all_finite(numbers, input_name="y")
    targets: NDArray[np.float64] = numbers
    return targets


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
