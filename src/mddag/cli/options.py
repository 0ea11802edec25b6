"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from mddag.cli.choices import SOLVERS, completed
from mddag.cli.exits import UsageError
from mddag.cli.tables import SUFFIXES, Layout

ModelFile = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL", help="A model file: .mddag, LightGBM .txt, XGBoost .json/.ubj, CatBoost."
    ),
]
RowsFile = Annotated[
    Path,
    typer.Argument(metavar="ROWS", help="Rows: csv, parquet, arrow or npz."),
]
Out = Annotated[Path, typer.Option("--out", "-o", help="The file to write.")]
Threads = Annotated[int, typer.Option("--threads", min=-1, help="Threads; -1 for all cores.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of all that is drawn.")]
SolverName = Annotated[
    str,
    typer.Option(
        "--solver",
        help="portfolio, margin, prefix, descent, sarsa, ….",
        autocompletion=completed(SOLVERS),
    ),
]

# Where rows, labels and the rest are in a file: the fields of Layout, and their defaults.
LAYOUT: dict[str, tuple[Any, Any]] = {
    "target": (
        Annotated[str | None, typer.Option("--target", "-t", help="Column of labels.")],
        None,
    ),
    "qid": (Annotated[str | None, typer.Option("--qid", help="Column of queries.")], None),
    "weight": (Annotated[str | None, typer.Option("--weight", help="Column of weights.")], None),
    "drop": (
        Annotated[
            list[str] | None,
            typer.Option("--drop", help="No feature; repeatable."),
        ],
        None,
    ),
    "where": (
        Annotated[
            str | None,
            typer.Option("--where", metavar="COLUMN=VALUE", help="Only rows where this holds."),
        ],
        None,
    ),
    "rows": (
        Annotated[
            str | None,
            typer.Option("--rows", metavar="FIRST:END", help="Only these rows, from 0 on."),
        ],
        None,
    ),
    "format": (
        Annotated[
            str | None,
            typer.Option(
                "--format",
                help=f"Of the rows: {', '.join(SUFFIXES)}.",
                autocompletion=completed(SUFFIXES),
            ),
        ],
        None,
    ),
    "delimiter": (
        Annotated[str | None, typer.Option("--delimiter", help="Of csv; a comma by default.")],
        None,
    ),
    "array": (Annotated[str, typer.Option("--array", help="Of npz: the array of rows.")], "X"),
}


def layout_of(**given: Any) -> Layout:
    """The Layout of these options."""
    kind = given["format"]
    if kind is not None and kind not in SUFFIXES:
        raise UsageError(f"--format is {kind!r}; wanted one of {', '.join(SUFFIXES)}")
    given["drop"] = tuple(given["drop"] or ())
    return Layout(**given)


def checked_threads(threads: int) -> int:
    """The number of threads, if it is one."""
    if threads == 0:
        raise UsageError("--threads is 0; wanted 1 or more, or -1 for all cores")
    return threads
