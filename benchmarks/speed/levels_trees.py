"""The kernels of small trees alone: what further trees take, once values are ranked.

    (time of 1000 trees - time of the first 500) / 500 / rows

of shape B, so that ranking, which both do alike, drops out. Levels take turns in one process.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.clock import mean_seconds
from benchmarks.speed.models import B, ensemble_of, prepared
from benchmarks.table import digits, spread
from mddag import _core
from mddag.dag.integer_votes import IntegerVotes
from mddag.ensemble.ensemble import Ensemble

ROWS = (2048, 1024, 512, 256, 128, 64, 32)
N_FEW = 500
AT_LEAST = 0.02


def of_trees(builds: dict[str, Any], n_repeats: int) -> Iterator[dict[str, str]]:
    """Rows of the table for the levels among the names of `builds`, in ns per tree and row."""
    folder = prepared(B)
    levels = [level for level in _core.levels() if level in builds]
    ensemble = ensemble_of(folder)
    parts = ensemble, ensemble.taken(np.arange(N_FEW))
    forests = [[_forest(part, level) for part in parts] for level in levels]
    X = np.load(folder / "test.npy")[: ROWS[0]]
    for n_rows in ROWS:
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
