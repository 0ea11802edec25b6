"""``train`` compared with the given estimator fitted on all rows: test accuracy, ROC AUC, cost.

    MDDAG_DATA=... python -m benchmarks.parts.references

What ``max_loss`` counts against is the tuned full model, the reference, which with a confidence is
trained without the rows that certify. "Refitted" are reference and result with their shape and rule
trained on all rows; nothing of them is certified. LightGBM as it comes, ``max_loss=0.005``, nodes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from lightgbm import LGBMClassifier
from sklearn.base import clone
from sklearn.model_selection import train_test_split

import mddag
from benchmarks.ablation import all_rows
from benchmarks.places import RESULTS
from benchmarks.table import kept
from mddag.engine.node_counts import visited
from mddag.metrics import Accuracy, RocAuc
from mddag.tuning.shape_rules import cut
from mddag.tuning.shapes import shaped

MAX_LOSS, TEST_ROWS = 0.005, 10_000
PROBLEMS = {
    "spambase": 4_000,
    "hastie": 4_000,
    "higgs": 4_000,
    "clusters": 8_000,
    "adult numeric": 8_000,
    "letter A-M/N-Z": 12_000,
    "mnist even/odd": 4_000,
    "electricity": 20_000,
}
FIELDS = ("problem", "rows", "model", "accuracy", "ROC AUC", "evaluations", "nodes", "seconds")


def measured(problem: str, n_rows: int) -> Iterator[dict[str, Any]]:
    """Measure the models of one problem on its test rows."""
    X, y = all_rows(problem, 0)
    X, X_test, y, y_test = train_test_split(X, y, train_size=n_rows, stratify=y, random_state=0)
    X_test, y_test = X_test[:TEST_ROWS], y_test[:TEST_ROWS]
    given = LGBMClassifier(n_jobs=1, verbose=-1, random_state=0)

    def line(model: str, p: np.ndarray, dag: mddag.Dag, seconds: float) -> dict[str, Any]:
        quality = (f"{metric(p, y_test):.4f}" for metric in (Accuracy(), RocAuc()))
        costs = dag.run(X_test).n_evaluated, visited(dag, X_test)
        told = (*quality, *(f"{cost.mean():.1f}" for cost in costs), round(seconds))
        return dict(zip(FIELDS, (problem, n_rows, model, *told), strict=True))

    began = time.process_time()
    fitted = clone(given).fit(X, y)
    seconds = time.process_time() - began
    whole = mddag.compile(mddag.as_ensemble(fitted))
    yield line("given, all rows", fitted.predict_proba(X_test), whole, seconds)
    began = time.process_time()
    fast = mddag.train(given, X, y, max_loss=MAX_LOSS, objective="nodes")
    seconds, front = time.process_time() - began, fast.front_
    for name, rated in (("reference", front.full), ("result", front.target.choose(front))):
        judged = rated.trial.outcome(rated.rule)
        refitted = mddag.as_ensemble(shaped(given, rated.trial.shape).fit(X, y))
        models = {name: front.model(rated.trial).ensemble, f"{name}, refitted": refitted}
        for model, ensemble in models.items():
            calibration = front.calibration(judged, ensemble)
            ensemble = cut(ensemble, rated.rule.length)
            dag = mddag.compile(ensemble, rated.rule.policy(ensemble, front.every))
            trace = dag.run(X_test)
            p = calibration.probabilities(trace.scores, trace.exit_step)
            yield line(model, p, dag, seconds)


def main() -> None:
    """Measure all problems, and write a table."""
    rows = (row for problem, n_rows in PROBLEMS.items() for row in measured(problem, n_rows))
    kept(RESULTS / "parts" / "references.csv", FIELDS, rows)


if __name__ == "__main__":
    main()
