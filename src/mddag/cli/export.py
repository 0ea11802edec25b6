"""``mddag export``: a model as source code that needs no library, or as WebAssembly."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from mddag.cli.command import command
from mddag.cli.exits import AbsentError, UsageError
from mddag.cli.models import open_model
from mddag.cli.options import ModelFile
from mddag.cli.output import Output

LANGUAGES = {
    ".h": "c",
    ".java": "java",
    ".go": "go",
    ".rs": "rust",
    ".js": "javascript",
    ".mjs": "javascript",
    ".wasm": "wasm",
}
NAMED = ("c", "java", "go")
TOOLS = {"wasm": ("clang", "wasm-ld")}


@command
def export(
    out: Output,
    model: ModelFile,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write, such as net.h.")],
    language: Annotated[
        str | None, typer.Option(help="c, java, go, rust, javascript or wasm; by FILE's name.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Of C's identifiers, Java's class, Go's package.")
    ] = None,
    integer_thresholds: Annotated[
        bool, typer.Option("--integer-thresholds", help="Of C: features are whole numbers.")
    ] = False,
) -> None:
    """Write a model as source code of another language."""
    chosen = _language(file, language)
    if name is not None and chosen not in NAMED:
        raise UsageError(f"--name is {name!r}, but a module of {chosen} is named by its file")
    if name is not None and not (name.isascii() and name.isidentifier()):
        raise UsageError(f"--name is {name!r}; wanted an identifier, such as model")
    if integer_thresholds and chosen != "c":
        raise UsageError(f"--integer-thresholds is for c, but the language is {chosen}")
    absent = [tool for tool in TOOLS.get(chosen, ()) if shutil.which(tool) is None]
    if absent:
        raise AbsentError(f"{chosen} takes {' and '.join(absent)}; install what is missing")
    how: dict[str, Any] = {"name": name, "integer_thresholds": integer_thresholds}
    exported = open_model(model).predictor.export(file, chosen, **how)
    out.result(asdict(exported), f"{exported}\nwritten: {file}")


def _language(file: Path, given: str | None) -> str:
    known = dict.fromkeys(LANGUAGES.values())
    if given is not None and given not in known:
        raise UsageError(f"--language is {given!r}; wanted one of {', '.join(known)}")
    if given is None and file.suffix not in LANGUAGES:
        raise UsageError(
            f"FILE is {str(file)!r}; wanted a name with {', '.join(LANGUAGES)}, or --language"
        )
    return given or LANGUAGES[file.suffix]
