"""Features, the columns of a model, and Rows, X as the numbers that kernels read.

X is checked once, by ``Features.rows``, and stays marked as checked; a selection of rows such as
``rows[:100]`` keeps the mark, anything else is checked again. Nominal columns hold values when read
by name (DataFrames, dicts, labeled Series), and codes or strings when read by place (arrays,
lists).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mddag._utils.cached import cached_property
from mddag._utils.checks import check_is, check_whole, typed
from mddag.ensemble.categories import Categories, category_values, is_missing

Floats = NDArray[np.floating[Any]]
Patches = NDArray[np.uint8]  # gray levels (n, height, width), C-contiguous: see patches.py


class Rows(NDArray[np.floating[Any]]):
    """Checked rows, float32 or float64 (n_rows, n_features); nominal columns hold codes.

    `features` are those that checked them, None if the rows have changed since.
    """

    features: Features | None = None

    @classmethod
    def of(cls, checked: Floats, features: Features) -> Rows:
        """Mark an array as checked by the features; its memory is shared."""
        rows = checked.view(cls)
        rows._mark(features)
        return rows

    def passed(self, features: Features) -> bool:
        """Return whether `features`, or equal ones, have checked these rows."""
        if self.features is not features and self.features != features:
            return False
        # Shape and type can be set in place.
        return self.ndim == 2 and self.shape[1] == features.n and self.dtype.char in "fd"

    def in_c_order(self) -> Rows:
        """Return the rows in C order, copied if writing to X could add a NaN."""
        features = self.features
        assert features is not None
        shared = features.missing and self.flags.c_contiguous
        return self if shared else Rows.of(np.array(self, order="C"), features)

    def __getitem__(self, index: Any) -> Any:
        part = super().__getitem__(index)
        # an index selects rows alone; scikit-learn writes ``[rows, ...]``
        whole = not isinstance(index, tuple) or (len(index) == 2 and index[1] is Ellipsis)
        if whole and isinstance(part, Rows) and part.ndim == 2 and self.features is not None:
            part._mark(self.features)
        return part

    def _mark(self, features: Features) -> None:
        self.features = features
        if not features.missing:  # a NaN that is written later would be in no check
            self.flags.writeable = False

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _restored, (np.asarray(self), self.features)


def _restored(array: Floats, features: Features | None) -> Floats:
    return array.view(Rows) if features is None else Rows.of(array, features)


MOST_FEATURES = 2**30  # the kernels keep a column's number in 30 bits
_NUMBERS = (Real, Decimal, np.bool_, type(None))


@dataclass(frozen=True)
class Features:
    """The columns that a model reads.

    Parameters
    ----------
    n : int
        Number of columns.
    names : tuple of str, default=None
        Their names, if the model has them; DataFrames are then checked by name.
    categories : mapping of int to tuple, default={}
        Values of each nominal column in the order of their codes.
    missing : bool, default=True
        Whether NaN is allowed.
    unknown : {"missing", "error"}, default="missing"
        Whether a value that is not among the categories counts as missing or raises ValueError.

    Examples
    --------
    >>> import mddag
    >>> import pandas as pd
    >>> features = mddag.Features(2, names=("size", "color"), categories={1: ("red", "blue")})
    >>> features.rows(pd.DataFrame({"size": [3, 4], "color": ["blue", "red"]}))
    Rows([[3., 1.],
          [4., 0.]])
    """

    n: int
    names: tuple[str, ...] | None = None
    categories: Mapping[int, tuple[Any, ...]] = field(default_factory=dict)
    missing: bool = True
    unknown: Literal["missing", "error"] = "missing"

    @cached_property
    def nominal(self) -> dict[int, Categories]:
        """Nominal columns by position."""
        return {
            i: Categories(self.called(i), values, self.unknown == "error")
            for i, values in self.categories.items()
        }

    @property
    def n_given(self) -> int:
        """Number of numbers in a row of X."""
        return self.n

    def called(self, i: int) -> str | int:
        """Return the name of a column, its number if there are no names.

        Parameters
        ----------
        i : int
            Position of the column.

        Returns
        -------
        str or int
            Name or number.
        """
        return i if self.names is None else self.names[i]

    def __post_init__(self) -> None:
        check_whole("the number of features", self.n, 0)
        if self.n > MOST_FEATURES:
            raise ValueError(f"there are {self.n} features; wanted at most {MOST_FEATURES}")
        if self.names is not None:
            check_is("names", self.names, (tuple, list), "a tuple of names, or None")
        if self.names is not None and len(self.names) != self.n:
            raise ValueError(
                f"there are {len(self.names)} names for {self.n} features; wanted one for each"
            )
        check_is("categories", self.categories, Mapping, "a dict of the values by column")
        bad = next((c for c in self.categories if not 0 <= c < self.n), None)
        if bad is not None:
            raise ValueError(
                f"column {bad} has categories, but columns are numbered 0..{self.n - 1}"
            )

    def rows(self, X: Any) -> Rows:
        """Check X and return it as float32 or float64, without a copy if possible.

        Parameters
        ----------
        X : array-like, DataFrame or pyarrow Table of shape (n_rows, n)
            Rows; those that passed before are returned as they are.

        Returns
        -------
        Rows
            Checked rows in C or F order.
        """
        if isinstance(X, Rows) and X.passed(self):
            return X
        rows: Floats
        if type(X) is not np.ndarray:
            X = without_arrow(X)
        if type(X) is not np.ndarray and is_frame(X):
            self._check_names(list(X.columns))
            rows = frame_rows(X, self.nominal)
        else:
            rows = array_rows(X)
        if rows.shape[1] != self.n:
            raise ValueError(
                f"X has {rows.shape[1]} features, but the model reads {self.n} features as input"
            )
        if len(rows) == 0:
            raise ValueError(
                f"X has 0 rows (shape {rows.shape}); a minimum of 1 sample is required"
            )
        if not self.missing:
            _refuse_missing(rows, self.names)
        return Rows.of(rows, self)

    def read(self, X: Any) -> Rows | Patches:
        """Check X and return it in the form that executors take.

        Parameters
        ----------
        X : array-like, DataFrame or pyarrow Table
            Rows, or patches for `PatchFeatures`.

        Returns
        -------
        Rows or ndarray of uint8
            Rows, or patches whose columns are still to be computed.
        """
        return self.rows(X)

    def _check_names(self, got: list[Any]) -> None:
        if self.names is None or got == list(self.names):
            return
        got = as_remembered(got, self.names)
        if got == list(self.names):
            return
        absent = [name for name in self.names if name not in got]
        extra = [name for name in got if name not in self.names]
        if absent or extra:
            raise ValueError(
                f"X has other columns than the model was trained on: missing {absent[:5]}, "
                f"unexpected {extra[:5]}; pass the {len(self.names)} training columns"
            )
        at = next(i for i, (g, w) in enumerate(zip(got, self.names, strict=True)) if g != w)
        raise ValueError(
            f"X has the training columns in another order: column {at} is {got[at]!r}, "
            f"wanted {self.names[at]!r}; reorder the columns of X"
        )


def as_remembered(got: Iterable[Any], names: Iterable[Any]) -> list[Any]:
    """Replace spaces in the names `got` by underscores where `names` has them, as LightGBM does."""
    got = list(got)
    absent, remembered = set(names).difference(got), []
    for name in got:
        other = str(name).replace(" ", "_")
        remembered.append(other if other in absent else name)
        absent.discard(other)  # of two that would be the same, one stays unknown
    return remembered


def is_frame(X: Any) -> bool:
    """Return whether X is a pandas or polars DataFrame, importing neither library."""
    library = type(X).__module__.partition(".")[0]
    if library == "polars" and type(X).__name__ == "LazyFrame":
        raise TypeError("X is a polars LazyFrame, which holds no rows yet; pass X.collect()")
    return library in {"pandas", "polars"} and hasattr(X, "columns")


def without_arrow(X: Any) -> Any:
    """Return X, a pyarrow Table or RecordBatch as a pandas DataFrame.

    numpy would read a table without its column names, so that columns in another order went
    unnoticed.
    """
    if type(X).__module__.partition(".")[0] == "pyarrow" and hasattr(X, "to_pandas"):
        return X.to_pandas()
    return X


def array_rows(X: Any) -> Floats:
    """Return a 2-D array of numbers as float32 (where that is exact) or float64."""
    if hasattr(X, "tocsr"):
        raise TypeError(
            f"X is a sparse {type(X).__name__}; mddag reads dense rows: pass X.toarray()"
        )
    array = unmasked(X)
    if array.ndim != 2:
        raise ValueError(
            f"X has {array.ndim} dimension(s), shape {array.shape}; Expected 2D array of shape "
            "(n_rows, n_features): Reshape your data with X.reshape(1, -1) if it is one row"
        )
    kind = array.dtype.kind
    if kind == "f" and array.dtype.itemsize in (4, 8):
        return _aligned(array)
    if kind in "biu" or array.dtype == np.float16:
        exact32 = array.dtype.itemsize <= 2 or kind == "b"
        return array.astype(np.float32 if exact32 else np.float64)
    if kind == "c":
        raise ValueError("X is complex; Complex data not supported: pass real numbers")
    if kind == "O":
        others = _not_numbers(array.ravel().tolist())
        if others:
            raise ValueError(
                f"X has dtype object and holds values that are not numbers, such as "
                f"{others[0]!r}; encode strings and categories as numbers first"
            )
        return array.astype(np.float64)
    raise ValueError(
        f"X has dtype {array.dtype}; mddag reads numbers (float32, float64, integers, bool): "
        "encode strings and categories as numbers first"
    )


def unmasked(X: Any) -> NDArray[Any]:
    """Return X as a plain array; masked values become NaN."""
    if isinstance(X, np.ma.MaskedArray):
        floats = np.asarray(X, np.promote_types(X.dtype, np.float32))
        return np.where(np.ma.getmaskarray(X), np.nan, floats)
    return np.asarray(X)


def frame_rows(X: Any, nominal: Mapping[int, Categories]) -> NDArray[np.float64]:
    """Return a DataFrame as float64; nominal columns become the codes of their values."""
    rows = np.empty((len(X), len(X.columns)), np.float64, order="F")
    for i, (name, column) in enumerate(frame_columns(X).items()):
        if i in nominal:
            rows[:, i] = nominal[i].codes(column)
            continue
        if category_values(column) is not None:
            raise ValueError(
                f"column {name!r} is categorical ({column.dtype}), but the model reads numbers "
                "there; encode it as it was when the model was trained"
            )
        rows[:, i] = _numbers(column, name)
    return rows


def frame_columns(X: Any) -> dict[Any, Any]:
    """Return the columns of a DataFrame by name, in their order."""
    names = list(X.columns)
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise ValueError(
            f"X has {names.count(twice)} columns of the name {twice!r}; give each its own name"
        )
    return {name: X[name] for name in names}


def _numbers(column: Any, name: Any) -> NDArray[np.float64]:
    """Return a column of numbers or bools, or raise ValueError rather than convert it."""
    dtype = column.dtype
    of_polars = hasattr(dtype, "is_numeric")
    of_objects = isinstance(dtype, np.dtype) and dtype.kind == "O"
    if of_polars:
        numeric = dtype.is_numeric() or str(dtype) in ("Boolean", "Null")
    else:
        numeric = dtype.kind in "biuf"
    others = _not_numbers(column.dropna().tolist()) if of_objects else []
    if others or not (numeric or of_objects):
        held = f" and holds {others[0]!r}" if others else ""
        raise ValueError(
            f"column {name!r} has dtype {dtype}{held}; mddag reads numbers and bools: encode "
            "strings, dates and categories as numbers first"
        )
    if of_polars:  # null becomes NaN
        return np.asarray(column.cast(float).to_numpy(), np.float64)
    return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))


def _not_numbers(values: list[Any]) -> list[Any]:
    """Return the values that are neither real numbers nor None."""
    known = {t for t in set(map(type, values)) if issubclass(t, _NUMBERS)}
    return [value for value in values if type(value) not in known]


def _aligned(array: Floats) -> Floats:
    """Copy an array unless kernels can step by whole elements of the machine's byte order."""
    flags = array.flags
    whole = flags.c_contiguous or all(stride % array.itemsize == 0 for stride in array.strides)
    if whole and flags.aligned and array.dtype.isnative:
        return array
    return np.array(array, array.dtype.newbyteorder("="), order="C")


