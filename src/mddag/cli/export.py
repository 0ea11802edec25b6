"""``mddag export``: a model as source code that needs no library."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import mddag
from mddag.cli.command import command
from mddag.cli.exits import UsageError
from mddag.cli.models import open_model
from mddag.cli.options import ModelFile
from mddag.cli.output import Output

LANGUAGES = {".h": "c"}


@command
def export(
    out: Output,
    model: ModelFile,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write, such as net.h.")],
    name: Annotated[str, typer.Option(help="What identifiers begin with.")] = "model",
    integer_thresholds: Annotated[
        bool, typer.Option("--integer-thresholds", help="Of C: features are whole numbers.")
    ] = False,
) -> None:
    """Write a model as a C header."""
    if file.suffix not in LANGUAGES:
        raise UsageError(f"FILE is {str(file)!r}; wanted a name with {', '.join(LANGUAGES)}")
    if not (name.isascii() and name.isidentifier()):
        raise UsageError(f"--name is {name!r}; wanted an identifier, such as model")
    opened = open_model(model)
    mddag.export_c(opened.predictor, file, name=name, integer_thresholds=integer_thresholds)
    fields = {"file": str(file), "language": LANGUAGES[file.suffix], "bytes": file.stat().st_size}
    out.result(fields, f"written: {file}, {fields['bytes']} bytes")
