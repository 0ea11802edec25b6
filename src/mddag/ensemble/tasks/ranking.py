"""Ranking: scores are what the documents of a query are sorted by.

An Ensemble of a ranker votes, scores and is served. There is no estimator of sparse rankers yet:
queries, and a quality of their order, are not defined here.
"""

from __future__ import annotations

from dataclasses import dataclass

from mddag.ensemble.tasks.task import Task


@dataclass(frozen=True, eq=False, kw_only=True)
class Ranking(Task):
    """Scores to sort by."""

    kind = "ranker"
    estimator = None