def _refuse_missing(rows: Floats, names: tuple[str, ...] | None) -> None:
    if not np.isnan(rows.min(initial=0.0)):  # the minimum of numbers with a NaN is NaN
        return
    i, column = np.argwhere(np.isnan(rows))[0]
    name = f"column {column}" if names is None else f"column {names[column]!r}"
    raise ValueError(
        f"X contains NaN ({name}, row {i}), but the model was trained without missing values; "
        "impute them first"
    )


def one_row(features: Features, x: Any) -> Floats:
    """Return x as float32 or float64 (n,), C-contiguous, or raise a precise error."""
    x = without_arrow(x)
    if is_frame(x):
        if len(x) != 1:
            raise ValueError(
                f"x is a DataFrame of {len(x)} rows; wanted one row: use predict for several"
            )
        return np.ascontiguousarray(features.rows(x)[0])
    row: Floats
    if isinstance(x, Mapping):
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
    """Return the values in the order of the features."""
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
    try:
        array = unmasked(x)
    except ValueError:
        raise ValueError(
            f"x is {typed(x)} that holds sequences; wanted one row of numbers"
        ) from None
    if array.dtype.kind in "US":  # numbers among strings would have become strings
        array = np.asarray(x, object)
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


def _of_values(features: Features, values: list[Any], *, named: bool) -> NDArray[np.float64]:
    """Return values in the order of the features as numbers, (n,)."""
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
