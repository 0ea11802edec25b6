"""The official folds of LETOR, and LambdaMART trained on them, kept in OUT between runs."""

from __future__ import annotations

from pathlib import Path

import lightgbm
import numpy as np

import mddag
from benchmarks.data import loaded
from benchmarks.places import OUT
from mddag.metrics.ranking import GainMetric, Queries
from mddag.ranking.problem import RankingProblem

RATES = {"mq2007": 0.03, "mq2008": 0.01}
PARTS = ("train", "vali", "test")
Part = tuple[np.ndarray, np.ndarray, np.ndarray]


def documents(data: str, fold: int) -> dict[str, Part]:
    """X (float32 numbers), y and qid of each part, query by query."""
    parts = {}
    for part, (X, y, qid) in loaded(data, fold).items():
        order = np.argsort(qid, kind="stable")
        parts[part] = X[order].astype(np.float32), y[order].astype(float), qid[order]
    return parts


def lambda_mart(
    name: str,
    part: Part,
    rate: float,
    n_leaves: int = 8,
    n_trees: int = 500,
    folder: Path = OUT / "ranking",
) -> mddag.Ensemble:
    """Trees trained on a part; a file of the folder keeps them by name and leaves."""
    path = folder / f"{name}_{n_leaves}.txt"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        model = lightgbm.LGBMRanker(
            learning_rate=rate,
            n_estimators=n_trees,
            num_leaves=n_leaves,
            random_state=0,
            n_jobs=1,
            verbose=-1,
        )
        X, y, qid = part
        model.fit(X, y, group=Queries.of(qid, len(qid)).sizes)
        unfinished = path.with_suffix(".part")
        model.booster_.save_model(unfinished)
        unfinished.rename(path)
    return mddag.as_ensemble(path)


def problem(ensemble: mddag.Ensemble, part: Part, metric: GainMetric) -> RankingProblem:
    """The votes of an ensemble on a part."""
    X, y, qid = part
    return RankingProblem.of(ensemble.votes(X), Queries.of(qid, len(qid)), metric, y)
