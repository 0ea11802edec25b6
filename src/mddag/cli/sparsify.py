"""``mddag sparsify``: a model file and rows that it has not seen in, a sparse model out."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

import mddag
from mddag.cli.choices import METRICS, OBJECTIVES, codes_of, completed, metric_of, solver_of
from mddag.cli.command import command
from mddag.cli.exits import Exit, UsageError
from mddag.cli.models import open_model
from mddag.cli.options import (
    ModelFile,
    Out,
    RowsFile,
    Seed,
    SolverName,
    Threads,
    checked_threads,
)
from mddag.cli.output import Output
from mddag.cli.tables import Layout, read_table

BOUNDS = ("max_loss", "max_disagreement")


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
        str | None,
        typer.Option(help="What counts: log-loss, ….", autocompletion=completed(METRICS)),
    ] = None,
    objective: Annotated[
        str,
        typer.Option(help="evaluations, nodes or time.", autocompletion=completed(OBJECTIVES)),
    ] = "evaluations",
    solver: SolverName = "portfolio",
    encode_labels: Annotated[
        bool, typer.Option("--encode-labels", help="Labels become codes 0, 1, … in sorted order.")
    ] = False,
    threads: Threads = 1,
    seed: Seed = 0,
) -> Exit:
    """Make a model sparse: rows decide by the few base classifiers that they need."""
    knobs = {"beta": beta, "budget": budget, "max_loss": max_loss}
    knob, value = _one_knob(knobs | {"max_disagreement": max_disagreement})
    if objective not in OBJECTIVES:
        raise UsageError(f"--objective is {objective!r}; wanted one of {', '.join(OBJECTIVES)}")
    if 0 < confidence < 0.5:
        raise UsageError(f"--confidence is {confidence}; wanted 0.5 or more, or 0 for none")
    how: dict[str, Any] = {knob: value, "objective": objective, "metric": metric_of(metric)}
    if knob in BOUNDS:
        how["confidence"] = confidence or None
    learner = solver_of(solver, checked_threads(threads))
    opened = open_model(model)
    full = opened.full
    table = read_table(data, layout, opened.features)
    y = codes_of(table.labels) if encode_labels else table.y
    how |= {"verbose": out.shows_progress, "random_state": seed}
    if opened.ensemble.kind == "ranker" or layout.qid is not None:
        exits = None if solver == "portfolio" else learner
        fast = mddag.ranking.sparsify(full, table.X, y, qid=table.qid, solver=exits, **how)
    else:
        how |= {"sample_weight": table.weight, "solver": learner, "n_threads": threads}
        fast = mddag.sparsify(full, table.X, y, **how)
    fast.save(file)
    summary = fast.summary_
    out.result({"file": str(file), **asdict(summary)}, f"{fast}\nwritten: {file}")
    return Exit.OK if _met(knob, value, summary) else Exit.DIFFERENT


def _one_knob(knobs: dict[str, float | None]) -> tuple[str, float]:
    given = {name: value for name, value in knobs.items() if value is not None}
    if len(given) != 1:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in knobs)
        got = ", ".join(f"--{name.replace('_', '-')}" for name in given) or "none"
        raise UsageError(f"got {got}; wanted exactly one of {names}")
    ((name, value),) = given.items()
    if name != "beta" and value == 0:
        raise UsageError(f"--{name.replace('_', '-')} is 0; wanted a number above 0")
    return name, value


def _met(knob: str, value: float, summary: Any) -> bool:
    """Whether what was wanted was reached by a policy that evaluates anything."""
    if knob in BOUNDS:
        return not summary.evaluates_all
    return knob != "budget" or 0 < summary.n_evaluated <= value * (1 + 1e-9)
