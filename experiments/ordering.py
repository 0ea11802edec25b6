"""What an order is worth to prefixes, margin rule, QWYC and the residual model (docs/ordering.md).

    MDDAG_DATA=... python experiments/ordering.py [electricity spambase letter]

LightGBM, 500 trees of 8 leaves. Rows are shuffled (seed 0): half for the model, a quarter for order
and policy, a quarter for the test. Reported is the least mean number of evaluations at which the
test error is at most 0.2 points above that of all trees, the knob being read off the test curve.
All data sets together are kept in results/ordering.csv.
"""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np

from mddag import MDP, Grid, as_ensemble
from mddag.policy import Correlation, Given
from mddag.policy.arrangement import Arrangement, arranged
from mddag.solvers import QWYC, Margin, Prefix, Residual

RESULTS = Path(__file__).parent / "results" / "ordering.csv"
DATA = ("electricity", "spambase", "letter")
POINTS = 0.002
FAMILIES = (Prefix(), Margin(), QWYC(), Residual())
TITLES = ("data", "order", *(type(family).__name__ for family in FAMILIES))


def main() -> None:
    rows: list[tuple[str, ...]] = [TITLES]
    print(*TITLES, sep=",")
    for name in sys.argv[1:] or DATA:
        for found in of_data(name):
            rows.append(found)
            print(*found, sep=",", flush=True)
    if not sys.argv[1:]:
        with RESULTS.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


def of_data(name: str) -> Iterator[tuple[str, ...]]:
    policy, test = problem(*rows_of(name))
    for title, arrangement in arrangements(policy):
        grid = Grid.quantile(arrangement.votes(policy.votes))
        learning, fresh = (mdp.arranged(arrangement, grid) for mdp in (policy, test))
        needed = (evaluations(family, learning, fresh) for family in FAMILIES)
        yield name, title, *(f"{n:.0f}" for n in needed)


def rows_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Features and labels 0, 1; letters are A-M against N-Z."""
    sys.path.insert(0, os.environ["MDDAG_DATA"])
    import load

    X, y = getattr(load, name)()[:2]
    return np.asarray(X, float), (y >= 13 if name == "letter" else y).astype(int)


def problem(X: np.ndarray, y: np.ndarray) -> tuple[MDP, MDP]:
    """The rows for order and policy, and those for the test."""
    shuffled = np.random.default_rng(0).permutation(len(y))
    model, policy, test = np.split(shuffled, [len(y) // 2, len(y) * 3 // 4])
    booster = lightgbm.LGBMClassifier(n_estimators=500, num_leaves=8, verbose=-1, n_jobs=1)
    ensemble = as_ensemble(booster.fit(X[model], y[model]))
    learning, fresh = (MDP(ensemble.votes(X[rows]), y[rows]) for rows in (policy, test))
    return learning, fresh


def arrangements(mdp: MDP) -> Iterator[tuple[str, Arrangement]]:
    yield "given", arranged(Given(), mdp.votes)
    yield "correlation", arranged(Correlation(), mdp.votes)
    yield "correlation without levels", Arrangement(Correlation()(mdp.votes))


def evaluations(family: Any, learning: MDP, fresh: MDP) -> float:
    losses, costs = family.candidates(learning).evaluate(fresh)
    return float(costs[losses <= losses[0] + POINTS].min())


if __name__ == "__main__":
    main()
