"""``mddag predict``: labels (means, readings) of the rows of a file."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from mddag._internal.whole_file import write_whole
from mddag.cli.command import command
from mddag.cli.exits import InputError, UsageError
from mddag.cli.models import Opened, open_model
from mddag.cli.options import ModelFile, RowsFile, Threads, checked_threads
from mddag.cli.output import Output
from mddag.cli.tables import Layout, Table, read_table

SUFFIXES = (".csv", ".npz")


@command
def predict(
    out: Output,
    model: ModelFile,
    data: RowsFile,
    layout: Layout,
    file: Annotated[
        Path | None, typer.Option("--out", "-o", help="A .csv or .npz; standard output by default.")
    ] = None,
    proba: Annotated[bool, typer.Option("--proba", help="Add the class probabilities.")] = False,
    evaluations: Annotated[
        bool, typer.Option("--evaluations", help="Add the base classifiers that rows needed.")
    ] = False,
    threads: Threads = 1,
) -> None:
    """Predict the rows of a file; with --target also count the errors."""
    if file is not None and file.suffix not in SUFFIXES:
        raise UsageError(f"--out is {str(file)!r}; wanted a name with {' or '.join(SUFFIXES)}")
    opened = open_model(model, checked_threads(threads))
    table = read_table(data, layout, opened.features)
    columns = _columns(opened, table, proba, evaluations)
    quality = _quality(opened, table, columns["prediction"]) if layout.target else {}
    if file is not None:
        write_whole(file, _content(columns, file.suffix))
        fields = {"file": str(file), "n_rows": len(table), **quality}
        out.result(fields, "\n".join([f"written: {file}", *_lines(quality)]))
        return
    if out.as_json:
        out.result({**columns, **quality}, "")
        return
    print(_content(columns, ".csv").decode(), end="", flush=True)
    for line in _lines(quality):
        out.note(line)


def _columns(opened: Opened, table: Table, proba: bool, evaluations: bool) -> dict[str, Any]:
    """What is written, column by column."""
    columns: dict[str, Any] = {"prediction": opened.predict(table)}
    if proba:
        if opened.predictor.classes_ is None or opened.predictor.model.calibration is None:
            raise InputError(
                f"{opened.path!r} has no calibrated probabilities; those of a model that "
                "mddag sparsify or train wrote have"
            )
        shares = opened.predictor.predict_proba(table.X)
        labels = opened.predictor.classes_.tolist()
        columns |= {f"p_{label}": shares[:, k] for k, label in enumerate(labels)}
    if evaluations:
        columns["n_evaluated"] = opened.n_evaluated(table)
    return columns


def _quality(opened: Opened, table: Table, predicted: Any) -> dict[str, Any]:
    """What the labels say of the predictions."""
    y = table.labels
    if opened.predictor.classes_ is not None:
        return {"error": float(np.mean(predicted.astype(str) != y.astype(str)))}
    if opened.ensemble.kind == "ranker":
        return {}
    return {"mean_squared_error": float(np.mean((predicted - y.astype(float)) ** 2))}


def _lines(quality: dict[str, Any]) -> list[str]:
    return [f"{name.replace('_', ' ')}: {value:.6g}" for name, value in quality.items()]


def _content(columns: dict[str, Any], suffix: str) -> bytes:
    """The file with these columns."""
    if suffix == ".npz":
        data = io.BytesIO()
        np.savez(data, **columns)
        return data.getvalue()
    text = io.StringIO()
    import csv

    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(np.asarray(c).tolist() for c in columns.values()), strict=True))
    return text.getvalue().encode()
