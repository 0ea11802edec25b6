"""Define the commands that learn: ``mddag train``, ``mddag sparsify`` and ``mddag sweep``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import mddag
from mddag.cli.models import open_model
from mddag.cli.options import (
    ModelFile,
    Out,
    Plot,
    RowsFile,
    Seed,
    Solver,
    SolverName,
    Threads,
    command,
    metric_of,
    solver_of,
)
from mddag.cli.output import ExitCode, InputError, Output, UsageError, check_plot, write_plot
from mddag.cli.tables import Layout, RowTable, read_table
from mddag.serving.model_file import Model

BOUNDS = ("max_loss", "max_disagreement")


@command
def train(
    out: Output,
    data: RowsFile,
    file: Out,
    layout: Layout,
    rounds: Annotated[int, typer.Option(min=1, help="Most rounds of boosting.")] = 100,
    learner: Annotated[
        Literal["stump", "tree", "haar"], typer.Option(help="The base learner.")
    ] = "stump",
    leaves: Annotated[int, typer.Option(min=2, help="Of a tree.")] = 8,
    early_stopping: Annotated[
        int | None, typer.Option(min=1, help="Stop after this many rounds without gain.")
    ] = None,
    threads: Threads = 1,
    seed: Seed = 0,
) -> None:
    """Train AdaBoost.MH and write it as a model file."""
    trees = mddag.learners.Tree(leaves) if learner == "tree" else mddag.learners.Stump()
    boost = mddag.AdaBoostMHClassifier(
        mddag.detection.Haar() if learner == "haar" else trees,
        n_rounds=rounds,
        early_stopping=early_stopping,
        calibration_fraction=0.1,
        verbose=out.shows_progress,
        n_jobs=threads,
        random_state=seed,
    )
    table = read_table(data, layout)
    X, y = training_rows(table, patches=learner == "haar"), table.labels
    boost.fit(X, y, table.weight)
    mddag.Predictor(Model(mddag.compile(boost.ensemble_), boost.calibration_)).save(file)
    error = float(boost.history_["error"][-1])
    fields = {
        "file": str(file),
        "n_rounds": boost.n_rounds_,
        "stopped_by": boost.stopped_by_,
        "training_error": error,
        "classes": boost.classes_,
    }
    text = f"{boost.n_rounds_} rounds of AdaBoost.MH, training error {error:.4f}"
    out.result(fields, f"{text}\nwritten: {file}")


def training_rows(table: RowTable, *, patches: bool) -> Any:
    """Return the rows of a table as boosting takes them: strings are categories."""
    X = table.X
    if not hasattr(X, "columns"):
        return X if patches or X.ndim != 3 else X.reshape(len(X), -1)
    if patches:
        raise InputError(f"{table.path!r} holds columns; haar wants gray patches: an npz file")
    texts = [name for name in X.columns if X[name].dtype.kind not in "fiub"]
    return X.astype(dict.fromkeys(texts, "category"))


@command
def sparsify(
    out: Output,
    model: ModelFile,
    data: RowsFile,
    file: Out,
    layout: Layout,
    beta: Annotated[
        float | None, typer.Option(min=0, help="Price of an evaluation, in units of the loss.")
    ] = None,
    budget: Annotated[
        float | None, typer.Option(min=0, help="Mean evaluations per row, at most.")
    ] = None,
    max_loss: Annotated[
        float | None, typer.Option(min=0, help="Accuracy (R2, metric) lost, at most.")
    ] = None,
    max_disagreement: Annotated[
        float | None, typer.Option(min=0, help="Share of labels changed, at most.")
    ] = None,
    confidence: Annotated[
        float, typer.Option(min=0, max=0.9999, help="Of bounds; 0 takes the point estimate.")
    ] = 0.9,
    metric: Annotated[
        str | None, typer.Option(help="What counts: scikit-learn's names, or ndcg:10.")
    ] = None,
    objective: Annotated[
        Literal["evaluations", "nodes", "time"], typer.Option(help="What is to be little.")
    ] = "evaluations",
    solver: Solver = SolverName.Portfolio,
    threads: Threads = 1,
    seed: Seed = 0,
) -> ExitCode:
    """Make a model sparse: rows decide by the few base classifiers that they need."""
    targets = {
        "beta": beta,
        "budget": budget,
        "max_loss": max_loss,
        "max_disagreement": max_disagreement,
    }
    how: dict[str, Any] = {name: value for name, value in targets.items() if value is not None}
    if how.keys() & set(BOUNDS):
        how["confidence"] = confidence or None
    how |= {"objective": objective, "metric": metric_of(metric)}
    made = solver_of(solver, threads)
    opened = open_model(model)
    full = opened.full
    table = read_table(data, layout, opened.features)
    how |= {"verbose": out.shows_progress, "random_state": seed}
    if opened.ensemble.kind == "ranker" or layout.qid is not None:
        exits = None if solver is SolverName.Portfolio else made
        fast = mddag.ranking.sparsify(full, table.X, table.y, qid=table.qid, solver=exits, **how)
    else:
        how |= {"sample_weight": table.weight, "solver": made, "n_jobs": threads}
        fast = mddag.sparsify(full, table.X, table.y, **how)
    fast.save(file)
    result = fast.result_
    out.result({"file": str(file), **asdict(result)}, f"{fast}\nwritten: {file}")
    return ExitCode.OK if _met(how, result) else ExitCode.DIFFERENT


def _met(wanted: dict[str, Any], result: Any) -> bool:
    """Tell whether what was wanted was reached by a policy that evaluates anything."""
    if wanted.keys() & set(BOUNDS):
        return not result.evaluates_all
    return "budget" not in wanted or 0 < result.n_evaluated <= wanted["budget"] * (1 + 1e-9)


@command
def sweep(
    out: Output,
    model: ModelFile,
    data: RowsFile,
    file: Out,
    layout: Layout,
    betas: Annotated[
        str, typer.Option(help="Prices of an evaluation, with commas.")
    ] = "0.0001,0.0003,0.001,0.003,0.01",
    test: Annotated[Path | None, typer.Option(help="Rows that only report.")] = None,
    plot: Plot = None,
    solver: Solver = SolverName.Portfolio,
    threads: Threads = 1,
    seed: Seed = 0,
) -> None:
    """Learn a policy at each of several prices of an evaluation; write their losses and costs."""
    try:
        prices = [float(price) for price in betas.split(",")]
    except ValueError:
        raise UsageError(f"--betas is {betas!r}; wanted numbers with commas: 0.01,0.001") from None
    made = solver_of(solver, threads)
    check_plot(plot)
    opened = open_model(model)
    table = read_table(data, layout, opened.features)
    tested: dict[str, Any] = {}
    if test is not None:
        seen = read_table(test, layout, opened.features)
        tested = {
            "X_test": seen.X,
            "y_test": seen.labels,
            "sample_weight_test": seen.weight,
        }
    curve = mddag.sweep(
        opened.full, table.X, table.labels, betas=prices, sample_weight=table.weight, **tested,
        solver=made, n_jobs=threads, verbose=out.shows_progress,
        random_state=seed,
    )  # fmt: skip
    if plot is not None:
        write_plot(mddag.TradeoffDisplay.from_curve(curve).figure_, plot)
    curve.to_csv(file)
    out.result({"file": str(file), "columns": dict(curve.columns)}, f"{curve}\nwritten: {file}")
