"""``mddag sweep``: the trade-off of a model, one policy at each of several prices."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import mddag
from mddag.cli.choices import codes_of, prices_of, solver_of
from mddag.cli.command import command
from mddag.cli.exits import UsageError
from mddag.cli.models import Opened, open_model
from mddag.cli.options import (
    ModelFile,
    Out,
    RowsFile,
    Seed,
    SolverName,
    Threads,
    checked_threads,
)
from mddag.cli.output import Output, check_picture, write_picture
from mddag.cli.tables import Layout, Table, read_table

BETAS = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)


@command
def sweep(
    out: Output,
    model: ModelFile,
    data: RowsFile,
    file: Out,
    layout: Layout,
    betas: Annotated[str | None, typer.Option(help="Prices, such as 0.01,0.001.")] = None,
    test: Annotated[Path | None, typer.Option(help="Rows that only report.")] = None,
    picture: Annotated[Path | None, typer.Option(help="Draw the trade-off: .png, .svg.")] = None,
    models: Annotated[Path | None, typer.Option(help="A folder for the model of each.")] = None,
    solver: SolverName = "portfolio",
    encode_labels: Annotated[
        bool, typer.Option("--encode-labels", help="Labels become codes 0, 1, … in sorted order.")
    ] = False,
    threads: Threads = 1,
    seed: Seed = 0,
) -> None:
    """Learn a policy at each of several prices of an evaluation; write their losses and costs."""
    prices = prices_of(betas, BETAS)
    learner = solver_of(solver, checked_threads(threads))
    check_picture(picture)
    if models is not None and models.exists() and not models.is_dir():
        raise UsageError(f"--models is {str(models)!r}, which is a file; wanted a folder")
    opened = open_model(model)
    full = opened.full
    table = read_table(data, layout, opened.features)
    tested = None if test is None else read_table(test, layout, opened.features)
    y = _labels(table, encode_labels)
    y_test = None if tested is None else _labels(tested, encode_labels)
    curve = mddag.sweep(
        full, table.X, y, betas=prices, sample_weight=table.weight,
        X_test=None if tested is None else tested.X, y_test=y_test,
        sample_weight_test=None if tested is None else tested.weight,
        solver=learner, n_threads=threads, verbose=out.shows_progress,
        random_state=seed,
    )  # fmt: skip
    files = [] if models is None else _saved(models, opened, full, curve, table, y)
    if picture is not None:
        write_picture(mddag.TradeoffDisplay.from_curve(curve).figure_, picture)
    curve.to_csv(file)
    fields = {"file": str(file), "models": files, "columns": dict(curve.columns)}
    out.result(fields, f"{curve}\nwritten: {file}")


def _labels(table: Table, encoded: bool) -> Any:
    return codes_of(table.labels) if encoded else table.labels


def _saved(
    folder: Path, opened: Opened, full: Any, curve: mddag.Curve, table: Table, y: Any
) -> list[str]:
    """A model file for each policy, calibrated on the rows of the table."""
    folder.mkdir(exist_ok=True)
    of_numbers = opened.ensemble.kind == "regressor"
    estimator = mddag.MDDAGRegressor if of_numbers else mddag.MDDAGClassifier
    files = []
    for beta, policy in zip(curve.beta.tolist(), curve.policies, strict=True):
        path = folder / f"beta_{beta:g}.mddag"
        estimator(full, beta=beta).adopt(policy, table.X, y, table.weight).save(path)
        files.append(str(path))
    return files
