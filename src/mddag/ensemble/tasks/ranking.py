"""Ranking: scores are what the documents of a query are sorted by.

Targets are relevance labels, 0 or more. What an order is worth depends on the metric and on
queries, which are not known here: ``metrics.ranking`` has both.
"""

from __future__ import annotations

from dataclasses import dataclass

from mddag.ensemble.tasks.quality import NDCGQuality
from mddag.ensemble.tasks.task import Task


@dataclass(frozen=True, eq=False, kw_only=True)
class Ranking(Task):
    """Scores to sort by."""

    kind = "ranker"
    estimator = "MDDAGRanker"
    quality = NDCGQuality()
    calibration_changes_predictions = True
    counted = "queries"
