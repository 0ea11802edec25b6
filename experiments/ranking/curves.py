"""The curves of Figure 3: means over the queries of all folds, with paired standard errors.

Where a setting is chosen, that is k*(N) of the paper: in each fold, among the settings with at most
N evaluations on the queries that choose, the one with the largest MeanNDCG there. Differences are
from the full model of the same trees, query by query.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from experiments.ranking import documents_alone, whole_queries
from experiments.ranking.runs import RankingRun, load_runs

METHODS = documents_alone.METHODS | whole_queries.METHODS
BOUNDS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500)
PAPER = "paper, AdaBoost.MH"
CHOSEN = {  # curve: of which settings
    "paper, MDDAG.I": "paper, MDDAG.I",
    "paper, MDDAG.EXP": "paper, MDDAG.EXP",
    "paper, MDDAG.I, 11 bins": "paper, MDDAG.I, 11 bins",
    "paper, MDDAG.EXP, 11 bins": "paper, MDDAG.EXP, 11 bins",
    "paper, MDDAG.I, exact solver": "paper, MDDAG.I, exact solver",
    "paper, MDDAG.EXP, exact solver": "paper, MDDAG.EXP, exact solver",
    "AdaBoost.MH, best prefix": "AdaBoost.MH",
    "MDDAG, Sarsa": "MDDAG, Sarsa",
    "MDDAG, Portfolio": "MDDAG, Portfolio",
}

ByFold = list[tuple[list[RankingRun], int]]


def path(folder: Path, data: str, fold: int, method: str) -> Path:
    return folder / f"{data}-{fold}-{method.replace(', ', '-').replace(' ', '-')}.npz"


def curves(data: str, folds: Sequence[int], folder: Path) -> Iterator[dict[str, Any]]:
    """Every point of every curve of a data set."""
    stored = {
        method: [load_runs(path(folder, data, fold, method)) for fold in folds]
        for method in METHODS
        if is_there(folder, data, folds, method)
    }
    full = {
        name: np.concatenate([found[-1].ndcg for found, _ in stored[name]])
        for name in (PAPER, "AdaBoost.MH", "LambdaMART")
        if name in stored
    }
    for method, by_fold in stored.items():
        of = full[full_model(method)]
        if method not in CHOSEN:
            for k in range(len(by_fold[0][0])):
                picked = [(found[k], n) for found, n in by_fold]
                yield {"data": data, "method": method, "bound": ""} | point(picked, of)
    for curve, method in CHOSEN.items():
        for bound in BOUNDS if method in stored else ():
            best = [(chosen(found, bound), n) for found, n in stored[method]]
            whole = [(run, n) for run, n in best if run is not None]
            if len(whole) == len(best):
                of = full[full_model(method)]
                yield {"data": data, "method": curve, "bound": bound} | point(whole, of)


def is_there(folder: Path, data: str, folds: Sequence[int], method: str) -> bool:
    return all(path(folder, data, fold, method).exists() for fold in folds)


def full_model(method: str) -> str:
    """The method whose last setting is the full model of these trees."""
    if method.startswith("paper"):
        return PAPER
    return "AdaBoost.MH" if method in documents_alone.METHODS else "LambdaMART"


def chosen(found: list[RankingRun], bound: float) -> RankingRun | None:
    """The best on validation queries within a bound; of equals the first."""
    within = [run for run in found if run.choice_cost <= bound]
    return max(within, key=lambda run: run.choice_ndcg, default=None)


def point(picked: list[tuple[RankingRun, int]], full: np.ndarray) -> dict[str, Any]:
    n_documents = np.array([n for _, n in picked])
    ndcg, lost = (
        np.concatenate([vars(run)[name] for run, _ in picked]) for name in ("ndcg", "lost")
    )
    cost = np.array([run.cost for run, _ in picked])
    return {
        "evaluations": float((cost * n_documents).sum() / n_documents.sum()),
        "mean_ndcg": float(ndcg.mean()),
        "minus_full": float((ndcg - full).mean()),
        "minus_full_error": error(ndcg - full),
        "lost": float(lost.mean()),
        "lost_error": error(lost),
        "queries": len(ndcg),
    }


def error(values: np.ndarray) -> float:
    """The standard error of a mean."""
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def choices(data: str, folds: Sequence[int], folder: Path) -> Iterator[dict[str, Any]]:
    """What was chosen within each bound in each fold, and what it does."""
    for (curve, method), fold in product(CHOSEN.items(), folds):
        if not is_there(folder, data, folds, method):
            continue
        found, _ = load_runs(path(folder, data, fold, method))
        for bound in BOUNDS:
            best = chosen(found, bound)
            if best is not None:
                where = {"data": data, "fold": fold, "method": curve, "bound": bound}
                said = {
                    name: vars(best)[name] for name in ("setting", "choice_ndcg", "choice_cost")
                }
                tested = {"test_ndcg": float(best.ndcg.mean()), "test_cost": best.cost}
                yield where | said | tested | {"settings": len(found)}
