"""What does each level of kernels gain? All levels of this machine take turns, and another build.

    python -m benchmarks.speed.levels [<python of the build before>] [--only …] [--repeats 7]

    full    every base classifier of the five shapes
    exit    shape B with policies that quit at 5, 10 and 20 % of the evaluations, every=16
    rows    shape B, all of 100 trees and of 1000, by rows of a call
    trees   the kernels of small trees alone, by rows of a call (`levels_trees`)

Each level runs in a process of its own (MDDAG_LEVEL), on one thread and float32 rows. Ratios are
AVX2's time / the level's within a repeat, told as median (range); the build before is called so and
runs what it chooses. Writes benchmarks/results/speed/levels.csv.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np

from benchmarks.clock import mean_seconds
from benchmarks.places import RESULTS
from benchmarks.speed.models import SHAPES, B, Shape, ensemble_of, keep_quitting, prepared
from benchmarks.speed.pipe import Process
from benchmarks.table import digits, kept, spread
from mddag import _core
from mddag.ensemble.ensemble import Ensemble
from mddag.policy.integer_votes import IntegerVotes

FIELDS = ("what", "rows", "level", "ns_per_row", "speed / avx2")
BASE = "avx2"
SHARES = (0.05, 0.1, 0.2)
ROWS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
SMALL_B = Shape("B-100", 50, n_rounds=100)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", nargs="?", help="the interpreter of another build")
    parser.add_argument("--only", nargs="+", choices=MEASURES, default=list(MEASURES))
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--levels", nargs="+", default=_core.levels())
    options = parser.parse_args()
    kept(RESULTS / "speed" / "levels.csv", FIELDS, measured(options))


def measured(options: argparse.Namespace) -> Iterator[dict[str, str]]:
    with ExitStack() as stack:
        builds = {
            level: _process(sys.executable, f"MDDAG_LEVEL={level}") for level in options.levels
        }
        if options.before:
            builds["before"] = _process(options.before)
        for build in builds.values():
            stack.callback(build.end)
        for name in options.only:
            yield from MEASURES[name](builds, options.repeats)


def of_full(builds: dict[str, Process], n_repeats: int) -> Iterator[dict[str, str]]:
    for shape in SHAPES:
        load(builds, shape, "full.mddag")
        yield from told(builds, n_repeats, f"{shape.name}, all", 20_000)


def of_exits(builds: dict[str, Process], n_repeats: int) -> Iterator[dict[str, str]]:
    for share in SHARES:
        file = f"quits-{share}.mddag"
        keep_quitting(prepared(B), file, share, every=16)
        load(builds, B, file)
        yield from told(builds, n_repeats, f"B, quits at {share:.0%}, every=16", 20_000)


def of_rows(builds: dict[str, Process], n_repeats: int) -> Iterator[dict[str, str]]:
    for shape in (SMALL_B, B):
        load(builds, shape, "full.mddag")
        for n_rows in ROWS:
            yield from told(builds, n_repeats, f"{shape.n_rounds} trees, all", n_rows)


def load(builds: dict[str, Process], shape: Shape, file: str) -> None:
    folder = prepared(shape)
    for build in builds.values():
        build.ask("load", folder=str(folder), changes={"file": file})


def told(
    builds: dict[str, Process], n_repeats: int, what: str, n_rows: int
) -> Iterator[dict[str, str]]:
    turns = np.array(
        [[build.ask("batch", n_rows=n_rows) for build in builds.values()] for _ in range(n_repeats)]
    )
    base = turns[:, list(builds).index(BASE if BASE in builds else next(iter(builds)))]
    for level, taken in zip(builds, turns.T, strict=True):
        yield {
            "what": what,
            "rows": str(n_rows),
            "level": level,
            "ns_per_row": digits(taken.min() / n_rows * 1e9),
            "speed / avx2": spread(base / taken),
        }


def _process(python: str, *settings: str) -> Process:
    return Process(python, "benchmarks.speed.worker", "Mddag", under=("env", *settings))


TREE_ROWS = (2048, 1024, 512, 256, 128, 64, 32)
N_FEW = 500
AT_LEAST = 0.02


def of_trees(builds: dict[str, Any], n_repeats: int) -> Iterator[dict[str, str]]:
    """Rows of the table for the levels among the names of `builds`, in ns per tree and row."""
    folder = prepared(B)
    levels = [level for level in _core.levels() if level in builds]
    ensemble = ensemble_of(folder)
    parts = ensemble, ensemble.taken(np.arange(N_FEW))
    forests = [[_forest(part, level) for part in parts] for level in levels]
    X = np.load(folder / "test.npy")[: TREE_ROWS[0]]
    for n_rows in TREE_ROWS:
        turns = np.array(
            [[_per_tree(pair, X[:n_rows]) for pair in forests] for _ in range(n_repeats)]
        )
        base = turns[:, levels.index("avx2") if "avx2" in levels else 0]
        for level, taken in zip(levels, turns.T, strict=True):
            yield {
                "what": "B, a tree of 8 leaves alone",
                "rows": str(n_rows),
                "level": level,
                "ns_per_row": digits(np.median(taken) * 1e9),
                "speed / avx2": spread(base / taken),
            }


def _forest(ensemble: Ensemble, level: str) -> _core.Forest:
    fixed = IntegerVotes.of(ensemble.tables)
    _, starts, score, rounds, n_scores = ensemble.tables.native
    tables = fixed.values, starts, score, rounds, n_scores
    order = np.arange(ensemble.n_classifiers)
    return _core.Forest(ensemble.native, tables, fixed.bias, fixed.unit, order, level)


def _per_tree(forests: list[_core.Forest], X: np.ndarray) -> float:
    out = np.empty((len(X), 1))
    many, few = (mean_seconds(AT_LEAST, forest.scores, X, out, 1) for forest in forests)
    return (many - few) / N_FEW / len(X)


MEASURES = {"full": of_full, "exit": of_exits, "rows": of_rows, "trees": of_trees}

if __name__ == "__main__":
    main()
