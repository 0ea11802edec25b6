import numpy as np
import pytest
from sklearn.base import clone

from mddag.metrics import LogLoss, RocAuc
from mddag.metrics.class_metric import checked_probabilities, checked_shares, decided


def test_one_column_is_that_of_the_second_class():
    assert checked_probabilities([0.25, 1.0]).tolist() == [[0.75, 0.25], [0.0, 1.0]]


def test_labels_are_numbers_flags_or_shares():
    wanted = [[0, 1], [1, 0]]
    assert checked_shares([1, 0], 2, 2).tolist() == wanted
    assert checked_shares([True, False], 2, 2).tolist() == wanted
    assert checked_shares([1.0, 0.0], 2, 2).tolist() == wanted
    assert checked_shares(np.array([[0.5, 0.5], [1, 0]]), 2, 2).tolist() == [[0.5, 0.5], [1, 0]]


def test_a_tie_goes_to_the_first_class():
    assert decided(np.array([[0.5, 0.5], [0.4, 0.6]])).tolist() == [[1, 0], [0, 1]]


def test_metrics_are_parameters():
    assert clone(LogLoss(0.01), safe=False) == LogLoss(0.01)
    assert LogLoss().set_params(smallest=0.1) == LogLoss(0.1)
    with pytest.raises(ValueError, match=r"smallest is 0\.7"):
        LogLoss().set_params(smallest=0.7)
    assert repr(RocAuc()) == "RocAuc()"
