"""One row in any form: an array of any stride, a list, a dict by name, a Series, a frame.

What is read by name (dicts, labelled Series, frames of one row) holds values in nominal columns, as
frames do; what is read by place holds codes there, as arrays do, or strings, which are values.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import typed
from mddag.features.categories import is_missing
from mddag.features.features import (
    Features,
    array_rows,
    as_remembered,
    is_frame,
    unmasked,
    without_arrow,
)
from mddag.features.rows import Floats


def one_row(features: Features, x: Any) -> Floats:
    """x as float32 or float64 (n,), C-contiguous, or an error that says what is different."""
    x = without_arrow(x)
    if is_frame(x):
        row = _of_frame(features, x)
    elif isinstance(x, Mapping):
        row = _of_values(features, _by_name(features, x, "key"), named=True)
    elif hasattr(x, "index") and hasattr(x, "iloc"):  # a pandas Series
        row = _of_series(features, x)
    else:
        row = _by_place(features, x)
    if not features.missing and np.isnan(row).any():
        at = features.called(int(np.isnan(row).argmax()))
        raise ValueError(
            f"x contains NaN (column {at!r}), but the model was trained without missing values; "
            "impute them first"
        )
    return row


def _of_frame(features: Features, x: Any) -> Floats:
    if len(x) != 1:
        raise ValueError(f"x is a frame of {len(x)} rows; wanted one row: use predict for several")
    return np.ascontiguousarray(features.rows(x)[0])


def _of_series(features: Features, x: Any) -> Floats:
    labels = x.index.tolist()
    if features.names is None or labels == list(range(len(labels))):  # no names: by place
        return _by_place(features, x.to_numpy())
    twice = [label for label in labels if labels.count(label) > 1] if not x.index.is_unique else []
    if twice:
        raise ValueError(f"x has the label {twice[0]!r} more than once; wanted each feature once")
    values = _by_name(features, dict(zip(labels, x.tolist(), strict=True)), "label")
    return _of_values(features, values, named=True)


def _by_name(features: Features, x: Mapping[Any, Any], what: str) -> list[Any]:
    """The values in the order of the features."""
    names = features.names
    if names is None:
        raise ValueError(
            f"x is {typed(x)}, but the model knows no feature names; pass its "
            f"{features.n} values in their order, as an array or a list"
        )
    if any(name not in x for name in names):
        x = dict(zip(as_remembered(x, names), x.values(), strict=True))
    absent = [name for name in names if name not in x]
    if absent or len(x) != len(names):
        extra = [key for key in x if key not in set(names)]
        raise ValueError(
            f"x has other {what}s than the model has features: missing {absent[:5]}, unknown "
            f"{extra[:5]}; wanted one {what} for each of the {features.n} features"
        )
    return [x[name] for name in names]


def _by_place(features: Features, x: Any) -> Floats:
    if hasattr(x, "tocsr"):
        raise TypeError(
            f"x is a sparse {type(x).__name__}; mddag reads dense rows: pass x.toarray()"
        )
    array = _as_array(x)
    if array.shape not in ((features.n,), (1, features.n)):
        of = f"{array.dtype} {array.shape}" if hasattr(x, "dtype") else f"{array.size} values"
        got = f"x is {typed(x)}" + (f" of {of}" if array.ndim else "")
        wanted = f"wanted one row, {features.n} values, as an array, list, dict by name or Series"
        if array.ndim == 0:
            raise TypeError(f"{got}; {wanted}")
        raise ValueError(f"{got}; {wanted}")
    numbers = array.dtype.kind in "biu" or array.dtype.char in "efd"
    if numbers:
        return np.array(array_rows(array.reshape(1, -1))[0], order="C")
    return _of_values(features, array.ravel().tolist(), named=False)


def _as_array(x: Any) -> NDArray[Any]:
    try:
        array = unmasked(x)
        # Numbers beside strings would have become strings.
        return np.asarray(x, object) if array.dtype.kind in "US" else array
    except ValueError:
        raise ValueError(
            f"x is {typed(x)} that holds sequences; wanted one row of numbers"
        ) from None


def _of_values(features: Features, values: list[Any], *, named: bool) -> NDArray[np.float64]:
    """Values in the order of the features as numbers, (n,)."""
    row = np.empty(features.n)
    for i, value in enumerate(values):
        nominal = features.nominal.get(i)
        if nominal is not None and (named or isinstance(value, str)):
            row[i] = nominal.code(value)
        else:
            row[i] = _number(value, features.called(i) if named else i)
    return row


def _number(value: Any, at: Any) -> float:
    if isinstance(value, (Real, Decimal, np.bool_)):
        return float(value)
    if is_missing(value):
        return np.nan
    raise ValueError(
        f"x[{at!r}] is {value!r:.40}, {typed(value)}; wanted a number: encode strings, "
        "dates and categories as they were when the model was trained"
    )
