"""The command line: rows, repeats, engines; writes benchmarks/results/clusters.csv."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier

import benchmarks.clusters
import mddag
from benchmarks.clock import seconds
from benchmarks.clusters.engines import ENGINES, PACKAGES, Run
from benchmarks.places import OUT, RESULTS
from benchmarks.table import digits, kept, spread

N_PARTS, N_FEATURES, N_TREES, BUDGET = 16, 20, 300, 20
N_TRAINING = 20_000
FIELDS = (
    *("engine", "version", "workers", "rows", "seconds", "rows per second"),
    *("processor us per row", "libraries"),
)


def prepared(folder: Path, n_rows: int) -> Path:
    """Parts of the rows as parquet files, and the model file; made where they are not there."""
    if (folder / "rows" / f"{N_PARTS - 1:03}.parquet").exists():
        return folder / "model.mddag"
    X, y = make_classification(N_TRAINING, N_FEATURES, n_informative=8, random_state=0)
    names = [f"x{i}" for i in range(N_FEATURES)]
    rows, half = pd.DataFrame(X.astype(np.float32), columns=names), N_TRAINING // 2
    boost = HistGradientBoostingClassifier(max_iter=N_TREES, random_state=0, early_stopping=False)
    fast = mddag.sparsify(boost.fit(rows[:half], y[:half]), rows[half:], y[half:], budget=BUDGET)
    folder.mkdir(parents=True, exist_ok=True)
    fast.save(folder / "model.mddag")
    (folder / "rows").mkdir(exist_ok=True)
    rng, size = np.random.default_rng(0), n_rows // N_PARTS
    for part in range(N_PARTS):
        chosen = rows.iloc[rng.integers(0, len(rows), size)].reset_index(drop=True)
        chosen += rng.normal(0, 0.1, chosen.shape).astype(np.float32)
        chosen.to_parquet(folder / "rows" / f"{part:03}.parquet")
    return folder / "model.mddag"


def wall_and_processors(run: Run) -> tuple[float, float]:
    """Seconds of the clock, and of processors by this process and all below it."""
    began = _processor_seconds()
    return seconds(run), _processor_seconds() - began


def _processor_seconds() -> float:
    this = psutil.Process()
    every = [this, *this.children(recursive=True)]
    return sum(sum(process.cpu_times()[:2]) for process in every)


def measured(names: list[str], n_rows: int, n_repeats: int) -> Iterator[dict[str, Any]]:
    libraries = " ".join(f"{name} {version(name)}" for name in ("pandas", "pyarrow", "numpy"))
    libraries = f"python {platform.python_version()} {libraries}"
    folder = OUT / "clusters" / str(n_rows)
    model, wanted = prepared(folder, n_rows), None
    for name in ["local", *names]:
        for n_workers in (1,) if name == "local" else (1, 2):
            with ENGINES[name](folder / "rows", model, n_workers) as run:
                found = run()
                wanted = found if wanted is None else wanted
                assert found == wanted, f"{name} found {found}, local {wanted}"
                taken = np.array([wall_and_processors(run) for _ in range(n_repeats)])
            yield {
                "engine": name,
                "version": version(PACKAGES[name]),
                "workers": n_workers,
                "rows": n_rows // N_PARTS * N_PARTS,
                "seconds": spread(taken[:, 0]),
                "rows per second": digits(n_rows / taken[:, 0].min()),
                "processor us per row": digits(1e6 * np.median(taken[:, 1]) / n_rows),
                "libraries": libraries,
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=benchmarks.clusters.__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    engines = [name for name in ENGINES if name != "local"]
    parser.add_argument("--only", nargs="+", choices=engines, default=engines)
    given = parser.parse_args()
    rows = measured(given.only, given.rows, given.repeats)
    kept(RESULTS / "clusters.csv", FIELDS, rows)


if __name__ == "__main__":
    main()
