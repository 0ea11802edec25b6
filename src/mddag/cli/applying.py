"""Define the commands that use a model: predict, explain, inspect, report, export and bench."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from time import perf_counter_ns
from typing import Annotated, Any

import numpy as np
import typer

import mddag
from mddag._utils.output import write_whole
from mddag.cli.models import Opened, open_model
from mddag.cli.options import ModelFile, Out, Plot, RowsFile, Threads, command
from mddag.cli.output import (
    AbsentError,
    InputError,
    Output,
    UsageError,
    aligned,
    check_plot,
    one_line,
    write_plot,
)
from mddag.cli.tables import Layout, RowTable, read_table
from mddag.serving.export import Language


@command
def predict(
    out: Output,
    model: ModelFile,
    data: RowsFile,
    layout: Layout,
    file: Annotated[
        Path | None, typer.Option("--out", "-o", help="A csv file; standard output by default.")
    ] = None,
    proba: Annotated[bool, typer.Option("--proba", help="Add the class probabilities.")] = False,
    evaluations: Annotated[
        bool, typer.Option("--evaluations", help="Add the base classifiers that rows needed.")
    ] = False,
    threads: Threads = 1,
) -> None:
    """Predict the rows of a file; with --target also count the errors."""
    opened = open_model(model, threads)
    table = read_table(data, layout, opened.features)
    columns = _columns(opened, table, proba, evaluations)
    predicted, quality = columns["prediction"], {}
    if layout.target and opened.predictor.classes_ is not None:
        quality["error"] = float(np.mean(predicted.astype(str) != table.labels.astype(str)))
    elif layout.target and opened.ensemble.kind != "ranker":
        errors = predicted - table.labels.astype(float)
        quality["mean_squared_error"] = float(np.mean(errors**2))
    lines = [f"{name.replace('_', ' ')}: {value:.6g}" for name, value in quality.items()]
    if file is not None:
        write_whole(file, _csv(columns).encode())
        fields = {"file": str(file), "n_rows": len(table), **quality}
        out.result(fields, "\n".join([f"written: {file}", *lines]))
    elif out.as_json:
        out.result({**columns, **quality}, "")
    else:
        print(_csv(columns), end="", flush=True)
        for line in lines:
            out.note(line)


def _columns(opened: Opened, table: RowTable, proba: bool, evaluations: bool) -> dict[str, Any]:
    """Return what is written, column by column."""
    columns: dict[str, Any] = {"prediction": opened.asked(opened.predictor.predict, table)}
    if proba:
        if not opened.predictor.has_probabilities:
            raise InputError(
                f"{opened.path!r} has no calibrated probabilities; those of a model that "
                "mddag sparsify or train wrote have"
            )
        shares = opened.predictor.predict_proba(table.X)
        labels = np.asarray(opened.predictor.classes_).tolist()
        columns |= {f"p_{label}": shares[:, k] for k, label in enumerate(labels)}
    if evaluations:
        columns["n_evaluated"] = opened.asked(opened.predictor.n_evaluated, table)
    return columns


def _csv(columns: dict[str, Any]) -> str:
    from pandas import DataFrame

    text: str = DataFrame(columns).to_csv(index=False)
    return text


@command
def explain(
    out: Output,
    model: ModelFile,
    data: RowsFile,
    layout: Layout,
    row: Annotated[int, typer.Option(min=0, help="The row to explain, counted from 0.")] = 0,
    plot: Plot = None,
) -> None:
    """Explain one row: rules in their order, what each added, why it stopped."""
    check_plot(plot)
    opened = open_model(model)
    table = read_table(data, layout, opened.features)
    if row >= len(table):
        raise InputError(f"{table.path!r} has {len(table)} rows, but --row is {row}")
    one: Any = table.taken(slice(row, row + 1)).X
    found = opened.predictor.explain(one if hasattr(one, "columns") else one[0])
    fields = {"file": str(model), "row": row, **found.to_dict()}
    if plot is not None:
        write_plot(found.plot().figure, plot)
        fields["plot"] = str(plot)
    out.result(fields, str(found))


@command
def inspect(out: Output, model: ModelFile) -> None:
    """Show what a model file holds: kind, base classifiers, features, what was measured."""
    opened = open_model(model)
    fields = _fields(opened)
    text = [
        f"{opened.path}: {opened.library}, {fields['bytes']} bytes",
        str(opened.predictor),
        f"missing values: {'allowed' if fields['missing_allowed'] else 'rejected'}",
    ]
    nominal = fields["categories"]
    text += [f"category columns: {', '.join(nominal)}"] if nominal else []
    out.result(fields, "\n".join(text))


def _fields(opened: Opened) -> dict[str, Any]:
    ensemble, model = opened.ensemble, opened.predictor.model
    features = ensemble.features
    policy, classes = model.dag.policy, ensemble.classes
    return {
        "file": opened.path,
        "library": opened.library,
        "bytes": os.path.getsize(opened.path),
        "kind": ensemble.kind,
        "n_classifiers": len(ensemble),
        "n_trees": ensemble.n_trees,
        "n_nodes": len(ensemble.nodes),
        "n_features": features.n_given,
        "feature_names": features.names,
        "categories": {str(features.called(i)): v for i, v in features.categories.items()},
        "missing_allowed": features.missing,
        "classes": classes,
        "bias": ensemble.bias,
        "policy": {
            "steps": policy.n_steps,
            "cells": policy.state.n_cells,
            "every": policy.every,
            "evaluates_all": policy.evaluates_all,
        },
        "calibrated": model.calibration is not None,
        "result": None if model.result is None else asdict(model.result),
    }


@command
def report(
    out: Output,
    model: ModelFile,
    file: Out,
    layout: Layout,
    data: Annotated[
        Path | None, typer.Argument(metavar="[ROWS]", help="Rows to show it on.")
    ] = None,
    threads: Threads = 1,
) -> None:
    """Write one HTML file that shows the model; it needs no network."""
    opened = open_model(model, threads)
    table = None if data is None else read_table(data, layout, opened.features)
    if table is None:
        opened.predictor.report(file)
    else:
        qid = table.qid if opened.predictor.model.dag.needs_queries else None
        opened.predictor.report(file, table.X, table.y, qid=qid)
    size = file.stat().st_size
    out.result({"file": str(file), "bytes": size}, f"written: {file}, {size} bytes")


LANGUAGES: dict[str, Language] = {
    ".h": "c",
    ".java": "java",
    ".go": "go",
    ".rs": "rust",
    ".js": "javascript",
    ".mjs": "javascript",
    ".wasm": "wasm",
}


@command
def export(
    out: Output,
    model: ModelFile,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write, such as net.h.")],
    language: Annotated[Language | None, typer.Option(help="By the end of FILE's name.")] = None,
    name: Annotated[
        str | None, typer.Option(help="Of C's identifiers, Java's class, Go's package.")
    ] = None,
    integer_thresholds: Annotated[
        bool, typer.Option("--integer-thresholds", help="Of C: features are whole numbers.")
    ] = False,
) -> None:
    """Write a model as source code of another language."""
    chosen = LANGUAGES.get(file.suffix) if language is None else language
    if chosen is None:
        raise UsageError(
            f"FILE is {str(file)!r}; wanted a name with {', '.join(LANGUAGES)}, or --language"
        )
    predictor = open_model(model).predictor
    try:
        exported = predictor.export(file, chosen, name=name, integer_thresholds=integer_thresholds)
    except RuntimeError as error:  # of compilers
        raise AbsentError(one_line(error)) from error
    out.result(asdict(exported), f"{exported}\nwritten: {file}")


PERCENTILES = (50, 90, 99, 99.9)
WARM = 3  # calls that are left out


@command
def bench(
    out: Output,
    model: ModelFile,
    data: RowsFile,
    layout: Layout,
    batch: Annotated[
        int | None, typer.Option(min=1, help="Rows of a batch; all rows by default.")
    ] = None,
    threads: Threads = 1,
) -> None:
    """Measure loading, single rows and batches: P50 to P99.9."""
    opened = open_model(model, threads)
    if opened.predictor.model.dag.needs_queries:
        raise UsageError("the model decides by whole queries, so single rows have no time")
    given = read_table(data, layout, opened.features)
    rows: Any = given.X  # as a server would hold them: encoded, float32, contiguous
    if np.ndim(rows) != 3:
        rows = np.ascontiguousarray(opened.predictor.encode(rows), np.float32)
    load: Callable[[str], Any] = mddag.load if opened.is_ours else mddag.as_ensemble
    predict, predict_one = opened.predictor.predict, opened.predictor.predict_one
    n_batch = min(batch or len(rows), len(rows))
    held = [rows[i] for i in range(min(len(rows), 10_000))]
    parts = [rows[i : i + n_batch] for i in range(0, len(rows) - n_batch + 1, n_batch)]
    fields: dict[str, Any] = {
        "file": str(model),
        "library": opened.library,
        "machine": platform.machine(),
        "threads": threads,
        "rows": len(rows),
        "batch": n_batch,
        "evaluations_per_row": float(np.mean(opened.predictor.n_evaluated(given.X))),
        "load_ms": percentiles(lambda i: load(opened.path), 30, 1e6),
        "one_row_us": percentiles(lambda i: predict_one(held[i % len(held)]), 10_000, 1e3),
        "batch_ns_per_row": percentiles(
            lambda i: predict(parts[i % len(parts)]), 30, float(n_batch)
        ),
    }
    out.result(fields, _text(fields))


def percentiles(call: Callable[[int], Any], n: int, unit: float) -> dict[str, float]:
    """Return percentiles of the times of n calls, in nanoseconds over `unit`."""
    for i in range(WARM):
        call(i)
    times = np.empty(n)
    for i in range(n):
        began = perf_counter_ns()
        call(i)
        times[i] = perf_counter_ns() - began
    found = np.percentile(times / unit, PERCENTILES).tolist()
    return {f"p{p:g}": value for p, value in zip(PERCENTILES, found, strict=True)} | {"n": n}


def _text(fields: dict[str, Any]) -> str:
    names = {"load_ms": "load, ms", "one_row_us": "one row, us"}
    names["batch_ns_per_row"] = f"batch of {fields['batch']}, ns per row"
    head = ["", *(f"P{p:g}" for p in PERCENTILES)]
    lines = [
        [label, *(f"{fields[key][f'p{p:g}']:.4g}" for p in PERCENTILES)]
        for key, label in names.items()
    ]
    about = f"{fields['library']}, {fields['threads']} thread(s), {fields['machine']}"
    mean = f"evaluations per row: {fields['evaluations_per_row']:.1f}"
    return f"{aligned(head, lines)}\n{mean}; {about}"
