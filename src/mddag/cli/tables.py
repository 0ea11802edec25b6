"""Read rows from a file: csv, parquet, arrow or npz.

If a model knows its columns by name, exactly these are taken, in the model's order; other columns
are left out. Whatever is wrong with a file raises InputError, one line that names the file.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from typer import Option

import mddag
from mddag.cli.output import InputError, StopError, UsageError, needed, one_line

PACKED = (".gz", ".bz2", ".xz", ".zip")  # of csv
# What csv files write where there is no value, as pandas knows it. In a column of categories a
# marker that is one of the categories is this category: NA may be Namibia.
MISSING = (
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
)  # fmt: skip

Text = str | None  # of an option that may be left out


@dataclass(frozen=True)
class Layout:
    """Where in a file rows, labels and the rest are: options of every command that reads rows."""

    target: Annotated[Text, Option("--target", "-t", help="Column of labels.")] = None
    qid: Annotated[Text, Option("--qid", help="Column of queries.")] = None
    weight: Annotated[Text, Option("--weight", help="Column of weights.")] = None
    drop: Annotated[list[str] | None, Option("--drop", help="No feature; repeatable.")] = None
    rows: Annotated[
        Text, Option("--rows", metavar="FIRST:END", help="Only these rows, from 0 on.")
    ] = None
    delimiter: Annotated[Text, Option("--delimiter", help="Of csv; a comma by default.")] = None


@dataclass(frozen=True, eq=False)
class RowTable:
    """Rows of a file: a pandas DataFrame or an array X, and what belongs to each row."""

    path: str
    X: Any
    y: NDArray[Any] | None = None
    qid: NDArray[Any] | None = None
    weight: NDArray[Any] | None = None

    def __len__(self) -> int:
        return len(self.X)

    @property
    def labels(self) -> NDArray[Any]:
        """The labels, for a command that cannot do without them."""
        if self.y is None:
            raise UsageError(f"{self.path!r} is read without labels; name their column by --target")
        return self.y

    def taken(self, rows: slice) -> RowTable:
        """Return some of the rows."""
        X = self.X.iloc[rows] if hasattr(self.X, "iloc") else self.X[rows]
        y, qid, weight = (None if c is None else c[rows] for c in (self.y, self.qid, self.weight))
        return RowTable(self.path, X, y, qid, weight)


def read_table(
    path: str | os.PathLike[str],
    layout: Layout | None = None,
    features: mddag.Features | None = None,
) -> RowTable:
    """Read the rows of a file, for a model that reads `features` if that is given."""
    layout = Layout() if layout is None else layout
    name = os.fspath(path)
    check_file(name)
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    if suffixes and suffixes[-1] in PACKED:
        suffixes.pop()
    read = READERS.get(suffixes[-1] if suffixes else "")
    if read is None:
        raise InputError(f"{name!r} has no known end; wanted {', '.join(READERS)}")
    try:
        table = _checked(read(name, layout, features), features)
        table = table if layout.rows is None else table.taken(_slice(layout.rows))
        if len(table) == 0:
            raise InputError(f"{name!r} has no rows (that were asked for)")
        return table
    except (StopError, MemoryError, ImportError):
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {one_line(error):.200}".rstrip(": ")
        raise InputError(f"cannot read {name!r}: {reason}") from error


def check_file(name: str) -> None:
    """Reject what is no file."""
    if not os.path.isfile(name):
        what = "is a folder; wanted a file" if os.path.isdir(name) else "is no file"
        raise InputError(f"{name!r} {what}")


def few(names: Any, most: int = 8) -> str:
    """List the first of some names."""
    listed = [str(name) for name in names]
    return ", ".join(listed[:most]) + (", …" if len(listed) > most else "") or "none"


def _csv(path: str, layout: Layout, features: mddag.Features | None) -> RowTable:
    pandas = needed("pandas", "csv files")
    tabs = ".tsv" in [suffix.lower() for suffix in Path(path).suffixes]
    how: dict[str, Any] = {"sep": layout.delimiter or ("\t" if tabs else ","), "low_memory": False}
    # pandas would rename the second of two columns of one name, so names are read as a row
    head = pandas.read_csv(path, nrows=1, header=None, dtype=str, keep_default_na=False, **how)
    first = head.iloc[0][lambda given: given != ""]  # it gives the others names of their own
    if first.duplicated().any():
        twice = few(first[first.duplicated()].unique())
        raise InputError(f"{path!r} has several columns of one name: {twice}")
    names = [str(name) for name in pandas.read_csv(path, nrows=0, **how).columns]
    text = _text_categories(features)
    absent = {name: [m for m in MISSING if m not in text.get(name, ())] for name in names}
    with warnings.catch_warnings():  # of rows that have more fields than there are names
        warnings.simplefilter("error", pandas.errors.ParserWarning)
        frame = pandas.read_csv(
            path, dtype=dict.fromkeys(text, str), na_values=absent, keep_default_na=False,
            index_col=False, **how,
        )  # fmt: skip
    return _of_frame(path, frame, layout, features)


def _text_categories(features: mddag.Features | None) -> dict[str, tuple[str, ...]]:
    """Return, by column, categories that are strings, though a csv file may have numbers."""
    if features is None or features.names is None:
        return {}
    return {
        features.names[i]: tuple(values)
        for i, values in features.categories.items()
        if values and all(isinstance(value, str) for value in values)
    }


def _arrow(path: str, layout: Layout, features: mddag.Features | None) -> RowTable:
    kind = "parquet" if path.lower().endswith((".parquet", ".pq")) else "feather"
    needed("pandas", f"{kind} files")
    table = needed(f"pyarrow.{kind}", f"{kind} files").read_table(path)
    table.validate(full=True)  # a damaged file may crash what follows
    return _of_frame(path, table.to_pandas(), layout, features)


def _of_frame(path: str, frame: Any, layout: Layout, features: mddag.Features | None) -> RowTable:
    """Split features from labels and the rest; then take the rows wanted."""
    names = {"target": layout.target, "qid": layout.qid, "weight": layout.weight}
    given = {option: name for option, name in names.items() if name is not None}
    for option, name in [*given.items(), *(("drop", name) for name in layout.drop or ())]:
        if name not in frame:
            raise InputError(f"{path!r} has no column {name!r} for --{option}; it has {few(frame)}")
    y, qid, weight = (None if n is None else _column(frame[n]) for n in names.values())
    rest = frame.drop(columns=[*given.values(), *(layout.drop or ())])
    return RowTable(path, _model_columns(rest, features, path), whole_labels(y, path), qid, weight)


def _column(column: Any) -> NDArray[Any]:
    """Return a pandas column as an array: numbers, or strings of numpy's own type."""
    values: NDArray[Any] = np.asarray(column)
    if values.dtype.kind == "O" and all(isinstance(v, str) for v in values.tolist()):
        return values.astype(str)
    return values


