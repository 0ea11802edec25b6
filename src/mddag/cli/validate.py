"""``mddag validate``: does another form of a model give the same labels?

The two answer rows that are made from the model's own thresholds (on them and beside them, far
values, known and unknown categories), once with and once without missing values, and the rows of a
file if one is given. Differences are counted, and the first rows that differ are shown.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

import mddag
from mddag.adapters.adapter import probe_rows
from mddag.cli.answers import (
    UNKNOWN,
    Answer,
    answer_of_file,
    of_command,
    of_model,
    of_predictions,
)
from mddag.cli.command import command
from mddag.cli.exits import Exit, UsageError
from mddag.cli.models import Opened, open_model
from mddag.cli.options import ModelFile
from mddag.cli.output import Output, table
from mddag.cli.tables import Layout, Table, read_table

SHOWN = 5  # rows that differ
QUERY = 10  # made rows per query


@dataclass(frozen=True)
class Compared:
    """The answers to one batch of rows; `different` holds the numbers of rows that differ."""

    rows: str
    n_rows: int
    n_different: int
    different: list[dict[str, Any]]


@command
def validate(
    out: Output,
    model: ModelFile,
    layout: Layout,
    other: Annotated[
        Path | None,
        typer.Argument(metavar="[OTHER]", help="A model file, a C header (.h) or an .onnx file."),
    ] = None,
    run: Annotated[
        str | None, typer.Option(help="A program: csv on its standard input, labels on the other.")
    ] = None,
    predictions: Annotated[
        Path | None, typer.Option(help="A file of predictions for the rows of --data.")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="Rows to compare on, beside made ones.")] = None,
    n_rows: Annotated[int, typer.Option(min=1, help="Made rows of each kind.")] = 1000,
    allow: Annotated[
        float, typer.Option(min=0, max=1, help="Share of rows that may differ.")
    ] = 0.0,
    tolerance: Annotated[
        float, typer.Option(min=0, help="Of numbers (regressors), relative.")
    ] = 1e-5,
) -> Exit:
    """Compare two forms of a model, row by row; exit code 1 where they differ."""
    if sum(given is not None for given in (other, run, predictions)) != 1:
        raise UsageError("wanted one of OTHER, --run and --predictions to compare with")
    if predictions is not None and data is None:
        raise UsageError("--predictions are of rows; give these by --data")
    opened = open_model(model)
    single, answer = False, of_model(opened)
    if other is not None:
        theirs, single = answer_of_file(other, opened.ensemble)
    elif run is not None:
        theirs = of_command(run, opened.ensemble)
    else:
        theirs = of_predictions(str(predictions), opened.ensemble)
    batches = {} if predictions is not None else made_rows(opened.ensemble, n_rows)
    if data is not None:
        batches["rows of the file"] = _encoded(opened, read_table(data, layout, opened.features))
    compared = [
        compare(opened, name, _single(batch) if single else batch, answer, theirs, tolerance)
        for name, batch in batches.items()
    ]
    total = sum(c.n_rows for c in compared)
    n_different = sum(c.n_different for c in compared)
    fields = {
        "same": n_different == 0,
        "n_rows": total,
        "n_different": n_different,
        "batches": [asdict(c) for c in compared],
        "rounded_to_float32": single,
    }
    out.result(fields, _text(compared, single))
    return Exit.OK if n_different <= allow * total else Exit.DIFFERENT


def made_rows(ensemble: mddag.Ensemble, n_rows: int) -> dict[str, Table]:
    """Rows around the thresholds of a model, without and with missing values."""
    rows = probe_rows(ensemble, n_rows)
    if rows.ndim == 3:
        return {"patches of noise": Table("patches of noise", rows)}
    qid = np.arange(n_rows) // QUERY
    batches = {"at thresholds": Table("at thresholds", _filled(rows), qid=qid)}
    if ensemble.features.missing:
        batches["with missing values"] = Table("with missing values", rows, qid=qid)
    return batches


def _filled(rows: NDArray[Any]) -> NDArray[Any]:
    """The rows, each missing value replaced by one that the column has elsewhere."""
    full = rows.copy()
    for column in full.T:
        known = column[~np.isnan(column)]
        gaps = np.isnan(column)
        column[gaps] = np.resize(known, int(gaps.sum())) if len(known) else 0.0
    return full


def _encoded(opened: Opened, given: Table) -> Table:
    """Rows of a file as arrays, with codes for categories."""
    X = given.X
    if np.ndim(X) != 3:
        X = np.asarray(opened.predictor.encode(X), np.float64)
    return replace(given, X=X)


def _single(given: Table) -> Table:
    """Rows as code that reads float32 gets them."""
    if given.X.dtype == np.uint8:
        return given
    with np.errstate(over="ignore"):
        return replace(given, X=given.X.astype(np.float32))


def compare(
    opened: Opened, name: str, batch: Table, one: Answer, two: Answer, tolerance: float
) -> Compared:
    """The answers of two forms of a model to the same rows."""
    first, second = one(batch.X, batch.qid), two(batch.X, batch.qid)
    if opened.ensemble.classes is not None:
        wrong = np.flatnonzero(first != second)
    else:
        near = np.abs(first - second) <= tolerance * np.maximum(np.abs(first), 1.0)
        wrong = np.flatnonzero(~near)
    shown = [
        {
            "row": int(i),
            "answer": _named(opened, first[i]),
            "other": _named(opened, second[i]),
            "values": _values(opened, batch.X[i]),
        }
        for i in wrong[:SHOWN]
    ]
    return Compared(name, len(batch), len(wrong), shown)


def _named(opened: Opened, code: float) -> Any:
    classes = opened.ensemble.classes
    if classes is None:
        return float(code)
    return "unknown" if code == UNKNOWN else classes.tolist()[int(code)]


def _values(opened: Opened, row: NDArray[Any]) -> dict[str, float]:
    features = opened.features
    if row.ndim != 1:
        return {}
    return {str(features.called(i)): float(value) for i, value in enumerate(row)}


def _text(compared: list[Compared], single: bool) -> str:
    lines = [
        table(
            ["rows", "number", "different"],
            [[c.rows, str(c.n_rows), str(c.n_different)] for c in compared],
        )
    ]
    for c in compared:
        for found in c.different:
            values = ", ".join(f"{k}={v:.9g}" for k, v in list(found["values"].items())[:8])
            answers = f"{found['answer']!r} and {found['other']!r}"
            lines.append(f"{c.rows}, row {found['row']}: {answers} of {values}")
    if single:
        lines.append("rows were rounded to float32, which this form reads")
    lines.append("different" if any(c.n_different for c in compared) else "the same")
    return "\n".join(lines)
