"""What do the three executors cost? Measures the constants of src/mddag/cost_model.py again.

    python benchmarks/executors.py [--rows 6000] [--repeats 7]

One thread, float32 rows of ten columns, LightGBM models on a synthetic problem; policies quit where
|f| exceeds a bound. Time is the thread's own, the best of the repeats, executors taking turns.
Prints nanoseconds for each row beside what the cost model expects, then one row at a time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import lightgbm as lgb
import numpy as np
from sklearn.datasets import make_classification

import mddag
from mddag.ensemble import Ensemble
from mddag.grid import Grid
from mddag.policy import EVAL, QUIT, Policy

N_TREES = 1000


def ensemble_of(n_leaves: int, X: np.ndarray, y: np.ndarray) -> Ensemble:
    model = lgb.LGBMClassifier(n_estimators=N_TREES, num_leaves=n_leaves, verbose=-1, n_jobs=1)
    return mddag.as_ensemble(model.fit(X, y))


def quitting(grid: Grid, bound: float, every: int) -> Policy:
    """Quit where |f| exceeds the bound."""
    row = np.where(np.abs(grid.centres) > bound, QUIT, EVAL)
    n_decisions = -(-N_TREES // every)
    return Policy(np.tile(row, (n_decisions, 1)), grid, np.arange(N_TREES), every)


def nanoseconds(calls: list[Callable[[], object]], n_repeats: int) -> list[float]:
    """The best of each call, taken turn by turn."""
    best = [float("inf")] * len(calls)
    for _ in range(n_repeats):
        for i, call in enumerate(calls):
            start = time.thread_time_ns()
            call()
            best[i] = min(best[i], time.thread_time_ns() - start)
    return best


def report_batch(name: str, ensemble: Ensemble, policy: Policy | None, X: np.ndarray, n: int):
    mean = mddag.compile(ensemble, policy).run(X).n_evaluated.mean()
    auto = mddag.compile(ensemble, policy, expected_evaluations=float(mean))
    dags = [
        mddag.compile(ensemble, policy, executor=executor, expected_evaluations=float(mean))
        for executor in auto.native.possible
    ]
    taken = nanoseconds([lambda d=dag: d.scores(X) for dag in dags], n)
    for dag, ns in zip(dags, taken, strict=True):
        expected = dag.native.costs.batch(dag.executor, len(X)) / len(X)
        chosen = "chosen" if dag.executor == auto.native.chosen(len(X)) else ""
        print(
            f"| {name} | {mean:.0f} | {dag.executor} | {ns / len(X):.0f} | {expected:.0f} "
            f"| {chosen} |"
        )


def report_one_row(name: str, ensemble: Ensemble, policy: Policy | None, X: np.ndarray, n: int):
    """Different rows in turn, so that no branch predictor knows the way."""
    dag = mddag.compile(ensemble, policy)
    n_evaluated = dag.exits(X)[1].mean()
    predict, rows = dag.walk.predict_one, [row.copy() for row in X]
    (taken,) = nanoseconds([lambda: [predict(row) for row in rows]], n)
    print(f"| {name} | {n_evaluated:.0f} | {taken / len(rows) / 1000:.2f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=6000)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    X, y = make_classification(options.rows, 10, n_informative=8, flip_y=0.1, random_state=0)
    X = X.astype(np.float32)
    problems = []
    for n_leaves in (2, 8, 64):
        ensemble = ensemble_of(n_leaves, X, y)
        grid = Grid.quantile(ensemble.votes(X[:1000]))
        problems.append((f"{n_leaves} leaves", ensemble, None))
        for every in (1, 16):
            for bound in (0.5, 2.0):
                name = f"{n_leaves} leaves, every={every}, |f| <= {bound}"
                problems.append((name, ensemble, quitting(grid, bound, every)))
    print("| policy | evaluations | executor | ns a row | expected | |\n|" + " --- |" * 6)
    for problem in problems:
        report_batch(*problem, X, options.repeats)
    print("\n| one row | exit step | us |\n|" + " --- |" * 3)
    for problem in problems:
        report_one_row(*problem, X[:2000], options.repeats)


if __name__ == "__main__":
    main()
