"""Read rows from a file: csv, parquet, arrow or npz.

``read_table`` gives rows X, labels y, queries and weights. If a model knows its columns by name,
exactly these are taken, in the model's order; other columns are left out. Whatever is wrong with a
file raises InputError, one line that names the file.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import lzma
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from typer import Option

import mddag
from mddag.cli.output import AbsentError, InputError, StopError, UsageError, one_line

Format = Literal["csv", "parquet", "arrow", "npz"]
SUFFIXES: dict[Format, tuple[str, ...]] = {
    "csv": (".csv", ".tsv"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "npz": (".npz",),
}
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
    """Where in a file rows, labels and the rest are: options of every command that reads rows.

    Names are those of columns, or of arrays in npz. The column of `where` is no feature, unless the
    model reads it by name; `format` goes by the name of the file if it is None.
    """

    target: Annotated[Text, Option("--target", "-t", help="Column of labels.")] = None
    qid: Annotated[Text, Option("--qid", help="Column of queries.")] = None
    weight: Annotated[Text, Option("--weight", help="Column of weights.")] = None
    drop: Annotated[list[str] | None, Option("--drop", help="No feature; repeatable.")] = None
    where: Annotated[
        Text, Option("--where", metavar="COLUMN=VALUE", help="Only rows where this holds.")
    ] = None
    rows: Annotated[
        Text, Option("--rows", metavar="FIRST:END", help="Only these rows, from 0 on.")
    ] = None
    format: Annotated[Format | None, Option("--format", help="Of the rows.")] = None
    delimiter: Annotated[Text, Option("--delimiter", help="Of csv; a comma by default.")] = None
    array: Annotated[str, Option("--array", help="Of npz: the array of rows.")] = "X"


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

    def taken(self, rows: Any) -> RowTable:
        """Return some of the rows."""
        X = self.X.iloc[rows] if hasattr(self.X, "iloc") else self.X[rows]
        rest: dict[str, Any] = {
            name: None if (column := getattr(self, name)) is None else column[rows]
            for name in ("y", "qid", "weight")
        }
        return replace(self, X=X, **rest)


# Rows, and columns by name: those of a DataFrame of rows, or further arrays.
Read = tuple[Any, Any]


def read_table(
    path: str | os.PathLike[str],
    layout: Layout | None = None,
    features: mddag.Features | None = None,
) -> RowTable:
    """Read the rows of a file, for a model that reads `features` if that is given."""
    layout = Layout() if layout is None else layout
    name = os.fspath(path)
    check_file(name)
    read = READERS[layout.format or format_of(name)]
    try:
        rows, columns = read(name, layout, features)
        table = _split(name, rows, columns, layout, features)
        return _checked(table, features)
    except (StopError, MemoryError):
        raise
    except ImportError as error:
        raise AbsentError(f"cannot read {name!r}: {one_line(error)}") from error
    except Exception as error:
        reason = f"{type(error).__name__}: {one_line(error):.200}".rstrip(": ")
        raise InputError(f"cannot read {name!r}: {reason}") from error


def check_file(name: str) -> None:
    """Reject what is no file that can be read."""
    if not os.path.exists(name):
        raise InputError(f"there is no file {name!r}")
    if os.path.isdir(name):
        raise InputError(f"{name!r} is a folder; wanted a file")
    if not os.access(name, os.R_OK):
        raise InputError(f"{name!r} may not be read; change its mode")
    if os.path.isfile(name) and os.path.getsize(name) == 0:
        raise InputError(f"{name!r} is empty (0 bytes)")


def format_of(name: str) -> Format:
    """Return the format that the name of a file stands for."""
    path = Path(name)
    suffixes = [s.lower() for s in path.suffixes]
    if suffixes and suffixes[-1] in PACKED:
        suffixes.pop()
    last = suffixes[-1] if suffixes else ""
    for kind, ends in SUFFIXES.items():
        if last in ends:
            return kind
    known = ", ".join(end for ends in SUFFIXES.values() for end in ends)
    raise InputError(f"{name!r} has no known end ({known}); name its format by --format")


def column_values(column: Any) -> NDArray[Any]:
    """Return a pandas column as an array: numbers, or strings of numpy's own type."""
    values: NDArray[Any] = np.asarray(column)
    if values.dtype.kind == "O" and all(isinstance(v, str) for v in values.tolist()):
        return values.astype(str)
    return values


