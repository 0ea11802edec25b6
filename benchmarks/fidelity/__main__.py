"""Are converted models the same models? Largest score difference and differing labels, by library.

    python -m benchmarks.fidelity [--data FOLDER] [--out FILE]

Trains every supported kind of model on real data (FOLDER or $MDDAG_DATA; synthetic rows of the same
shapes without it), converts it and compares on every test row. Writes Markdown to stdout and CSV.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import catboost
import lightgbm
import numpy as np
import xgboost
from sklearn import ensemble as sk
from sklearn.tree import DecisionTreeClassifier

from benchmarks.fidelity.tasks import Task, tasks
from mddag import as_ensemble
from mddag.adapters import MEMBERS

COLUMNS = ("library", "model", "data", "rows", "N", "K", "largest difference", "relative to range",
           "labels differing", "seconds to convert")  # fmt: skip
CAT = {"verbose": False, "allow_writing_files": False}
FOREST = {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.7}


@dataclass(frozen=True)
class Case:
    name: str
    task: str
    model: Any


def cases() -> Iterator[Case]:
    """Every library with every kind of model that it knows."""
    lgb, xgb, cat = lightgbm, xgboost, catboost
    quiet = {"verbose": -1}
    yield Case("classifier", "electricity", lgb.LGBMClassifier(n_estimators=200, **quiet))
    yield Case("missing values", "spambase, 10% NaN", lgb.LGBMClassifier(**quiet))
    yield Case("categorical", "adult", lgb.LGBMClassifier(**quiet))
    yield Case("26 classes", "letter", lgb.LGBMClassifier(n_estimators=20, **quiet))
    yield Case("regressor", "electricity price", lgb.LGBMRegressor(n_estimators=100, **quiet))
    yield Case("ranker", "mq2008", lgb.LGBMRanker(**quiet))
    yield Case("DART", "electricity", lgb.LGBMClassifier(boosting_type="dart", **quiet))
    yield Case("random forest", "electricity", lgb.LGBMClassifier(**FOREST, **quiet))
    yield Case("deep trees", "electricity", lgb.LGBMClassifier(num_leaves=1023, **quiet))
    yield Case(
        "early stopping", "spambase",
        lgb.LGBMClassifier(n_estimators=2000, early_stopping_round=5, **quiet),
    )  # fmt: skip
    yield Case("classifier", "electricity", xgb.XGBClassifier(n_estimators=200))
    yield Case("missing values", "spambase, 10% NaN", xgb.XGBClassifier())
    yield Case("categorical", "adult", xgb.XGBClassifier(enable_categorical=True))
    yield Case("26 classes", "letter", xgb.XGBClassifier(n_estimators=20))
    vectors = xgb.XGBClassifier(n_estimators=20, multi_strategy="multi_output_tree")
    yield Case("26 classes, vector leaves", "letter", vectors)
    yield Case("regressor", "electricity price", xgb.XGBRegressor(n_estimators=100))
    yield Case("ranker", "mq2008", xgb.XGBRanker())
    yield Case("DART", "electricity", xgb.XGBClassifier(booster="dart", rate_drop=0.1))
    yield Case("random forest", "electricity", xgb.XGBRFClassifier())
    yield Case("deep trees", "electricity", xgb.XGBClassifier(max_depth=14))
    yield Case(
        "early stopping", "spambase", xgb.XGBClassifier(n_estimators=2000, early_stopping_rounds=5)
    )
    yield Case("classifier", "electricity", cat.CatBoostClassifier(iterations=200, **CAT))
    yield Case("missing values", "spambase, 10% NaN", cat.CatBoostClassifier(iterations=200, **CAT))
    yield Case("26 classes", "letter", cat.CatBoostClassifier(iterations=30, **CAT))
    yield Case("regressor", "electricity price", cat.CatBoostRegressor(iterations=100, **CAT))
    yield Case("ranker", "mq2008", cat.CatBoostRanker(iterations=50, **CAT))
    lossguide = cat.CatBoostClassifier(iterations=100, grow_policy="Lossguide", **CAT)
    yield Case("Lossguide trees", "electricity", lossguide)
    yield Case(
        "early stopping", "spambase",
        cat.CatBoostClassifier(iterations=2000, early_stopping_rounds=5, **CAT),
    )  # fmt: skip
    hist = {"max_iter": 100, "early_stopping": False}
    yield Case("Hist classifier", "electricity", sk.HistGradientBoostingClassifier(**hist))
    yield Case("Hist missing values", "spambase, 10% NaN", sk.HistGradientBoostingClassifier())
    yield Case("Hist categorical", "adult", sk.HistGradientBoostingClassifier())
    yield Case("Hist 26 classes", "letter", sk.HistGradientBoostingClassifier(max_iter=10))
    yield Case("Hist regressor", "electricity price", sk.HistGradientBoostingRegressor(**hist))
    yield Case("GB classifier", "spambase", sk.GradientBoostingClassifier(n_estimators=200))
    yield Case("GB 26 classes", "letter", sk.GradientBoostingClassifier(n_estimators=2))
    yield Case("GB early stopping", "spambase", sk.GradientBoostingClassifier(
        n_estimators=2000, learning_rate=0.3, n_iter_no_change=5))  # fmt: skip
    yield Case("GB regressor", "electricity price", sk.GradientBoostingRegressor(n_estimators=100))
    yield Case("RF deep classifier", "electricity", sk.RandomForestClassifier(100))
    yield Case("RF missing values", "spambase, 10% NaN", sk.RandomForestClassifier(100))
    yield Case("RF 26 classes", "letter", sk.RandomForestClassifier(50))
    yield Case("RF regressor", "electricity price", sk.RandomForestRegressor(50))
    yield Case("ET classifier", "spambase", sk.ExtraTreesClassifier(100, min_samples_leaf=5))
    yield Case("ET 26 classes", "letter", sk.ExtraTreesClassifier(50, max_depth=8))
    yield Case("AdaBoost stumps", "spambase", sk.AdaBoostClassifier(n_estimators=200))
    yield Case("AdaBoost deep, 26 classes", "letter", sk.AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=10), n_estimators=10))  # fmt: skip


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


def measured(case: Case, task: Task) -> dict[str, Any]:
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("MDDAG_DATA"), help="folder of the data")
    parser.add_argument("--out", type=Path, help="CSV to write")
    options = parser.parse_args()
    real = Path(__file__).parents[1] / "results" / "fidelity" / "models.csv"
    out = options.out or (real if options.data else Path("out/fidelity_synthetic.csv"))
    out.parent.mkdir(parents=True, exist_ok=True)
    known = tasks(options.data)
    if not options.data:
        print("no data folder: synthetic rows stand in for every data set named below\n")
    print("|", " | ".join(COLUMNS), "|")
    print("|", " | ".join("---" for _ in COLUMNS), "|")
    lines = []
    for case in cases():
        lines.append(measured(case, known[case.task]))
        print("|", " | ".join(str(value) for value in lines[-1].values()), "|", flush=True)
    with out.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
    differing = sum(line["labels differing"] for line in lines if line["labels differing"] != "-")
    raise SystemExit(f"{differing} labels differ" if differing else 0)


if __name__ == "__main__":
    main()
