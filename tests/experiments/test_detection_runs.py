"""The protocol of Figure 2: rates of settings at a fixed FPR, the best one within a bound."""

import numpy as np

from experiments.detection.runs import DetectionRun, Scored, best_within


def scored(*columns):
    return Scored(*map(np.array, columns))


def test_a_run_has_both_thresholds():
    train = scored([0, 1, 2, 3, 4, 5], [0, 0, 1, 0, 1, 1], [1, 1, 9, 4, 9, 9])
    test = scored([0, 2, 4, 3, 3.5, 5], [0, 0, 0, 1, 1, 1], [2, 2, 2, 9, 9, 9])
    assert DetectionRun.of(train, test, fpr=0.34) == DetectionRun(1.0, 2.0, 1.0, 2.0, 1.0, 2 / 3)


def test_a_run_may_split_ties():
    rows = scored([1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [1] * 5)
    whole, split = (DetectionRun.of(rows, rows, 0.5, ties=ties) for ties in ("whole", "split"))
    assert (whole.train_tpr, whole.test_tpr) == (0.0, 0.0)
    assert (split.train_tpr, split.test_tpr, split.held_out_tpr) == (0.5, 0.5, 0.0)


def test_the_best_by_train_within_each_bound():
    runs = [
        DetectionRun(tpr, cost, tpr - 0.1, cost + 1, tpr - 0.2, 0.02)
        for tpr, cost in ((0.5, 3), (0.8, 9), (0.7, 5), (0.8, 7))
    ]
    assert best_within(runs, [1, 3, 6, 8, 100]) == [None, runs[0], runs[2], runs[3], runs[1]]
