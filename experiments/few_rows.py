"""How many policy rows a price or a budget wants: what few of them are worth on fresh rows.

    python experiments/few_rows.py    reads the folder MDDAG_DATA; about ten minutes of one core

LightGBM, 200 trees of 8 leaves, trained on 8000 rows of electricity and of letter A-M / N-Z; four
draws of policy rows, the default solver; Eq. (8) at beta = 0.001, and error and evaluations within
a budget of 10, on rows that neither has seen. Writes experiments/results/few_rows.csv, on which
``mddag._utils.warnings.FEWEST_ROWS`` rests.
"""

from __future__ import annotations

import csv
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np

import mddag

RESULTS = Path(__file__).parent / "results" / "few_rows.csv"
N_ROWS = (60, 125, 250, 500, 1000, 2000, 4000)
N_DRAWS, N_TRAIN = 4, 8000
BETA, BUDGET = 1e-3, 10
HEAD = ("data", "knob", "rows", "draw", "error", "evaluations", "objective", "full_error")


def main() -> None:
    if not os.environ.get("MDDAG_DATA"):
        raise SystemExit("set MDDAG_DATA to the folder of the data sets; see CONTRIBUTING.md")
    warnings.simplefilter("ignore", mddag.DoubtfulResult)  # few rows are the point
    with RESULTS.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEAD)
        for name in ("electricity", "letter"):
            for line in measured(name, *rows_of(name)):
                writer.writerow(line)
                file.flush()
                print(*line)


def rows_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    """All rows, shuffled, and classes 0 and 1."""
    sys.path.insert(0, os.environ["MDDAG_DATA"])
    import load

    X, y = getattr(load, name)()[:2]
    codes = np.unique(y, return_inverse=True)[1]
    order = np.random.default_rng(0).permutation(len(X))
    return X[order], (codes >= (codes.max() + 1) // 2).astype(int)[order]


def measured(
    name: str, X: np.ndarray, y: np.ndarray, n_draws: int = N_DRAWS
) -> Iterator[tuple[Any, ...]]:
    model = lightgbm.LGBMClassifier(n_estimators=200, num_leaves=8, n_jobs=1, verbose=-1)
    model.fit(X[:N_TRAIN], y[:N_TRAIN])
    n_policy = min((len(X) - N_TRAIN) * 2 // 3, 4 * max(N_ROWS))
    fresh = slice(N_TRAIN + n_policy, None)
    full_error = round(1 - model.score(X[fresh], y[fresh]), 4)
    for knob, value in (("beta", BETA), ("budget", BUDGET)):
        for n_rows in N_ROWS:
            for draw in range(n_draws):
                random = np.random.default_rng(draw)
                at = N_TRAIN + random.choice(n_policy, n_rows, replace=False)
                fast = mddag.sparsify(model, X[at], y[at], **{knob: value}, random_state=draw)
                error = 1 - fast.score(X[fresh], y[fresh])
                evaluations = fast.n_evaluated(X[fresh]).mean()
                numbers = round(error, 4), round(evaluations, 2)
                objective = round(error + BETA * evaluations, 4)
                yield name, knob, n_rows, draw, *numbers, objective, full_error


if __name__ == "__main__":
    main()
