"""Does the cost model know few rows and large trees? What it expects beside what calls take.

    python -m benchmarks.parts.few_rows [--repeats 5]

The models of ``benchmarks.speed.few_rows`` and sparse policies on one of them, 1 to 1,000 float32
rows, every executor on one thread. Time is processor time, the best of the repeats, executors
taking turns; Python's part of a call, which all share, is in it. Writes
benchmarks/results/parts/few_rows.csv.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import mddag
from benchmarks.places import OUT, RESULTS
from benchmarks.speed.few_rows import BUDGETS, MODELS, N_ROWS, N_TRAIN, SPARSE, kept_model, problem
from benchmarks.table import digits, kept
from mddag.engine.dag import Dag
from mddag.engine.executors import Executor
from mddag.solvers import Margin

FIELDS = ("model", "rows", "executor", "us", "expected_us", "chosen", "its time / best")
ROWS = (1, 2, 4, 8, 16, 64, 1000)
LEAST = 0.02  # seconds of a repeat


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    folder = OUT / "few_rows"
    folder.mkdir(parents=True, exist_ok=True)
    rows = kept(RESULTS / "parts" / "few_rows.csv", FIELDS, measured(folder, options.repeats))
    chosen = np.array([float(row["its time / best"]) for row in rows if row["chosen"]])
    print(f"chosen executors within 1.15 of the best: {np.mean(chosen <= 1.15):.0%}")


def measured(folder: Path, n_repeats: int) -> Iterator[dict[str, str]]:
    """Rows of the table, as they come."""
    X, y = problem()
    held_out, rows = slice(N_TRAIN, N_TRAIN + N_ROWS), X[-N_ROWS:]
    for name, (_, make) in MODELS.items():
        model = kept_model(folder, name, make, X[:N_TRAIN], y[:N_TRAIN])
        yield from _told(name, mddag.compile(mddag.as_ensemble(model)), rows, n_repeats)
        for budget in BUDGETS if name == SPARSE else ():
            fast = mddag.sparsify(
                model, X[held_out], y[held_out], budget=budget, solver=Margin(), random_state=0
            )
            yield from _told(f"{name}, {budget} evaluations", fast.dag_, rows, n_repeats)


def _told(name: str, dag: Dag, X: np.ndarray, n_repeats: int) -> Iterator[dict[str, str]]:
    for n in ROWS:
        batches = [X[i : i + n].copy() for i in range(0, min(len(X) - n, 64 * n) + 1, n)]
        taken = {executor.name: np.inf for executor in dag.possible}
        for _ in range(n_repeats):
            for executor in dag.possible:
                out = np.empty((n, dag.ensemble.n_scores))
                took = _seconds(executor, batches, out)
                taken[executor.name] = min(taken[executor.name], took)
        best, chosen = min(taken.values()), dag.chosen(n).name
        for executor in dag.possible:
            us, expected = taken[executor.name] * 1e6, executor.cost(n) / 1e3
            mark = "x" if executor.name == chosen else ""
            over = f"{taken[executor.name] / best:.2f}"
            cells = name, str(n), executor.name, digits(us), digits(expected), mark, over
            yield dict(zip(FIELDS, cells, strict=True))


def _seconds(executor: Executor, batches: list[np.ndarray], out: np.ndarray) -> float:
    """The mean of a call, on one batch after the other."""

    def called() -> None:
        for batch in batches:
            executor.scores(batch, out, 1)

    called()  # what is made at the first call is not timed
    n_calls, began = 0, time.process_time()
    while (taken := time.process_time() - began) < LEAST or n_calls == 0:
        called()
        n_calls += 1
    return taken / n_calls / len(batches)


if __name__ == "__main__":
    main()
