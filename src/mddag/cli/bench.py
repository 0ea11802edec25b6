"""``mddag bench``: how long a model file takes to load, one row, and a batch.

Each is measured apart, in this process, on one thread unless more are wanted: percentiles of
loading the file, of single rows one after the other, and of whole batches, per row. The first calls
are left out.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from time import perf_counter_ns
from typing import Annotated, Any

import numpy as np
import typer

import mddag
from mddag.cli.command import command
from mddag.cli.exits import UsageError
from mddag.cli.models import Opened, open_model
from mddag.cli.options import ModelFile, RowsFile, Threads, checked_threads
from mddag.cli.output import Output, table
from mddag.cli.tables import Layout, Table, read_table

PERCENTILES = (50, 90, 99, 99.9)
WARM = 3  # calls that are left out


@command
def bench(
    out: Output,
    model: ModelFile,
    data: RowsFile,
    layout: Layout,
    loads: Annotated[int, typer.Option(min=1, help="How often the file is loaded.")] = 30,
    singles: Annotated[int, typer.Option(min=1, help="How many single rows.")] = 10_000,
    batches: Annotated[int, typer.Option(min=1, help="How many batches.")] = 30,
    batch: Annotated[
        int | None, typer.Option(min=1, help="Rows of a batch; all rows by default.")
    ] = None,
    threads: Threads = 1,
) -> None:
    """Measure loading, single rows and batches: P50 to P99.9."""
    opened = open_model(model, checked_threads(threads))
    if opened.needs_queries:
        raise UsageError("the model decides by whole queries, so single rows have no time")
    given = read_table(data, layout, opened.features)
    rows = _rows(opened, given)
    n_batch = min(batch or len(rows), len(rows))
    fields: dict[str, Any] = {
        "file": str(model),
        "library": opened.library,
        "machine": platform.machine(),
        "threads": threads,
        "rows": len(rows),
        "batch": n_batch,
        "evaluations_per_row": float(np.mean(opened.n_evaluated(given))),
        "load_ms": percentiles(lambda i: _loaded(opened), loads, 1e6),
        "one_row_us": percentiles(_one(opened, rows), singles, 1e3),
        "batch_ns_per_row": percentiles(_batch(opened, rows, n_batch), batches, float(n_batch)),
    }
    out.result(fields, _text(fields))


def percentiles(call: Callable[[int], Any], n: int, unit: float) -> dict[str, float]:
    """Of the times of n calls, in nanoseconds over `unit`."""
    for i in range(WARM):
        call(i)
    times = np.empty(n)
    for i in range(n):
        began = perf_counter_ns()
        call(i)
        times[i] = perf_counter_ns() - began
    found = np.percentile(times / unit, PERCENTILES).tolist()
    return {f"p{p:g}": value for p, value in zip(PERCENTILES, found, strict=True)} | {"n": n}


def _rows(opened: Opened, given: Table) -> Any:
    """Rows as a server would hold them: encoded, float32, one behind the other."""
    if np.ndim(given.X) == 3:
        return given.X
    return np.ascontiguousarray(opened.predictor.encode(given.X), np.float32)


def _loaded(opened: Opened) -> Any:
    if opened.source is None:
        return mddag.load(opened.path)
    return open_model(opened.path)


def _one(opened: Opened, rows: Any) -> Callable[[int], Any]:
    predict, n = opened.predictor.predict_one, len(rows)
    singles = [rows[i] for i in range(min(n, 10_000))]
    return lambda i: predict(singles[i % len(singles)])


def _batch(opened: Opened, rows: Any, size: int) -> Callable[[int], Any]:
    predict, n_starts = opened.predictor.predict, max(len(rows) // size, 1)
    return lambda i: predict(rows[(i % n_starts) * size : (i % n_starts + 1) * size])


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
    return f"{table(head, lines)}\n{mean}; {about}"
