"""Do regressors keep what they were trained for? Quantiles, medians, counts and amounts.

Models of every library and objective, 300 rounds of eight leaves on 6,000 rows, go to ``sparsify``
with 5,000 policy rows and ``max_loss=0.01``. On 10,000 test rows: the metric of the model's own
objective, the share of targets that are not above the prediction, the mean prediction as a share of
the mean target, and evaluations. The table is results/objectives.csv; ``--report`` prints it.

    python experiments/objectives.py [--only LightGBM] [--report]
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from catboost import CatBoostRegressor
from lightgbm import LGBMRegressor
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor
from xgboost import XGBRegressor

import mddag
from mddag.adapters import metric_of_objective

RESULTS = Path(__file__).parent / "results" / "objectives.csv"
N_MODEL, N_POLICY, N_TEST = 6_000, 5_000, 10_000
MAX_LOSS, ROUNDS = 0.01, 300


def data(kind: str) -> tuple[Any, Any]:
    """Rows and targets: numbers with uneven noise, counts, or amounts of which many are 0."""
    random = np.random.default_rng(0)
    X = random.normal(size=(N_MODEL + N_POLICY + N_TEST, 8))
    means = np.exp(0.5 * X[:, 0] + 0.3 * X[:, 1] * X[:, 2] + 0.2 * np.sin(3 * X[:, 3]))
    if kind == "numbers":
        return X, means + (0.2 + 0.3 * np.abs(X[:, 4])) * random.normal(size=len(X))
    if kind == "positive":
        return X, random.gamma(2.0, means / 2)
    counts = random.poisson(means).astype(float)
    return X, counts if kind == "counts" else counts * random.gamma(2.0, 0.5, len(X))


def models() -> Iterator[tuple[str, str, str, Any]]:
    """Library, objective, kind of targets, and an unfitted model."""
    common = {"n_estimators": ROUNDS, "n_jobs": 1}
    light = common | {"num_leaves": 8, "verbose": -1}
    extreme = common | {"max_depth": 3, "learning_rate": 0.1}
    cat = {"iterations": ROUNDS, "depth": 3, "learning_rate": 0.1, "verbose": 0, "thread_count": 1}
    cat["allow_writing_files"] = False
    histogram = {"max_iter": ROUNDS, "max_leaf_nodes": 8, "early_stopping": False}
    stages = {"n_estimators": ROUNDS, "max_depth": 3}
    for alpha in (0.1, 0.5, 0.9):
        of, q = f"quantile {alpha}", {"alpha": alpha}
        yield "LightGBM", of, "numbers", LGBMRegressor(objective="quantile", **q, **light)
        named = {"objective": "reg:quantileerror", "quantile_alpha": alpha}
        yield "XGBoost", of, "numbers", XGBRegressor(**named, **extreme)
        yield (
            "CatBoost",
            of,
            "numbers",
            CatBoostRegressor(loss_function=f"Quantile:{alpha=}", **cat),
        )
        named = {"loss": "quantile", "quantile": alpha}
        yield (
            "HistGradientBoosting",
            of,
            "numbers",
            HistGradientBoostingRegressor(**named, **histogram),
        )
        yield (
            "GradientBoosting",
            of,
            "numbers",
            GradientBoostingRegressor(loss="quantile", **q, **stages),
        )
    for of, kind, names in (
        ("absolute error", "numbers", ("l1", "reg:absoluteerror", "MAE", "absolute_error")),
        ("Huber", "numbers", ("huber", "reg:pseudohubererror", "Huber:delta=1", None)),
        ("squared error", "numbers", ("l2", "reg:squarederror", "RMSE", "squared_error")),
        ("Poisson", "counts", ("poisson", "count:poisson", "Poisson", "poisson")),
        ("gamma", "positive", ("gamma", "reg:gamma", None, "gamma")),
        (
            "Tweedie 1.5",
            "amounts",
            ("tweedie", "reg:tweedie", "Tweedie:variance_power=1.5", None),
        ),
    ):
        yield "LightGBM", of, kind, LGBMRegressor(objective=names[0], **light)
        yield "XGBoost", of, kind, XGBRegressor(objective=names[1], **extreme)
        if names[2] is not None:
            yield "CatBoost", of, kind, CatBoostRegressor(loss_function=names[2], **cat)
        if names[3] is not None:
            model = HistGradientBoostingRegressor(loss=names[3], **histogram)
            yield "HistGradientBoosting", of, kind, model
    for loss in ("absolute_error", "huber"):
        of = "Huber" if loss == "huber" else "absolute error"
        yield "GradientBoosting", of, "numbers", GradientBoostingRegressor(loss=loss, **stages)


def measured(library: str, objective: str, kind: str, model: Any) -> dict[str, Any]:
    """Measure the full and the sparse model on the test rows."""
    X, y = data(kind)
    policy, test = slice(N_MODEL, N_MODEL + N_POLICY), slice(N_MODEL + N_POLICY, None)
    model.fit(X[:N_MODEL], y[:N_MODEL])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", mddag.DoubtfulResult)
        fast = mddag.sparsify(model, X[policy], y[policy], max_loss=MAX_LOSS)
    metric, truth = metric_of_objective(model), y[test]
    full, sparse = model.predict(X[test]), fast.predict(X[test])
    return {
        "library": library,
        "objective": objective,
        "metric": metric.name,
        "n": fast.result_.n_classifiers,
        "evaluations": round(float(fast.n_evaluated(X[test]).mean()), 1),
        "full": round(metric(truth, full), 4),
        "sparse": round(metric(truth, sparse), 4),
        "below_full": round(float((truth <= full).mean()), 3),
        "below_sparse": round(float((truth <= sparse).mean()), 3),
        "mean_full": round(float(full.mean() / truth.mean()), 3),
        "mean_sparse": round(float(sparse.mean() / truth.mean()), 3),
        "warnings": sum(issubclass(w.category, mddag.DoubtfulResult) for w in caught),
    }


def report() -> None:
    """Print the table as Markdown."""
    with RESULTS.open(newline="") as file:
        for row in csv.DictReader(file):
            pairs = (f"{row[f'{a}full']} → {row[f'{a}sparse']}" for a in ("", "below_", "mean_"))
            print(
                f"| {row['library']}, {row['objective']} | {row['evaluations']} | "
                f"{' | '.join(pairs)} |"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", help="a library")
    parser.add_argument("--report", action="store_true", help="print what is there, run nothing")
    given = parser.parse_args()
    if not given.report:
        found = []
        for library, *rest in models():
            if given.only in (None, library):
                found.append(measured(library, *rest))
                print(found[-1], flush=True)
                with RESULTS.open("w", newline="") as file:
                    writer = csv.DictWriter(file, list(found[0]), lineterminator="\n")
                    writer.writeheader()
                    writer.writerows(found)
    report()
