"""``mddag report``: one HTML file that shows a model, on the rows of a file if one is given."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mddag.cli.command import command
from mddag.cli.models import open_model
from mddag.cli.options import ModelFile, Out, Threads, checked_threads
from mddag.cli.output import Output
from mddag.cli.tables import Layout, read_table


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
    opened = open_model(model, checked_threads(threads))
    table = None if data is None else read_table(data, layout, opened.features)
    if table is None:
        opened.predictor.report(file)
    else:
        qid = table.qid if opened.needs_queries else None
        opened.predictor.report(file, table.X, table.y, qid=qid)
    size = file.stat().st_size
    out.result({"file": str(file), "bytes": size}, f"written: {file}, {size} bytes")
