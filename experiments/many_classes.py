"""What a budget buys with many classes: order, levels, cells and choice (docs/ordering.md).

    MDDAG_DATA=... python experiments/many_classes.py [letter-catboost letter mnist digits thyroid]

CatBoost (60 trees for all classes) or LightGBM (100 rounds of trees with eight leaves), and rows
that they have not seen, shuffled by three seeds: 36 % for order, levels and grid, 24 % to choose
the setting of a family's knob within a budget, 40 % to report. The order is the given one or
Correlation(), on levels by least squares ("lines") or by log-odds; each class has the usual number
of cells or 1024; chosen is among all candidates, or among those that are best at one of the prices
10^(-i/64). All data sets together are kept in results/many_classes.csv: means over the seeds.
"""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import catboost
import lightgbm
import numpy as np
from sklearn.datasets import load_digits

from mddag import MDP, Ensemble, Grid, as_ensemble
from mddag.policy import Correlation
from mddag.policy.arrangement import Arrangement, arranged, by_lines, by_log_odds
from mddag.solvers import Margin, Prefix, Residual

RESULTS = Path(__file__).parent / "results" / "many_classes.csv"
DATA = ("letter-catboost", "letter", "mnist", "digits", "thyroid")
FAMILIES = (Prefix(), Margin(), Residual())
BUDGETS = (6, 10, 15, 20)
PRICES = 10.0 ** -np.arange(0, 6, 1 / 64)
CELLS = {"usual": None, "1024": 1024}
SEEDS = (0, 1, 2)
TITLES = (
    "data", "solver", "order", "cells", "choice", "budget", "error", "evaluations", "full error",
)  # fmt: skip


def main() -> None:
    rows: list[tuple[Any, ...]] = [TITLES]
    print(*TITLES, sep=",")
    for name in sys.argv[1:] or DATA:
        for found in of_data(name):
            rows.append(found)
            print(*found, sep=",", flush=True)
    if not sys.argv[1:]:
        with RESULTS.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


def of_data(name: str) -> Iterator[tuple[Any, ...]]:
    ensemble, X, y = problem(name)
    found: dict[tuple[Any, ...], list[tuple[float, float, float]]] = {}
    for seed in SEEDS:
        rows = np.random.default_rng(seed).permutation(len(y))
        parts = np.split(rows, [len(y) * 9 // 25, len(y) * 3 // 5])
        samples = [MDP(ensemble.votes(X[part]), y[part]) for part in parts]
        for key, numbers in reports(*samples):
            found.setdefault(key, []).append(numbers)
    for key, numbers in found.items():
        error, evaluations, full = np.mean(numbers, axis=0)
        yield (name, *key, f"{error:.4f}", f"{evaluations:.2f}", f"{full:.4f}")


def reports(
    learning: MDP, choosing: MDP, fresh: MDP
) -> Iterator[tuple[tuple[Any, ...], tuple[float, float, float]]]:
    """(solver, order, cells, choice, budget) and (error, evaluations, full error)."""
    for order, arrangement in arrangements(learning):
        votes = arrangement.votes(learning.votes)
        for cells, n_cells in CELLS.items():
            grid = Grid.quantile(votes, n_cells)
            there = [mdp.arranged(arrangement, grid) for mdp in (learning, choosing, fresh)]
            for family in FAMILIES:
                candidates = family.candidates(there[0])
                chosen_by, reported = (candidates.evaluate(mdp) for mdp in there[1:])
                for choice, among in choices(*chosen_by):
                    for budget in BUDGETS:
                        at = best_within(budget, among, *chosen_by)
                        numbers = reported[0][at], reported[1][at], reported[0][0]
                        key = type(family).__name__, order, cells, choice, budget
                        yield key, numbers


def arrangements(mdp: MDP) -> Iterator[tuple[str, Arrangement]]:
    yield "given", Arrangement(np.arange(mdp.n_steps))
    yield "correlation, lines", arranged(Correlation(), mdp.votes, levels=by_lines)
    yield "correlation, log-odds", arranged(Correlation(), mdp.votes, levels=by_log_odds)


def choices(losses: np.ndarray, costs: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    yield "all", np.arange(len(losses))
    yield "prices", np.unique([(losses + price * costs).argmin() for price in PRICES])


def best_within(budget: float, among: np.ndarray, losses: np.ndarray, costs: np.ndarray) -> int:
    """The least loss within the budget; the cheapest of all where none is within."""
    cheap = among[costs[among] <= budget]
    if len(cheap) == 0:
        return int(costs.argmin())
    return int(cheap[np.lexsort((costs[cheap], losses[cheap]))[0]])


def problem(name: str) -> tuple[Ensemble, np.ndarray, np.ndarray]:
    """A trained ensemble, and rows and labels that it has not seen; test sets are left alone."""
    X, y = rows_of(name)
    shuffled = np.random.default_rng(1).permutation(len(y))
    n_trained = {"letter-catboost": 6000, "letter": 6000, "mnist": 12_000}.get(name, len(y) // 2)
    train, rest = shuffled[:n_trained], shuffled[n_trained:]
    model = lightgbm.LGBMClassifier(n_estimators=100, num_leaves=8, verbose=-1, n_jobs=1)
    if name == "letter-catboost":
        model = catboost.CatBoostClassifier(
            iterations=60, depth=4, verbose=0, thread_count=1, allow_writing_files=False
        )
    return as_ensemble(model.fit(X[train], y[train])), X[rest], y[rest]


def rows_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    sys.path.insert(0, os.environ["MDDAG_DATA"])
    import load

    if name == "digits":
        X, y = load_digits(return_X_y=True)
    elif name == "mnist":
        X, y = (part[:24_000] for part in load.mnist()[:2])
        X = X.reshape(len(X), -1)
    else:
        X, y, is_test = (load.ann_thyroid if name == "thyroid" else load.letter)()[:3]
        X, y = X[is_test == 0], y[is_test == 0]
    return np.asarray(X, float), np.asarray(y)


if __name__ == "__main__":
    main()
