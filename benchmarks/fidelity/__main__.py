"""The command line, the comparison of one model, and the table of all."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import benchmarks.fidelity
from benchmarks import data
from benchmarks.fidelity.cases import Case, cases
from benchmarks.fidelity.tasks import Task, tasks
from benchmarks.places import OUT, RESULTS
from benchmarks.table import kept
from mddag import as_ensemble
from mddag.adapters import MEMBERS

COLUMNS = ("library", "model", "data", "rows", "N", "K", "largest difference", "relative to range",
           "labels differing", "seconds to convert")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=benchmarks.fidelity.__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="CSV to write")
    real, synthetic = RESULTS / "fidelity" / "models.csv", OUT / "fidelity" / "synthetic.csv"
    out = parser.parse_args().out or (real if data.is_there() else synthetic)
    if not data.is_there():
        print("no MDDAG_DATA: synthetic rows stand in for every data set named below\n")
    lines = kept(out, COLUMNS, measured())
    differing = sum(line["labels differing"] for line in lines if line["labels differing"] != "-")
    raise SystemExit(f"{differing} labels differ" if differing else 0)


def measured() -> Iterator[dict[str, Any]]:
    """Lines of the table, as they come."""
    known = tasks()
    for case in cases():
        yield compared(case, known[case.task])


def fitted(model: Any, task: Task) -> Any:
    """The model after its own kind of fit; early stopping watches the test rows."""
    library = type(model).__module__.partition(".")[0]
    options: dict[str, Any] = {}
    if "Ranker" in type(model).__name__:
        key = {"lightgbm": "group", "xgboost": "qid", "catboost": "group_id"}[library]
        sizes = np.unique(task.queries, return_counts=True)[1]
        options[key] = sizes if library == "lightgbm" else task.queries
    if library == "lightgbm" and model.get_params().get("early_stopping_round"):
        options |= {"eval_X": task.X_test, "eval_y": task.y_test}
    elif library != "lightgbm" and model.get_params().get("early_stopping_rounds"):
        options |= {"eval_set": [(task.X_test, task.y_test)], "verbose": False}
    return model.fit(task.X, task.y, **options)


def compared(case: Case, task: Task) -> dict[str, Any]:
    """One line of the table."""
    model = fitted(case.model, task)
    start = time.perf_counter()
    ensemble = as_ensemble(model)
    seconds = time.perf_counter() - start
    adapter = next(member for member in MEMBERS if member.accepts(model))
    ours, theirs = ensemble.scores(task.X_test), adapter.raw_scores(model, task.X_test)
    difference = float(np.abs(ours - theirs).max())
    differing: int | str = "-"
    if ensemble.kind == "classifier":
        predicted = np.ravel(model.predict(task.X_test))
        differing = int((ensemble.labels(ours) != predicted).sum())
    values = (adapter.library, case.name, case.task, len(ours), len(ensemble), ensemble.n_scores,
              f"{difference:.1e}", f"{difference / max(np.ptp(theirs), 1e-300):.1e}", differing,
              f"{seconds:.3f}")  # fmt: skip
    return dict(zip(COLUMNS, values, strict=True))


if __name__ == "__main__":
    main()
