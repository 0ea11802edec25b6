"""Define the commands that learn: ``mddag train``, ``mddag sparsify`` and ``mddag sweep``.

``train`` boosts AdaBoost.MH on the rows of a file and writes a model that evaluates all rounds.
``sparsify`` and ``sweep`` take a model and rows that it has not seen, and learn one policy, or one
at each of several prices.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

import mddag
from mddag.cli.models import open_model
from mddag.cli.options import (
    LEARNERS,
    METRICS,
    OBJECTIVES,
    Learning,
    ModelFile,
    Out,
    Plot,
    RowsFile,
    Seed,
    Threads,
    command,
    learner_of,
    metric_of,
    prices_of,
)
from mddag.cli.output import (
    ExitCode,
    InputError,
    Output,
    UsageError,
    check_plot,
    completed,
    one_of,
    write_plot,
)
from mddag.cli.tables import Layout, RowTable, read_table
from mddag.serving.model_file import Model

BOUNDS = ("max_loss", "max_disagreement")
BETAS = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)


@command
def train(
    out: Output,
    data: RowsFile,
    file: Out,
    layout: Layout,
    rounds: Annotated[int, typer.Option(min=1, help="Most rounds of boosting.")] = 100,
    learner: Annotated[
        str,
        typer.Option(help="stump, tree or haar.", autocompletion=completed(LEARNERS)),
    ] = "stump",
    leaves: Annotated[int, typer.Option(min=2, help="Of a tree.")] = 8,
    early_stopping: Annotated[
        int | None, typer.Option(min=1, help="Stop after this many rounds without gain.")
    ] = None,
    calibration_fraction: Annotated[
        float, typer.Option(min=0, max=0.9, help="Rows held out for probabilities.")
    ] = 0.1,
    threads: Threads = 1,
    seed: Seed = 0,
) -> None:
    """Train AdaBoost.MH and write it as a model file."""
    boost = mddag.AdaBoostMHClassifier(
        learner_of(learner, leaves),
        n_rounds=rounds,
        early_stopping=early_stopping,
        calibration_fraction=calibration_fraction,
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
    learning: Learning,
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
        str | None,
        typer.Option(help="What counts: log-loss, ….", autocompletion=completed(METRICS)),
    ] = None,
    objective: Annotated[
        str,
        typer.Option(help="evaluations, nodes or time.", autocompletion=completed(OBJECTIVES)),
    ] = "evaluations",
) -> ExitCode:
    """Make a model sparse: rows decide by the few base classifiers that they need."""
    target, value = _one_target(
        {
            "beta": beta,
            "budget": budget,
            "max_loss": max_loss,
            "max_disagreement": max_disagreement,
        }
    )
    one_of("--objective", objective, OBJECTIVES)
    if 0 < confidence < 0.5:
        raise UsageError(f"--confidence is {confidence}; wanted 0.5 or more, or 0 for none")
    how: dict[str, Any] = {target: value, "objective": objective, "metric": metric_of(metric)}
    if target in BOUNDS:
        how["confidence"] = confidence or None
    solver = learning.make_solver()
    opened = open_model(model)
    full = opened.full
    table = read_table(data, layout, opened.features)
    y = learning.labels(table) if learning.encode_labels else table.y
    how |= {"verbose": out.shows_progress, "random_state": learning.seed}
    if opened.ensemble.kind == "ranker" or layout.qid is not None:
        exits = None if learning.solver == "portfolio" else solver
        fast = mddag.ranking.sparsify(full, table.X, y, qid=table.qid, solver=exits, **how)
    else:
        how |= {"sample_weight": table.weight, "solver": solver, "n_jobs": learning.threads}
        fast = mddag.sparsify(full, table.X, y, **how)
    fast.save(file)
    summary = fast.summary_
    out.result({"file": str(file), **asdict(summary)}, f"{fast}\nwritten: {file}")
    return ExitCode.OK if _met(target, value, summary) else ExitCode.DIFFERENT


def _one_target(targets: dict[str, float | None]) -> tuple[str, float]:
    """Return the one target that is given, and its value."""
    options = {name: f"--{name.replace('_', '-')}" for name in targets}
    given = {name: value for name, value in targets.items() if value is not None}
    if len(given) != 1:
        got = ", ".join(options[name] for name in given) or "none"
        raise UsageError(f"got {got}; wanted exactly one of {', '.join(options.values())}")
    ((name, value),) = given.items()
    if name != "beta" and value == 0:
        raise UsageError(f"{options[name]} is 0; wanted a number above 0")
    return name, value


def _met(target: str, value: float, summary: Any) -> bool:
    """Tell whether what was wanted was reached by a policy that evaluates anything."""
    if target in BOUNDS:
        return not summary.evaluates_all
    return target != "budget" or 0 < summary.n_evaluated <= value * (1 + 1e-9)


@command
def sweep(
    out: Output,
    model: ModelFile,
    data: RowsFile,
    file: Out,
    layout: Layout,
    learning: Learning,
    betas: Annotated[str | None, typer.Option(help="Prices, such as 0.01,0.001.")] = None,
    test: Annotated[Path | None, typer.Option(help="Rows that only report.")] = None,
    plot: Plot = None,
    models: Annotated[Path | None, typer.Option(help="A folder for the model of each.")] = None,
) -> None:
    """Learn a policy at each of several prices of an evaluation; write their losses and costs."""
    prices = prices_of(betas, BETAS)
    solver = learning.make_solver()
    check_plot(plot)
    if models is not None and models.exists() and not models.is_dir():
        raise UsageError(f"--models is {str(models)!r}, which is a file; wanted a folder")
    names = {} if models is None else {beta: models / f"beta_{beta:g}.mddag" for beta in prices}
    if any(path.exists() and path.samefile(model) for path in names.values()):
        raise UsageError(f"--models is {str(models)!r}, and {str(model)!r} in it would be replaced")
    opened = open_model(model)
    full = opened.full
    table = read_table(data, layout, opened.features)
    y = learning.labels(table)
    tested: dict[str, Any] = {}
    if test is not None:
        seen = read_table(test, layout, opened.features)
        tested = {
            "X_test": seen.X,
            "y_test": learning.labels(seen, table),
            "sample_weight_test": seen.weight,
        }
    curve = mddag.sweep(
        full, table.X, y, betas=prices, sample_weight=table.weight, **tested, solver=solver,
        n_jobs=learning.threads, verbose=out.shows_progress, random_state=learning.seed,
    )  # fmt: skip
    files = []
    if models is not None:
        models.mkdir(exist_ok=True)
        of_numbers = opened.ensemble.kind == "regressor"
        estimator = mddag.MDDAGRegressor if of_numbers else mddag.MDDAGClassifier
        for beta, policy in zip(curve.beta.tolist(), curve.policies, strict=True):
            fitted = estimator(full, beta=beta).adopt(policy, table.X, y, table.weight)
            fitted.save(names[beta])
            files.append(str(names[beta]))
    if plot is not None:
        write_plot(mddag.TradeoffDisplay.from_curve(curve).figure_, plot)
    curve.to_csv(file)
    fields = {"file": str(file), "models": files, "columns": dict(curve.columns)}
    out.result(fields, f"{curve}\nwritten: {file}")
