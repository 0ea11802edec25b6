"""What do the three executors cost? Measures what src/mddag/engine/cost_model.py expects.

    python -m benchmarks.parts.executors [--rows 10000] [--repeats 15]

One thread, float32 rows, LightGBM models on synthetic problems of several shapes; policies quit
where the margin exceeds a bound such that rows evaluate a given share. Time is the thread's own,
the best of the repeats, executors taking turns. Prints nanoseconds for each row and what the cost
model expects, what the choice costs over the best, then one row at a time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass

import lightgbm as lgb
import numpy as np
from sklearn.datasets import make_classification

import mddag
from benchmarks.clock import turns
from benchmarks.table import line, markdown
from mddag.ensemble.ensemble import Ensemble
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, QUIT, Policy

N_TRAIN = 3000
SHARES = (0.02, 0.1, 0.4)
EVERY = (1, 16)


@dataclass(frozen=True)
class Shape:
    n_leaves: int
    n_features: int = 10
    n_classes: int = 2
    n_rounds: int = 1000

    def __str__(self) -> str:
        classes = f"{self.n_classes} x " if self.n_classes > 2 else ""
        return f"{classes}{self.n_rounds} x {self.n_leaves} leaves, {self.n_features} features"


SHAPES = (
    Shape(2),
    Shape(8),
    Shape(8, n_features=50),
    Shape(8, n_features=500),
    Shape(64, n_features=50, n_rounds=300),
    Shape(8, n_features=16, n_classes=10, n_rounds=100),
    Shape(8, n_features=500, n_classes=10, n_rounds=100),
)


def trained(shape: Shape, n_rows: int) -> tuple[Ensemble, np.ndarray]:
    """An ensemble, and rows that it has not seen."""
    X, y = make_classification(
        N_TRAIN + n_rows,
        shape.n_features,
        n_informative=min(shape.n_features // 2 + 3, 100),
        n_classes=shape.n_classes,
        flip_y=0.1,
        random_state=0,
    )
    X = X.astype(np.float32)
    model = lgb.LGBMClassifier(
        n_estimators=shape.n_rounds, num_leaves=shape.n_leaves, verbose=-1, n_jobs=1
    )
    ensemble = mddag.as_ensemble(model.fit(X[:N_TRAIN], y[:N_TRAIN]))
    return ensemble, X[N_TRAIN:]


def quitting(ensemble: Ensemble, X: np.ndarray, share: float, every: int) -> Policy:
    """Quit where the margin exceeds what leaves a share of the evaluations, found by halving."""
    grid = Grid.quantile(ensemble.votes(X[:1000]))
    low, high = 0.0, float(grid.edges[-1])
    for _ in range(12):
        bound = (low + high) / 2
        policy = bounded(grid, bound, len(ensemble), every)
        mean = mddag.compile(ensemble, policy).run(X[:1000]).n_evaluated.mean()
        low, high = (bound, high) if mean < share * len(ensemble) else (low, bound)
    return policy


def bounded(grid: Grid, bound: float, n_steps: int, every: int) -> Policy:
    sizes = np.abs(np.resize(grid.centers, grid.n_cells))
    actions = np.tile(np.where(sizes > bound, QUIT, EVAL), (-(-n_steps // every), 1))
    actions[0] = EVAL
    return Policy(actions, grid, np.arange(n_steps), every)


def nanoseconds(calls: list[Callable[[], object]], n_repeats: int) -> np.ndarray:
    """The best of each call (n_calls,), taken turn by turn."""
    return 1e9 * turns(calls, n_repeats, time.thread_time).min(axis=0)


def report_batch(name: str, ensemble: Ensemble, policy: Policy | None, X: np.ndarray, n: int):
    mean = mddag.compile(ensemble, policy).run(X).n_evaluated.mean()
    auto = mddag.compile(ensemble, policy, expected_evaluations=float(mean))
    dags = [
        mddag.compile(ensemble, policy, executor=executor.name, expected_evaluations=float(mean))
        for executor in auto.possible
    ]
    taken = nanoseconds([lambda d=dag: d.scores(X) for dag in dags], n)
    for dag, ns in zip(dags, taken, strict=True):
        expected = dag.chosen(len(X)).cost(len(X)) / len(X)
        chosen = dag.executor == auto.chosen(len(X)).name
        over = f"chosen, {ns / min(taken):.2f} x the best" if chosen else ""
        times = f"{ns / len(X):.0f}", f"{expected:.0f}"
        print(line([name, f"{mean:.0f}", dag.executor, *times, over]), flush=True)


def report_one_row(name: str, ensemble: Ensemble, policy: Policy | None, X: np.ndarray, n: int):
    """Different rows in turn, so that no branch predictor knows the way."""
    dag = mddag.compile(ensemble, policy)
    n_evaluated = dag.exits(X)[1].mean()
    predict, rows = dag.walk.predict_one, [row.copy() for row in X]
    (taken,) = nanoseconds([lambda: [predict(row) for row in rows]], n)
    print(line([name, f"{n_evaluated:.0f}", f"{taken / len(rows) / 1000:.2f}"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args()
    problems = []
    for shape in SHAPES:
        ensemble, X = trained(shape, options.rows)
        problems.append((f"{shape}", ensemble, None, X))
        for every in EVERY:
            for share in SHARES:
                policy = quitting(ensemble, X, share, every)
                problems.append((f"{shape}, every={every}", ensemble, policy, X))
    head = ["policy", "evaluations", "executor", "ns a row", "expected", ""]
    print(*markdown(head, []), sep="\n")
    for problem in problems:
        report_batch(*problem, options.repeats)
    print("", *markdown(["one row", "exit step", "us"], []), sep="\n")
    for name, ensemble, policy, X in problems:
        report_one_row(name, ensemble, policy, X[:2000], options.repeats)


if __name__ == "__main__":
    main()
