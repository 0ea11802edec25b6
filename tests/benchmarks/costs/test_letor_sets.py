"""What a document's reading in a set loses."""

import numpy as np

from benchmarks.costs.letor_sets import SetScores, losses
from mddag.metrics import MeanNDCG
from mddag.metrics.queries import Queries


class OneSet:
    """Stands for the sets, of which losses need nothing."""


def test_losses_are_those_of_moving_one_document():
    rng = np.random.default_rng(0)
    queries, metric = Queries.of_sizes([7, 1, 5]), MeanNDCG()
    readings, labels = rng.normal(size=(13, 4)), rng.integers(0, 3, 13).astype(float)
    # the full model knows the labels, so expected gains are those of the labels
    readings[:, -1] = labels + 1e-3 * readings[:, -1]
    found = losses(SetScores(OneSet(), readings, labels, queries), metric)
    full = metric.of_queries(readings[:, -1], labels, queries)
    for i in range(13):
        for s in range(4):
            moved = readings[:, -1].copy()
            moved[i] = readings[i, s]
            lost = full - metric.of_queries(moved, labels, queries)
            np.testing.assert_allclose(found[i, s], lost.sum(), atol=1e-9)
