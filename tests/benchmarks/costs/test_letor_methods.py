"""Gaps to the tenth best reading, and cascades over queries."""

import numpy as np

from benchmarks.costs.letor_methods import _cascade, gap, statics
from benchmarks.costs.letor_sets import SetScores
from mddag.metrics.queries import Queries


def test_the_gap_is_to_the_tenth_best_or_the_last():
    queries = Queries.of_sizes([12, 2])
    readings = np.append(np.arange(12.0), [5.0, 7.0])
    found = gap(readings, queries)
    np.testing.assert_array_equal(found[:12], np.arange(12) - 2)
    np.testing.assert_array_equal(found[12:], [0, 2])


def test_a_cascade_takes_the_best_share_on():
    first, second = np.array([4.0, 3.0, 2.0, 1.0]), np.array([-2.0, -1.0, 9.0, 9.0])
    part = SetScores(None, np.stack([first, second], axis=1), np.zeros(4), Queries.of_sizes([4]))
    readings, last = _cascade([0, 1], [0.5])(part)
    assert last.tolist() == [1, 1, 0, 0]
    assert np.argsort(-readings).tolist() == [1, 0, 2, 3]
    assert statics([1])[0](part)[1].tolist() == [1] * 4
