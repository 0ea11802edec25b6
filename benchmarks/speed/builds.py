"""Did anything get slower? Two builds of mddag take turns in one run.

    python -m benchmarks.speed.builds <python of the build before> [<python of the build after>]

Each is an interpreter that imports a build: make a worktree of the older version, `make demo` in
it, and give its .venv/bin/python; the build after is this one unless given. Both read the same
LightGBM model (500 trees of 8 leaves, 50 features) and the same 10 000 policy rows; predictions
are those of one model file, which the build before writes. Ratios after / before are taken within
a repeat and told as median (range); below 1 the build after is faster.
Writes benchmarks/results/speed/builds.csv.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import lightgbm
import numpy as np
from sklearn.datasets import make_classification

from benchmarks.places import RESULTS
from benchmarks.speed.pipe import Absent, Process
from benchmarks.table import digits, kept, spread

FIELDS = ("what", "before", "after", "unit", "after / before")
N_TRAIN, N_POLICY = 20_000, 10_000
CALLS: list[tuple[str, str, dict[str, Any], float, str]] = [
    ("predict_one", "one", {"what": "predict_one"}, 1e6, "us"),
    ("predict_proba_one", "one", {"what": "predict_proba_one"}, 1e6, "us"),
    ("predict, array of 1 row", "one", {"what": "predict"}, 1e6, "us"),
    *(
        (f"{what}, {n} rows", "batch", {"what": what, "n_rows": n}, 1e9 / n, "ns per row")
        for what in ("predict", "predict_proba", "n_evaluated")
        for n in (32, 1000, 50_000)
    ),
    ("evaluate all, 50000 rows", "batch", {"what": "all", "n_rows": 50_000}, 2e4, "ns per row"),
    ("import and load", "import_", {}, 1e3, "ms"),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", help="the interpreter of one build")
    parser.add_argument("after", nargs="?", default=sys.executable, help="that of the other")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--solves", type=int, default=3, help="repeats of sparsify")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        _keep_problem(Path(folder))
        builds = [
            Process(python, "benchmarks.speed.builds_worker", folder)
            for python in (options.before, options.after)
        ]
        try:
            rows = measured(builds, options.repeats, options.solves)
            kept(RESULTS / "speed" / "builds.csv", FIELDS, rows)
        finally:
            for build in builds:
                build.end()


def measured(builds: list[Process], n_repeats: int, n_solves: int) -> Iterator[dict[str, str]]:
    """Rows of the table, as they come."""
    builds[0].ask("keep_model")
    for build in builds:
        build.ask("load_model")
    for name, method, arguments, scale, unit in CALLS:
        yield _told(name, _turns(builds, n_repeats, method, **arguments) * scale, unit)
    yield _told("sparsify, budget 20", _turns(builds, n_solves, "sparsify"), "s")
    yield _told("most memory", _turns(builds, 1, "peak"), "MB")
    answers = np.array([build.ask("answers") for build in builds])
    for name, (before, after) in zip(("evaluations", "test error"), answers.T, strict=True):
        yield _row(f"sparsify, {name}", f"{before:.6g}", f"{after:.6g}", "", "")


def _turns(builds: list[Process], n_repeats: int, method: str, **arguments: Any) -> np.ndarray:
    """What both answer in each repeat, (n_repeats, 2), turn by turn; NaN of one that cannot."""
    return np.array(
        [[_answer(build, method, **arguments) for build in builds] for _ in range(n_repeats)]
    )


def _answer(build: Process, method: str, **arguments: Any) -> float:
    try:
        return float(build.ask(method, **arguments))
    except Absent:  # a method that is new in the other build
        return np.nan


def _told(name: str, numbers: np.ndarray, unit: str) -> dict[str, str]:
    best = ["absent" if np.isnan(n) else digits(n) for n in numbers.min(axis=0)]
    ratios = numbers[:, 1] / numbers[:, 0]
    return _row(name, *best, unit, "" if np.isnan(ratios).any() else spread(ratios))


def _row(*cells: str) -> dict[str, str]:
    return dict(zip(FIELDS, cells, strict=True))


def _keep_problem(folder: Path) -> None:
    """A trained model, policy rows and test rows for both builds."""
    X, y = make_classification(80_000, 50, n_informative=20, flip_y=0.05, random_state=0)
    X, n_seen = X.astype(np.float32), N_TRAIN + N_POLICY
    parameters = {"objective": "binary", "num_leaves": 8, "verbose": -1, "num_threads": 1}
    data = lightgbm.Dataset(X[:N_TRAIN], y[:N_TRAIN])
    lightgbm.train(parameters, data, 500).save_model(folder / "lightgbm.txt")
    np.savez(folder / "policy.npz", X=X[N_TRAIN:n_seen], y=y[N_TRAIN:n_seen])
    np.save(folder / "test.npy", X[n_seen:])
    np.save(folder / "y_test.npy", y[n_seen:])


if __name__ == "__main__":
    main()