def few(names: Any, most: int = 8) -> str:
    """List the first of some names."""
    listed = [str(name) for name in names]
    return ", ".join(listed[:most]) + (", …" if len(listed) > most else "") or "none"


def _csv(path: str, layout: Layout, features: mddag.Features | None) -> Read:
    pandas = needed("pandas", "csv files")
    tabs = ".tsv" in [s.lower() for s in Path(path).suffixes]
    how: dict[str, Any] = {"sep": layout.delimiter or ("\t" if tabs else ","), "low_memory": False}
    names = _names(path, pandas, how)
    if len(names) == 1 and layout.delimiter is None:
        other = next((mark for mark in ";\t|" if mark in names[0]), None)
        if other is not None:
            raise InputError(f"{path!r} has one column; --delimiter {other!r} may split it")
    twice = [name for name in dict.fromkeys(names) if name and names.count(name) > 1]
    if twice:
        raise InputError(f"{path!r} has several columns {twice[0]!r}; rename them, or leave one")
    text = _text_categories(features)
    absent = {name: [m for m in MISSING if m not in text.get(name, ())] for name in names}
    frame = pandas.read_csv(
        path, dtype=dict.fromkeys(text, str), na_values=absent, keep_default_na=False, **how
    )
    if frame.iloc[:, -1].isna().any():  # which is what short rows have
        _check_widths(path, len(names), how["sep"])
    return frame, frame


def _names(path: str, pandas: Any, how: dict[str, Any]) -> list[str]:
    """Return the names in the first line of a csv file, one for each field of the second.

    pandas takes the first of further fields for an index, which shifts all names.
    """
    try:
        head = pandas.read_csv(path, header=None, nrows=2, dtype=str, keep_default_na=False, **how)
    except pandas.errors.ParserError as error:
        if "Expected" not in str(error):
            raise
        raise InputError(
            f"{path!r} has more fields in its first row than names of columns; name all columns, "
            "or remove the delimiters at the ends of rows"
        ) from error
    return [str(name) for name in head.iloc[0]]


def _check_widths(path: str, n_names: int, delimiter: str) -> None:
    """Reject rows with fewer fields than names, such as the end of a file that was cut."""
    suffix = Path(path).suffix.lower()
    if len(delimiter) != 1 or suffix == ".zip":
        return
    packed: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    with packed.get(suffix, open)(path, "rt", newline="", encoding="utf-8-sig") as file:
        for number, row in enumerate(csv.reader(file, delimiter=delimiter)):
            if 0 < len(row) < n_names:
                raise InputError(
                    f"{path!r} has {len(row)} fields in row {number - 1} (counted from 0), but "
                    f"{n_names} names of columns; wanted a delimiter for each, also where "
                    "values are missing"
                )


def _text_categories(features: mddag.Features | None) -> dict[str, tuple[str, ...]]:
    """Return, by column, categories that are strings, though a csv file may have numbers."""
    if features is None or features.names is None:
        return {}
    return {
        features.names[i]: tuple(values)
        for i, values in features.categories.items()
        if values and all(isinstance(value, str) for value in values)
    }


def _arrow(path: str, layout: Layout, features: mddag.Features | None) -> Read:
    kind = layout.format or format_of(path)
    needed("pandas", f"{kind} files")
    arrow = needed("pyarrow", f"{kind} files")
    with arrow.memory_map(path) as source:
        if kind == "parquet":
            table = needed("pyarrow.parquet", "parquet files").read_table(source)
        else:
            try:
                table = arrow.ipc.open_file(source).read_all()
            except arrow.ArrowInvalid:
                source.seek(0)
                table = arrow.ipc.open_stream(source).read_all()
        table.validate(full=True)  # a damaged file may crash what follows
        frame = table.to_pandas()
        return frame, frame


