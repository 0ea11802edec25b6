"""One row, few rows, some: this build, another one and other engines on trees of many shapes.

    python -m benchmarks.speed.few_rows [--before <python>] [--others <python>] [--repeats 9]

    --before   an interpreter that imports another build of mddag
    --others   one that imports the other engines: lleaves, LightGBM, ONNX Runtime, scikit-learn,
               XGBoost and CatBoost; those that it lacks are left out

All answer the same rows of the same trees, float32, on one thread, each in a process of its own;
they take turns, and a repeat is the mean processor time of calls on different rows. Told are the
best repeat in microseconds a call, and the other's time / this build's by repeat, median (range).
One row is predict_one here, and SingleRowFast of LightGBM's C API. Writes
benchmarks/results/speed/few_rows.csv.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from sklearn.datasets import make_classification

import mddag
from benchmarks.places import OUT, RESULTS
from benchmarks.speed.pipe import Absent, Process
from benchmarks.table import digits, kept, spread
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor
from mddag.solvers import Margin

FIELDS = ("model", "rows", "engine", "us", "its time / ours")
ROWS = (1, 4, 64)
N_FEATURES, N_TRAIN, N_ROWS = 30, 20_000, 4_096
CATEGORIES, N_CATEGORIES = range(25, 30), 20  # columns of codes: one model splits by categories


def lightgbm_of(n_trees: int, n_leaves: int, **categories: Any) -> Callable[[], Any]:
    def made() -> Any:
        from lightgbm import LGBMClassifier

        least = 5 if n_leaves > 255 else 20
        shape = {"n_estimators": n_trees, "num_leaves": n_leaves, "min_child_samples": least}
        shape |= categories
        return LGBMClassifier(n_jobs=1, verbose=-1, **shape)

    return made


def forest_of(n_trees: int) -> Callable[[], Any]:
    def made() -> Any:
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(n_trees, n_jobs=1, random_state=0)

    return made


def xgboost_of(n_trees: int, depth: int) -> Callable[[], Any]:
    def made() -> Any:
        from xgboost import XGBClassifier

        return XGBClassifier(n_estimators=n_trees, max_depth=depth, n_jobs=1, learning_rate=0.1)

    return made


def catboost_of(n_trees: int, depth: int) -> Callable[[], Any]:
    def made() -> Any:
        from catboost import CatBoostClassifier

        silent = {"verbose": False, "allow_writing_files": False, "thread_count": 1}
        return CatBoostClassifier(iterations=n_trees, depth=depth, **silent)

    return made


MODELS: dict[str, tuple[str, Callable[[], Any]]] = {
    "LightGBM 1000 x 8": ("lightgbm", lightgbm_of(1000, 8)),
    "LightGBM 500 x 31": ("lightgbm", lightgbm_of(500, 31)),
    "LightGBM 500 x 31, categories": (
        "lightgbm",
        lightgbm_of(500, 31, categorical_feature=list(CATEGORIES)),
    ),
    "LightGBM 500 x 127": ("lightgbm", lightgbm_of(500, 127)),
    "LightGBM 300 x 255": ("lightgbm", lightgbm_of(300, 255)),
    "LightGBM 100 x 1023": ("lightgbm", lightgbm_of(100, 1023)),
    "XGBoost 500 x depth 6": ("xgboost", xgboost_of(500, 6)),
    "XGBoost 200 x depth 10": ("xgboost", xgboost_of(200, 10)),
    "CatBoost 500 x depth 8": ("catboost", catboost_of(500, 8)),
    "random forest, 500 trees": ("sklearn", forest_of(500)),
}
OTHERS = {"lightgbm": ("lleaves", "lightgbm", "onnx")}
SLOW_TO_COMPILE = {  # by lleaves: more than five minutes
    "LightGBM 500 x 127",
    "LightGBM 300 x 255",
    "LightGBM 100 x 1023",
}
BUDGETS = (90, 20, 5)  # mean evaluations of sparse policies on SPARSE
SPARSE = "LightGBM 500 x 31"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", help="the interpreter of another build")
    parser.add_argument("--others", default=sys.executable, help="that of the other engines")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--only", nargs="+", choices=MODELS, default=list(MODELS))
    options = parser.parse_args()
    folder = OUT / "few_rows"
    folder.mkdir(parents=True, exist_ok=True)
    kept(RESULTS / "speed" / "few_rows.csv", FIELDS, measured(folder, options))


def measured(folder: Path, options: argparse.Namespace) -> Iterator[dict[str, str]]:
    """Rows of the table, as they come."""
    X, y = problem()
    np.save(folder / "rows.npy", X[-N_ROWS:])
    pythons = {"mddag": sys.executable, "mddag before": options.before}
    builds = {name: python for name, python in pythons.items() if python}
    for name in options.only:
        engine, make = MODELS[name]
        model = kept_model(folder, name, make, X[:N_TRAIN], y[:N_TRAIN])
        files = {name: f"{name}.mddag"}
        if name == SPARSE:
            held_out = slice(N_TRAIN, N_TRAIN + N_ROWS)
            for budget in BUDGETS:
                title = f"{name}, {budget} evaluations"
                sparse = mddag.sparsify(
                    model, X[held_out], y[held_out], budget=budget, solver=Margin(), random_state=0
                )
                sparse.save(folder / f"{title}.mddag")
                files[title] = f"{title}.mddag"
        for title, file in files.items():
            others = OTHERS.get(engine, (engine, "onnx"))
            if name in SLOW_TO_COMPILE:
                others = tuple(other for other in others if other != "lleaves")
            asked = [(who, python, "mddag", file) for who, python in builds.items()]
            if title == name:
                asked += [(who, options.others, who, name) for who in others]
            yield from _told(folder, title, asked, options.repeats)


def problem() -> tuple[np.ndarray, np.ndarray]:
    """Rows to train on, to learn policies on and to time, one after the other."""
    X, y = make_classification(
        N_TRAIN + 2 * N_ROWS,
        N_FEATURES,
        n_informative=15,
        n_redundant=5,
        n_clusters_per_class=4,
        flip_y=0.1,
        class_sep=0.8,
        random_state=0,
    )
    codes = np.clip(3 * X[:, CATEGORIES] + N_CATEGORIES / 2, 0, N_CATEGORIES - 1)
    X[:, CATEGORIES] = np.floor(codes)
    return X.astype(np.float32), y


def kept_model(
    folder: Path, name: str, make: Callable[[], Any], X: np.ndarray, y: np.ndarray
) -> Any:
    """The model, trained once, and the file that both builds read."""
    path = folder / f"{name}.joblib"
    if not path.exists():
        joblib.dump(make().fit(X, y), path)
    model = joblib.load(path)
    Predictor(Model(mddag.compile(mddag.as_ensemble(model)))).save(folder / f"{name}.mddag")
    return model


def _told(
    folder: Path, title: str, asked: list[tuple[str, str, str, str]], n_repeats: int
) -> Iterator[dict[str, str]]:
    workers: dict[str, Process] = {}
    try:
        for who, python, engine, file in asked:
            workers[who] = Process(python, "benchmarks.speed.few_rows_worker", str(folder))
            with suppress(Absent):
                workers[who].ask("load", engine=engine, name=file)
                continue
            workers.pop(who).end()
        for n in ROWS:
            taken = {who: [] for who in workers}  # processor seconds of a call, repeat by repeat
            for _ in range(n_repeats):
                for who, worker in workers.items():
                    taken[who].append(worker.ask("time", n_rows=n))
            ours = np.array(taken["mddag"])
            for who, times in taken.items():
                cells = title, str(n), who, digits(min(times) * 1e6), spread(times / ours)
                yield dict(zip(FIELDS, cells, strict=True))
    finally:
        for worker in workers.values():
            worker.end()


if __name__ == "__main__":
    main()
