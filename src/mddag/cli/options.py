"""Define options that several commands share, and the decorator that makes commands.

A command takes an ``Output`` first and returns nothing, or an ``ExitCode``. A parameter ``layout``
or ``learning`` stands for all options of that table.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import Enum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import numpy as np
import typer

import mddag
from mddag.cli.output import ExitCode, Output, UsageError, exit_of
from mddag.cli.tables import Layout, RowTable
from mddag.solvers.solver import configured


class SolverName(Enum):
    """The solvers by what they are called at the command line."""

    Portfolio = "portfolio"
    Margin = "margin"
    Prefix = "prefix"
    QWYC = "qwyc"
    Residual = "residual"
    Stopping = "stopping"
    Descent = "descent"
    Sarsa = "sarsa"
    WatkinsQ = "watkins-q"


METRICS = {
    "accuracy": "Accuracy",
    "log-loss": "LogLoss",
    "roc-auc": "RocAuc",
    "ndcg": "NDCG",
    "mean-ndcg": "MeanNDCG",
    "letor-ndcg": "LetorNDCG",
}
WITH_DEPTH = {"ndcg", "letor-ndcg"}  # such as ndcg:10

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
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of all that is drawn.")]


@dataclass(frozen=True)
class Learning:
    """How a policy is learned from the rows of a file: options of the commands that learn one."""

    solver: Annotated[SolverName, typer.Option("--solver", help="How it is learned.")] = (
        SolverName.Portfolio
    )
    encode_labels: Annotated[
        bool,
        typer.Option("--encode-labels", help="Labels become codes 0, 1, … in sorted order."),
    ] = False
    threads: Threads = 1
    seed: Seed = 0

    def make_solver(self) -> Any:
        """Make the solver, on as many threads as it can use."""
        made = getattr(mddag.solvers, self.solver.name)()
        return configured(made, n_jobs=self.threads)

    def labels(self, table: RowTable, like: RowTable | None = None) -> Any:
        """Return the labels of a table, or their codes among those of `like`, by default its own.

        LightGBM and XGBoost files know their classes by these codes alone.
        """
        if not self.encode_labels:
            return table.labels
        classes = np.unique((table if like is None else like).labels)
        codes = np.searchsorted(classes, table.labels).clip(max=len(classes) - 1)
        unknown = classes[codes] != table.labels
        if unknown.any():
            raise UsageError(
                f"{table.path!r} has the label {table.labels[unknown][0]!r}, which the rows that "
                "are learned from do not have; wanted the same labels in both"
            )
        return codes


TABLES: dict[str, type] = {"layout": Layout, "learning": Learning}
READ = ("model", "data", "test", "other")  # parameters with files to read
WRITTEN = {"file": "the file to write", "plot": "--plot"}


def command(function: Callable[..., ExitCode | None]) -> Callable[..., None]:
    """Make a function a command, as typer takes it."""
    own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
    used = {p.name: TABLES[p.name] for p in own if p.name in TABLES}
    parameters = [p for p in own if p.name not in used]
    for table in (*used.values(), Output):
        kinds = get_type_hints(table, include_extras=True)
        fields_of = inspect.signature(table).parameters.values()
        parameters += [p.replace(annotation=kinds[p.name]) for p in fields_of]
    names = {p.name for p in parameters}

    @wraps(function)
    def wrapped(**given: Any) -> None:
        out = Output(**{field.name: given.pop(field.name) for field in fields(Output)})
        try:
            _check(given)
            for name, table in used.items():
                given[name] = table(**{f.name: given.pop(f.name) for f in fields(table)})
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
    """Make a metric; None stands for the default one."""
    if text is None:
        return None
    name, colon, depth = text.partition(":")
    if name not in METRICS or (colon and name not in WITH_DEPTH):
        raise UsageError(f"--metric is {text!r}; wanted one of {', '.join(METRICS)}, or ndcg:10")
    made: Callable[..., Any] = getattr(mddag.metrics, METRICS[name])
    if name not in WITH_DEPTH:
        return made()
    if not (depth or "10").isdecimal() or int(depth or 10) == 0:
        raise UsageError(f"--metric is {text!r}; wanted a depth of 1 or more, such as {name}:10")
    return made(int(depth or 10))
