"""Define options that several commands share, and the decorator that makes commands.

A command takes an ``Output`` first and returns nothing, or an ``ExitCode``. A parameter ``layout``
stands for all options of ``Layout``.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable
from dataclasses import fields
from enum import Enum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

import mddag
from mddag.cli.output import ExitCode, Output, UsageError, exit_of
from mddag.cli.tables import Layout
from mddag.solvers.solver import configured


class SolverName(Enum):
    """The solvers by what they are called at the command line."""

    Portfolio = "portfolio"
    Margin = "margin"
    Prefix = "prefix"
    QWYC = "qwyc"
    Residual = "residual"
    Descent = "descent"
    Sarsa = "sarsa"
    WatkinsQ = "watkins-q"


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
Plot = Annotated[Path | None, typer.Option("--plot", help="Draw it: .png, .svg or .pdf.")]
Threads = Annotated[int, typer.Option("--threads", min=-1, help="Threads; -1 for all cores.")]
Solver = Annotated[SolverName, typer.Option("--solver", help="How a policy is learned.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of all that is drawn.")]


def solver_of(name: SolverName, n_jobs: int) -> Any:
    """Make a solver, on as many threads as it can use."""
    return configured(getattr(mddag.solvers, name.name)(), n_jobs=n_jobs)


READ = ("model", "data", "test", "other")  # parameters with files to read
WRITTEN = {"file": "the file to write", "plot": "--plot"}


def command(function: Callable[..., ExitCode | None]) -> Callable[..., None]:
    """Make a function a command, as typer takes it."""
    own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
    parameters = [p for p in own if p.name != "layout"]
    reads_rows = len(parameters) < len(own)
    for table in (Layout, Output) if reads_rows else (Output,):
        kinds = get_type_hints(table, include_extras=True)
        fields_of = inspect.signature(table).parameters.values()
        parameters += [p.replace(annotation=kinds[p.name]) for p in fields_of]
    names = {p.name for p in parameters}

    @wraps(function)
    def wrapped(**given: Any) -> None:
        out = Output(**{field.name: given.pop(field.name) for field in fields(Output)})
        try:
            _check(given)
            if reads_rows:
                given["layout"] = Layout(**{f.name: given.pop(f.name) for f in fields(Layout)})
            with out.warning():
                code = function(out, **given) or ExitCode.OK
        except (typer.Exit, typer.BadParameter):
            raise
        except BaseException as error:
            if out.debug:
                raise
            code, line = exit_of(_of_option(error, names))
            complain(line)
        if code is not ExitCode.OK:
            raise typer.Exit(int(code))

    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {p.name: p.annotation for p in parameters}
    del wrapped.__wrapped__  # typer would read its types instead
    return wrapped


def _of_option(error: BaseException, options: set[str]) -> BaseException:
    """Return an error of the library about an argument as one of usage, about the option."""
    text = str(error)
    if type(error) not in (ValueError, TypeError):
        return error
    about = re.match(r"(\w+)(\[\d+\])? is ", text)
    if about is not None and about[1] in options:
        return UsageError(_flag(about[1]) + text[about.end(1) :])
    if text.startswith("got "):  # none or several of arguments of which one is wanted
        return UsageError(re.sub(rf"\b({'|'.join(options)})\b", lambda m: _flag(m[1]), text))
    return error


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _check(given: dict[str, Any]) -> None:
    """Reject zero threads, and writing over a file that the command reads."""
    if given.get("threads") == 0:
        raise UsageError("--threads is 0; wanted 1 or more, or -1 for all cores")
    read = [given[name] for name in READ if given.get(name) is not None]
    for name, what in WRITTEN.items():
        path = given.get(name)
        if path is None or not path.exists():
            continue
        if any(other.exists() and path.samefile(other) for other in read):
            raise UsageError(
                f"{what} is {str(path)!r}, which the command reads; wanted another name"
            )


def complain(line: str) -> None:
    """Print a line on standard error; none if the reader of standard output has gone."""
    if not line:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # Python flushes it at its end
        return
    print(f"mddag: {line}", file=sys.stderr, flush=True)


def metric_of(text: str | None) -> Any:
    """Return a metric of the library: NDCG of a depth, or one of scikit-learn's strings."""
    found = re.fullmatch(r"ndcg(?::([1-9]\d*))?", text or "")
    return text if found is None else mddag.metrics.NDCG(int(found[1] or 10))
