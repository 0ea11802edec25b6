"""Features: what the columns of X are, and the one check that every X passes.

``Features.rows`` turns arrays and frames into ``Rows``, float32 or float64, which the kernels read
as they are. Its errors say what was got, what was wanted and what to do. It does not scale, impute
or select.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mddag._internal.cached import cached_property
from mddag._internal.checks import check_is, check_whole
from mddag.features.categories import Categories, category_values
from mddag.features.features import Floats, Patches, Rows

MOST_FEATURES = 2**30  # the kernels keep a column's number in 30 bits
_NUMBERS = (Real, Decimal, np.bool_, type(None))


@dataclass(frozen=True)
class Features:
    """The columns that a model reads.

    n          : their number
    names      : their names where the model has them; frames are then checked by name
    categories : by column, the values of a nominal column in the order of their codes
    missing    : whether NaN is allowed
    unknown    : what a value is that is not among the categories: "missing", or "refused"
    """

    n: int
    names: tuple[str, ...] | None = None
    categories: Mapping[int, tuple[Any, ...]] = field(default_factory=dict)
    missing: bool = True
    unknown: Literal["missing", "refused"] = "missing"

    @cached_property
    def nominal(self) -> dict[int, Categories]:
        """The nominal columns by their place."""
        return {
            i: Categories(self.called(i), values, self.unknown == "refused")
            for i, values in self.categories.items()
        }

    @property
    def n_given(self) -> int:
        """How many numbers a row of X has; as many as there are columns unless those are computed
        from it (``PatchFeatures``)."""
        return self.n

    def called(self, i: int) -> Any:
        """The name of column i, its number where there are no names."""
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
        """X as float32 or float64 (n_rows, n), in C or F order, without a copy where it can be.

        Rows that passed these checks before are returned as they are.
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
        """X, checked, as executors take it: Rows, or patches whose columns are still to compute."""
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
    """The names `got`, with underscores for spaces where `names` has them, as LightGBM does."""
    got = list(got)
    absent, remembered = set(names).difference(got), []
    for name in got:
        other = str(name).replace(" ", "_")
        remembered.append(other if other in absent else name)
        absent.discard(other)  # of two that would be the same, one stays unknown
    return remembered


def is_frame(X: Any) -> bool:
    """Whether X is a pandas or polars frame (neither library is imported here)."""
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
    """A 2-D array of numbers as float32 (where that is exact) or float64."""
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
    """A frame as float64; nominal columns become the codes of their values."""
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
    """The columns of a frame by name, in their order."""
    names = list(X.columns)
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise ValueError(
            f"X has {names.count(twice)} columns of the name {twice!r}; give each its own name"
        )
    return {name: X[name] for name in names}


def _numbers(column: Any, name: Any) -> NDArray[np.float64]:
    """A column of numbers or bools; what libraries would convert silently (dates!) is refused."""
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
    """The values that are neither real numbers nor None."""
    known = {t for t in set(map(type, values)) if issubclass(t, _NUMBERS)}
    return [value for value in values if type(value) not in known]


def _aligned(array: Floats) -> Floats:
    """The kernels step by whole elements of the machine's byte order."""
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