def _npz(path: str, layout: Layout, features: mddag.Features | None) -> Read:
    with np.load(path, allow_pickle=False) as archive:
        if not hasattr(archive, "files"):
            raise InputError(f"{path!r} is one array; wanted an archive with {layout.array!r}")
        if layout.array not in archive.files:
            raise InputError(
                f"{path!r} has no array {layout.array!r} for the rows; it has "
                f"{few(archive.files)}: name it by --array"
            )
        wanted = {layout.target or "y", layout.qid or "qid", layout.weight}
        wanted |= {(layout.where or "").partition("=")[0]}
        others = {name: archive[name] for name in archive.files if name in wanted}
        X = archive[layout.array]
    window = getattr(features, "window", None)
    if X.ndim == 3 and window is None and features is not None:
        X = X.reshape(len(X), -1)
    return X, others


READERS: dict[Format, Callable[[str, Layout, mddag.Features | None], Read]] = {
    "csv": _csv,
    "parquet": _arrow,
    "arrow": _arrow,
    "npz": _npz,
}


def needed(module: str, what: str) -> Any:
    """Import an optional library, or say what to install."""
    from importlib import import_module

    library = module.partition(".")[0]
    try:
        return import_module(module)
    except ImportError:
        raise AbsentError(
            f"{what} need {library}, which is not installed: pip install {library}"
        ) from None


def _split(
    path: str, rows: Any, columns: Any, layout: Layout, features: mddag.Features | None
) -> RowTable:
    """Split features from labels and the rest; then take the rows wanted."""

    def column(name: str, what: str) -> NDArray[Any]:
        if name not in columns:
            raise InputError(f"{path!r} has no column {name!r} for {what}; it has {few(columns)}")
        if getattr(columns[name], "ndim", 1) != 1 and columns is rows:
            raise InputError(f"{path!r} has several columns {name!r}; rename them")
        return column_values(columns[name])

    names = {"target": layout.target, "qid": layout.qid, "weight": layout.weight}
    no_features = [name for name in names.values() if name is not None]
    if columns is not rows:  # arrays have usual names
        names["target"] = names["target"] or ("y" if "y" in columns else None)
        names["qid"] = names["qid"] or ("qid" if "qid" in columns else None)
    y, qid, weight = (None if n is None else column(n, f"--{what}") for what, n in names.items())
    chosen = None
    if layout.where is not None:
        name, equals, value = layout.where.partition("=")
        if not equals:
            raise UsageError(f"--where is {layout.where!r}; wanted COLUMN=VALUE")
        chosen = np.flatnonzero(column(name, "--where").astype(str) == value)
        if features is None or features.names is None or name not in features.names:
            no_features.append(name)
    if columns is rows:
        absent = [name for name in layout.drop or () if name not in columns]
        if absent:
            raise InputError(f"{path!r} has no column {absent[0]!r} to drop")
        rest = rows.drop(columns=[*no_features, *(layout.drop or ())])
        rows = _model_columns(rest, features, path)
    found = RowTable(path, rows, whole_labels(y, path), qid, weight)
    found = found if chosen is None else found.taken(chosen)
    return found if layout.rows is None else found.taken(_slice(layout.rows))


def _model_columns(frame: Any, features: mddag.Features | None, path: str) -> Any:
    """Return the columns that the model knows by name, in its order; all if it knows none."""
    if features is None or features.names is None:
        return frame
    spelled = {str(name).replace(" ", "_"): name for name in frame.columns}  # LightGBM's spelling
    spelled |= {str(name): name for name in frame.columns}
    absent = [name for name in features.names if name not in spelled]
    if absent:
        raise InputError(
            f"{path!r} lacks {len(absent)} of the {features.n} columns that the model reads: "
            f"{few(absent, 5)}; it has {few(frame.columns)}"
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
    if len(table) == 0:
        raise InputError(f"{table.path!r} has no rows (that were asked for)")
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
