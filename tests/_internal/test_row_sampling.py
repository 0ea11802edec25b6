import numpy as np

from mddag._internal.row_sampling import spaced_rows, stratified


def test_spaced_rows():
    assert spaced_rows(3, 5).tolist() == [0, 1, 2]
    assert spaced_rows(101, 3).tolist() == [0, 50, 100]


def test_every_class_keeps_a_row():
    labels = np.array([0] * 10 + [1] * 2 + [2])
    out = stratified(labels, 0.5, np.random.RandomState(0))
    assert np.bincount(labels[out], minlength=3).tolist() == [5, 1, 0]
