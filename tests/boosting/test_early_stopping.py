"""The watch on held-out rows."""

import numpy as np

from mddag.boosting.early_stopping import Watch
from mddag.boosting.rounds import scored
from mddag.ensemble.nodes import TreeBuilder


def constant(vote):
    tree = TreeBuilder()
    return tree.finish(tree.leaf(np.array([vote])))


def test_the_best_round_is_the_first_with_the_smallest_error():
    labels = np.array([1, 1, 0], np.intp)
    watch = Watch(np.zeros((3, 1)), scored(labels, 2, np.ones(3)))
    for vote in (-1.0, 2.0, 0.5, -2.0):  # sums: -1, 1, 1.5, -0.5
        watch.see(constant(vote))
    assert watch.errors == [2 / 3, 1 / 3, 1 / 3, 2 / 3]
    assert watch.best == 2
    assert watch.stale(2)
    assert not watch.stale(3)
