"""``mddag train``: AdaBoost.MH on the rows of a file.

The file that is written evaluates all rounds; ``mddag sparsify`` makes it sparse.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

import mddag
from mddag.cli.choices import LEARNERS, completed, learner_of
from mddag.cli.command import command
from mddag.cli.exits import InputError
from mddag.cli.options import Out, RowsFile, Seed, Threads, checked_threads
from mddag.cli.output import Output
from mddag.cli.tables import Layout, Table, read_table
from mddag.serving.model_file import Model


@command
def train(
    out: Output,
    data: RowsFile,
    file: Out,
    layout: Layout,
    rounds: Annotated[int, typer.Option(min=1, help="Most rounds of boosting.")] = 100,
    learner: Annotated[
        str,
        typer.Option(help="stump, tree, product or haar.", autocompletion=completed(LEARNERS)),
    ] = "stump",
    leaves: Annotated[int, typer.Option(min=2, help="Of a tree.")] = 8,
    early_stopping: Annotated[
        int | None, typer.Option(min=1, help="Stop after so many rounds without gain.")
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
        n_threads=checked_threads(threads),
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


def training_rows(table: Table, *, patches: bool) -> Any:
    """The rows of a table as boosting takes them: strings are categories."""
    X = table.X
    if not hasattr(X, "columns"):
        return X if patches or X.ndim != 3 else X.reshape(len(X), -1)
    if patches:
        raise InputError(f"{table.path!r} holds columns; haar wants grey patches: an npz file")
    texts = [name for name in X.columns if X[name].dtype.kind not in "fiub"]
    return X.astype(dict.fromkeys(texts, "category"))
