"""``mddag train``: AdaBoost.MH on the rows of a file.

The model is boosted in stretches of some seconds, each of which continues the one before exactly
(``warm_start``); behind each there is a check point with the trees so far. The file that is written
evaluates all rounds; ``mddag sparsify`` makes it sparse.
"""

from __future__ import annotations

from dataclasses import asdict
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import typer

import mddag
from mddag.cli.check_points import CheckPoints, check_points, checksum
from mddag.cli.choices import LEARNERS, completed, learner_of
from mddag.cli.command import command
from mddag.cli.exits import InputError
from mddag.cli.options import Out, Resume, RowsFile, Seed, Threads, checked_threads
from mddag.cli.output import Output
from mddag.cli.tables import Layout, Table, read_table
from mddag.serving.model_file import Model

SECONDS = 5.0  # between two check points
LONGER = 4  # is a stretch than what is done for it besides boosting
TREES = "rounds.mddag"


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
    resume: Resume = False,
) -> None:
    """Train AdaBoost.MH and write it as a model file."""
    boost = mddag.AdaBoostMHClassifier(
        learner_of(learner, leaves),
        early_stopping=early_stopping,
        calibration_fraction=calibration_fraction,
        warm_start=True,
        n_threads=checked_threads(threads),
        random_state=seed,
    )
    table = read_table(data, layout)
    X, y = training_rows(table, patches=learner == "haar"), table.labels
    options = [rounds, learner, leaves, early_stopping, calibration_fraction, seed]
    work = {"command": "train", "files": checksum(data), "layout": asdict(layout), "how": options}
    with check_points(out, file, resume, work) as kept:
        _boost(out, boost, rounds, (X, y, table.weight), kept)
        dag = mddag.compile(boost.ensemble_)
        served = mddag.Predictor(Model(dag, boost.calibration_))
        served.save(file)
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


def _boost(
    out: Output, boost: Any, rounds: int, rows: tuple[Any, Any, Any], kept: CheckPoints
) -> None:
    """Boost in stretches, with a check point behind each."""
    begun, trees = kept.load("rounds"), kept.folder / TREES
    seconds = SECONDS
    if begun is not None and trees.exists():
        _continue(boost, rows, kept, begun["seconds"])
    while True:
        known = getattr(boost, "n_rounds_", 0)
        boost.set_params(n_rounds=rounds, max_seconds=seconds, verbose=out.shows_progress)
        began = perf_counter()
        boost.fit(*rows)
        if boost.stopped_by_ != "max_seconds" or boost.n_rounds_ >= rounds:
            return
        # Getting ready, and playing known rounds again, are to take a fifth of the time at most;
        # what early stopping has cut off is played again, too: give it the time to get beyond.
        spent = max(perf_counter() - began - seconds, 0.0)
        seconds = max(SECONDS, LONGER * spent) if boost.n_rounds_ > known else 2 * seconds
        # The seconds first: those of rounds without trees are not read.
        kept.save("rounds", {"seconds": np.asarray(boost.history_["seconds"])})
        mddag.Predictor(Model(mddag.compile(boost.ensemble_))).save(trees)


def _continue(boost: Any, rows: tuple[Any, Any, Any], kept: CheckPoints, seconds: Any) -> None:
    """Give the trees of a check point to a model that has played its first round anew."""
    trees = mddag.load(kept.folder / TREES).model.dag.ensemble
    boost.set_params(n_rounds=1).fit(*rows)
    boost.ensemble_ = trees
    boost.history_ = boost.history_ | {"seconds": seconds}
    boost.n_rounds_ = len(trees)
