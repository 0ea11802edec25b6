"""Time at equal error: one row, and batches, of what each method chose at each tolerance.

    MDDAG_DATA=... python -m benchmarks.quality.times

The models are those that `python -m benchmarks.quality` kept for seed 0: for each method the first
point of its curve, by nodes, within the tolerance (the full model where there is none). All run on
mddag's engines, rivals too, since these are the fastest that we know for either: a smaller model is
compiled without a policy, a margin rule as a policy. Of a batch each engine that can run a model is
tried and the fastest is taken. Ours too was chosen for few nodes, not for time. Models that were
trained once more on all rows are left out. float32
rows, one thread; methods take turns, the best of several turns counts. Written to
benchmarks/results/quality/times.csv and times.md; run it on a machine that is otherwise idle.
"""

from __future__ import annotations

import csv
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import mddag
from benchmarks.clock import seconds, turns
from benchmarks.places import OUT, RESULTS
from benchmarks.quality.curves import ALL_ROWS, TOLERANCES
from benchmarks.quality.ours import SPARSIFY, TRAIN
from benchmarks.quality.report import OURS
from benchmarks.quality.rivals import JOINT
from benchmarks.quality.rows import parts
from benchmarks.quality.solved import TIMED_SEED, problems
from benchmarks.table import digits, kept, markdown, written
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor

NOTE = """Time per row of what each method chose at seed 0 by nodes, all on mddag's engines. "Best
rival" is the one chosen on policy rows; "fastest rival" is, in hindsight, the least time of all
rivals. How it is measured: docs/yardstick.md.
"""
UNIT = "nodes"
FIELDS = ("data", "library", "tolerance", "method", "one_row_us", "batch_ns", "engine")
ONE_ROWS, TURNS = 256, 5
NAMES = {SPARSIFY[UNIT]: OURS[0], TRAIN[UNIT]: OURS[1]}
LEFT_OUT = SPARSIFY["evaluations"]


def main() -> None:
    path = RESULTS / "quality" / "times.csv"
    before = read(path) if path.exists() else []
    made = [dict(row) for row in kept(path, FIELDS, measured())]
    # A problem is timed whole, or its lines stay: ratios are of one machine and one run.
    again = {(row["data"], row["library"]) for row in made}
    made += [row for row in before if (row["data"], row["library"]) not in again]
    written(path, FIELDS, made)
    text = "\n".join(summary(made))
    (RESULTS / "quality" / "times.md").write_text(text + "\n", encoding="utf-8")


def read(path: Path) -> list[dict[str, Any]]:
    """The lines of an earlier run."""
    with path.open(encoding="utf-8", newline="") as file:
        return [{**row, "tolerance": float(row["tolerance"])} for row in csv.DictReader(file)]


def measured() -> Iterator[dict[str, Any]]:
    """Rows of the table, as they come."""
    for problem in problems([TIMED_SEED], OUT / "quality"):
        path = problem.path("timed")
        if not path.exists():
            continue
        models = pickle.loads(path.read_bytes())
        X = parts(problem.data, TIMED_SEED).test.X
        for tolerance in TOLERANCES:
            methods = {
                key[0]: models.get((key[0], UNIT, tolerance), models["full"])
                for key in models
                if key != "full" and key[0] != LEFT_OUT and not key[0].endswith(ALL_ROWS)
            }
            for line in of_methods({"full": models["full"], **methods}, X):
                yield {"data": problem.data, "library": problem.library,
                       "tolerance": tolerance, **line}  # fmt: skip


def of_methods(methods: dict[str, Any], X: Any) -> Iterator[dict[str, Any]]:
    """The times of all methods, in turns."""
    ones, batches = [], []
    for ensemble, policy in methods.values():
        rows = np.ascontiguousarray(ensemble.features.rows(X), np.float32)
        ones.append(one_row(mddag.compile(ensemble, policy), rows[:ONE_ROWS]))
        batches.append(fastest(ensemble, policy, rows))
    per_row = turns(ones, TURNS).min(axis=0) / ONE_ROWS
    per_batch = turns([call for call, _ in batches], TURNS).min(axis=0) / len(X)
    for method, one, batch, (_, engine) in zip(methods, per_row, per_batch, batches, strict=True):
        yield {
            "method": NAMES.get(method, method),
            "one_row_us": digits(one * 1e6),
            "batch_ns": digits(batch * 1e9),
            "engine": engine,
        }


def one_row(dag: mddag.Dag, rows: np.ndarray) -> Callable[[], object]:
    """A pass over some rows, a call each."""
    predict_one, each = Predictor(Model(dag)).predict_one, list(rows)
    return lambda: [predict_one(x) for x in each]


def fastest(ensemble: Any, policy: Any, rows: np.ndarray) -> tuple[Callable[[], object], str]:
    """The batch call of the engine that takes the least time, and its name."""
    found = []
    for executor in mddag.compile(ensemble, policy).possible:
        dag = mddag.compile(ensemble, policy, executor=executor.name)
        dag.scores(rows[:100])  # compiled and warm
        found.append((seconds(lambda dag=dag: dag.scores(rows)), executor.name, dag))
    _, name, dag = min(found, key=lambda f: f[0])
    return lambda: dag.scores(rows), name


def summary(rows: list[dict[str, Any]]) -> list[str]:
    """Ours compared with the fastest rival of each problem, and geometric means."""
    times: dict[tuple[str, str, float], dict[str, dict[str, Any]]] = {}
    for row in rows:
        key = row["data"], row["library"], row["tolerance"]
        times.setdefault(key, {})[row["method"]] = row
    lines = [NOTE]
    for unit, name in (("one_row_us", "One row, us"), ("batch_ns", "Batches, ns per row")):
        for tolerance in TOLERANCES:
            here = {key[:2]: m for key, m in times.items() if key[2] == tolerance}
            lines += [f"## {name}, at {100 * tolerance:.1f} points\n", *table(here, unit), ""]
    return lines


def table(problems: dict[tuple[str, str], Any], unit: str) -> list[str]:
    """A line for each problem, and the geometric means."""
    lines, ratios = [], []
    for (data, library), methods in problems.items():
        times = {method: float(row[unit]) for method, row in methods.items()}
        fastest_rival = min((m for m in times if m not in OURS), key=lambda m: times[m])
        both = [times.get(JOINT, np.nan), times[fastest_rival]]
        ratios.append([times.get(ours, np.nan) / rival for ours in OURS for rival in both])
        shown = [times["full"], *both, *(times.get(ours, np.nan) for ours in OURS)]
        names = [f"{data}, {library}", *map(cell, shown), fastest_rival]
        lines.append([*names, *(f"{r:.2f}" if r > 0 else "" for r in ratios[-1])])
    means = np.exp(np.nanmean(np.log(ratios), axis=0))
    lines.append(["geometric mean", *[""] * 6, *(f"**{mean:.2f}**" for mean in means)])
    heads = ["problem", "full", JOINT, "fastest rival", *OURS, "the fastest"]
    heads += [f"{ours} / {rival}" for ours in OURS for rival in (JOINT, "fastest")]
    return markdown(heads, lines)


def cell(number: float) -> str:
    return digits(number) if number > 0 else ""


if __name__ == "__main__":
    main()
