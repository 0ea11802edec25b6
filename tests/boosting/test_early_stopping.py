"""The watch on held-out rows."""

import numpy as np

from mddag.boosting.rounds import scored
from mddag.boosting.training import Watch
from mddag.boosting.training_set import TrainingSet
from mddag.ensemble.nodes import TreeBuilder
from mddag.features.features import Features


def constant(vote):
    tree = TreeBuilder()
    return tree.finish(tree.leaf(np.array([vote])))


def test_the_best_round_is_the_first_with_the_smallest_error():
    labels = np.array([1, 1, 0], np.intp)
    features = Features(1)
    rows = features.rows(np.zeros((3, 1)))
    held = TrainingSet(rows, labels, np.ones(3), np.arange(2), features, np.zeros(1, bool))
    watch = Watch(held, scored(labels, 2, np.ones(3)))
    for vote in (-1.0, 2.0, 0.5, -2.0):  # sums: -1, 1, 1.5, -0.5
        watch.see(constant(vote))
    assert watch.errors == [2 / 3, 1 / 3, 1 / 3, 2 / 3]
    assert watch.best == 2
    assert watch.stale(2)
    assert not watch.stale(3)
