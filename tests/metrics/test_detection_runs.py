import numpy as np
import pytest

from mddag.metrics import DetectionRun, Scored, best_within


def run(tpr, cost):
    return DetectionRun(tpr, cost, tpr - 0.1, cost + 1, tpr - 0.2, 0.02)


def test_cost_is_that_of_negatives():
    assert Scored([1, 2, 3], [0, 1, 0], [4, 100, 6]).cost == 5


def test_a_run_has_both_thresholds():
    train = Scored([0, 1, 2, 3, 4, 5], [0, 0, 1, 0, 1, 1], [1, 1, 9, 4, 9, 9])
    test = Scored([0, 2, 4, 3, 3.5, 5], [0, 0, 0, 1, 1, 1], [2, 2, 2, 9, 9, 9])
    found = DetectionRun.of(train, test, fpr=0.34)
    assert found == DetectionRun(1.0, 2.0, 1.0, 2.0, 1.0, 2 / 3)
    strict = DetectionRun.of(train, test, 0.34, validation=Scored([3, 4, 9], [0, 0, 1], [1] * 3))
    assert (strict.test_tpr, strict.held_out_tpr, strict.held_out_fpr) == (1.0, 1 / 3, 0.0)


def test_the_best_by_train_within_each_bound():
    runs = [run(0.5, 3), run(0.8, 9), run(0.7, 5), run(0.8, 7)]
    assert best_within(runs, [1, 3, 6, 8, 100]) == [None, runs[0], runs[2], runs[3], runs[1]]


def test_test_rows_do_not_choose():
    better_on_test = DetectionRun(0.5, 3, 0.99, 3, 0.99, 0.0)
    assert best_within([better_on_test, run(0.6, 3)], [5]) == [run(0.6, 3)]


def test_evaluations_of_other_rows_are_refused():
    with pytest.raises(ValueError, match="n_evaluated has shape"):
        Scored([1, 2], [0, 1], np.ones(3))
