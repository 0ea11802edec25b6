"""``mddag explain``: what a model does with one row of a file, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from mddag.cli.command import command
from mddag.cli.exits import InputError
from mddag.cli.models import open_model
from mddag.cli.options import ModelFile, RowsFile
from mddag.cli.output import Output, check_picture, write_picture
from mddag.cli.tables import Layout, read_table


@command
def explain(
    out: Output,
    model: ModelFile,
    data: RowsFile,
    layout: Layout,
    row: Annotated[int, typer.Option(min=0, help="The row to explain, counted from 0.")] = 0,
    picture: Annotated[Path | None, typer.Option(help="Draw the scores: .png, .svg.")] = None,
) -> None:
    """Explain one row: rules in their order, what each added, why it stopped."""
    check_picture(picture)
    opened = open_model(model)
    table = read_table(data, layout, opened.features)
    if row >= len(table):
        raise InputError(f"{table.path!r} has {len(table)} rows, but --row is {row}")
    one: Any = table.taken(slice(row, row + 1)).X
    found = opened.predictor.explain(one if hasattr(one, "columns") else one[0])
    fields = {"file": str(model), "row": row, **found.to_dict()}
    if picture is not None:
        write_picture(found.plot().figure_, picture)
        fields["picture"] = str(picture)
    out.result(fields, str(found))