def _npz(path: str, layout: Layout, features: mddag.Features | None) -> RowTable:
    names = layout.target or "y", layout.qid or "qid", layout.weight
    with np.load(path, allow_pickle=False) as archive:
        if "X" not in getattr(archive, "files", ()):
            raise InputError(f"{path!r} has no array 'X' for the rows")
        X = archive["X"]
        y, qid, weight = (archive[n] if n in archive.files else None for n in names)
    for name, column in ((layout.target, y), (layout.qid, qid), (layout.weight, weight)):
        if name is not None and column is None:
            raise InputError(f"{path!r} has no array {name!r}")
    if X.ndim == 3 and features is not None and getattr(features, "window", None) is None:
        X = X.reshape(len(X), -1)
    return RowTable(path, X, whole_labels(y, path), qid, weight)


READERS: dict[str, Callable[[str, Layout, mddag.Features | None], RowTable]] = {
    **dict.fromkeys((".csv", ".tsv"), _csv),
    **dict.fromkeys((".parquet", ".pq", ".arrow", ".feather"), _arrow),
    ".npz": _npz,
}


def _model_columns(frame: Any, features: mddag.Features | None, path: str) -> Any:
    """Return the columns that the model knows by name, in its order; all if it knows none."""
    if features is None or features.names is None:
        return frame
    names = list(frame.columns)
    spelled = {str(name).replace(" ", "_"): name for name in names}  # LightGBM's spelling
    spelled |= {str(name): name for name in names}
    absent = [name for name in features.names if name not in spelled]
    if absent:
        raise InputError(
            f"{path!r} lacks {len(absent)} of the {features.n} columns that the model reads: "
            f"{few(absent, 5)}; it has {few(names)}"
        )
    chosen = frame[[spelled[name] for name in features.names]]
    chosen.columns = list(features.names)
    return chosen


def whole_labels(y: NDArray[Any] | None, path: str) -> NDArray[Any] | None:
    """Return labels; whole floats become integers, and none may be missing."""
    if y is None:
        return None
    missing = [value is None or value != value for value in y.tolist()]
    if any(missing):
        raise InputError(f"{path!r} has no label in row {missing.index(True)}; leave the row out")
    if y.dtype.kind == "f" and np.isfinite(y).all() and (y == np.round(y)).all():
        return y.astype(np.int64) if np.abs(y).max(initial=0) < 2**53 else y
    return y


def _slice(text: str) -> slice:
    first, colon, end = text.partition(":")
    try:
        if not colon:
            raise ValueError
        return slice(*(int(part) if part else None for part in (first, end)))
    except ValueError:
        raise UsageError(f"--rows is {text!r}; wanted FIRST:END, such as 0:1000") from None


def _checked(table: RowTable, features: mddag.Features | None) -> RowTable:
    """Return the table, if its parts belong together."""
    for name in ("y", "qid", "weight"):
        column = getattr(table, name)
        if column is not None and (column.ndim != 1 or len(column) != len(table)):
            raise InputError(
                f"{table.path!r} has {len(table)} rows, but {name} is of shape {column.shape}"
            )
    width = np.shape(table.X)[1] if np.ndim(table.X) == 2 else None
    if features is not None and width is not None and width != features.n_given:
        raise InputError(
            f"{table.path!r} has {width} columns of features, but the model reads "
            f"{features.n_given}; name columns that are no features by --target, --qid, --drop"
        )
    return table
