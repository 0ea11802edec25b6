"""Ranking: scores to sort by, counted in queries."""

import numpy as np
import pytest

from mddag.ensemble.tasks import Ranking


def test_scores_are_what_documents_are_sorted_by():
    task = Ranking()
    assert (task.kind, task.estimator, task.counted) == ("ranker", "MDDAGRanker", "queries")
    assert task.predictions(np.array([[2.0], [1.0]])).tolist() == [2.0, 1.0]
    with pytest.raises(ValueError, match="a ranker has no classes to choose from"):
        task.codes(np.zeros((2, 1)), 1)


def test_quality_is_a_mean_over_queries():
    quality, values = Ranking.quality, np.array([0.2, 0.4])
    assert quality(values, values) == pytest.approx(0.3)
    assert quality.difference(values, values) == pytest.approx(0.3)
    assert quality.in_words(0.01) == "lost against the full model's own order: 0.0100"
