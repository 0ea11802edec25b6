import numpy as np

from mddag.holdout import stratified


def test_every_class_keeps_a_row():
    labels = np.array([0] * 10 + [1] * 2 + [2])
    out = stratified(labels, 0.5, np.random.RandomState(0))
    assert np.bincount(labels[out], minlength=3).tolist() == [5, 1, 0]
