"""The cases of Figure 3: the official folds of MQ2007 and MQ2008, and two full models for each.

AdaBoost.MH on the relevance classes 0, 1, 2, and LambdaMART of LightGBM, both with 500 trees of 8
leaves trained on the training queries. Validation queries fit policies and choose settings; test
queries are only measured. MQ2007 has 85 % of its documents here.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from benchmarks.ranking.folds import PARTS, RATES, Part, documents, lambda_mart, problem
from mddag import AdaBoostMHClassifier, Ensemble
from mddag.learners import Tree
from mddag.metrics import MeanNDCG
from mddag.metrics.ranking import Queries
from mddag.ranking.problem import RankingProblem

NAMES = tuple(RATES)
TITLES = {"mq2007": "MQ2007", "mq2008": "MQ2008"}
METRIC = MeanNDCG()


@dataclass(frozen=True)
class Size:
    """How much is computed."""

    n_trees: int = 500
    n_episodes: int = 10**6
    most_queries: int | None = None
    quick: bool = False


QUICK = Size(n_trees=40, n_episodes=20_000, most_queries=60, quick=True)


@dataclass(frozen=True, eq=False)
class Case:
    """One fold of a data set.

    parts : X, y and qid of train, vali and test
    boost : AdaBoost.MH
    mart  : LambdaMART
    """

    name: str
    fold: int
    size: Size
    parts: dict[str, Part]
    boost: AdaBoostMHClassifier
    mart: Ensemble

    @classmethod
    def of(cls, name: str, fold: int, size: Size, folder: Path) -> Case:
        """The models are read from the folder, or trained and written there."""
        parts = documents(name, fold)
        if size.most_queries is not None:
            parts = {part: some(parts[part], size.most_queries) for part in PARTS}
        named = f"{name}-{fold}-LambdaMART"
        mart = lambda_mart(named, parts["train"], RATES[name], n_trees=size.n_trees, folder=folder)
        boost = boosted(folder / f"{name}-{fold}-AdaBoost.pickle", parts["train"], size)
        return cls(name, fold, size, parts, boost, mart)

    @cached_property
    def problems(self) -> dict[str, RankingProblem]:
        """The votes of LambdaMART on each part."""
        return {part: problem(self.mart, self.parts[part], METRIC) for part in PARTS}

    def ndcg(self, part: str, scores: np.ndarray) -> np.ndarray:
        """MeanNDCG of every query by labels."""
        _, y, qid = self.parts[part]
        return METRIC.of_queries(scores, y, Queries.of(qid, len(qid)))


def boosted(path: Path, part: Part, size: Size) -> AdaBoostMHClassifier:
    if path.exists():
        return pickle.loads(path.read_bytes())  # written below
    X, y, _ = part
    model = AdaBoostMHClassifier(
        Tree(n_leaves=8), n_rounds=size.n_trees, max_bins=255, random_state=0
    ).fit(X, y.astype(int))
    unfinished = path.with_suffix(".part")
    unfinished.write_bytes(pickle.dumps(model))
    unfinished.rename(path)
    return model


def some(part: Part, n_queries: int) -> Part:
    """The documents of the first queries."""
    X, y, qid = part
    chosen = np.isin(qid, np.unique(qid)[:n_queries])
    return X[chosen], y[chosen], qid[chosen]
