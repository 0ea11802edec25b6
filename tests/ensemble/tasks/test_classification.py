import numpy as np
import pytest

from mddag import DoubtfulResult
from mddag.ensemble.tasks import Classification
from mddag.losses import Hinge, ZeroOne

two = Classification(classes=np.array(["no", "yes"]))
three = Classification(classes=np.array([3, 5, 9]))


def test_the_largest_score_wins_and_the_first_of_equal_ones():
    assert two.codes(np.array([[-1.0], [0.0], [1e-300]]), 1).tolist() == [0, 0, 1]
    scores = np.array([[1.0, 2, 2], [0, 0, 0], [0, 1, 3]])
    assert three.codes(scores, 3).tolist() == [1, 0, 2]
    assert three.predictions(scores).tolist() == [5, 3, 9]
    with pytest.raises(ValueError, match=r"scores are .*; wanted \(n, 3\)"):
        three.codes(scores[:, :2], 3)


def test_labels_that_the_ensemble_does_not_know_are_named():
    with pytest.raises(ValueError, match=r"label 7 \(row 1\), which the ensemble does not know"):
        three.coded(np.array([3, 7, 9]))
    codes = three.coded(np.array([9, 3]))
    assert (codes.tolist(), codes.dtype) == ([2, 0], np.intp)


def test_probabilities_are_targets_too():
    shares = np.array([[0.2, 0.3, 0.5]], np.float32)
    np.testing.assert_array_equal(three.coded(shares), shares.astype(np.float64))


def test_labels_are_numbers_by_default():
    assert Classification.labels(None, 1).tolist() == [0, 1]
    assert Classification.labels(None, 3).tolist() == [0, 1, 2]
    assert not Classification.labels(["a", "b"], 1).flags.writeable
    with pytest.raises(ValueError, match=r"classes has shape \(2,\); 3 score\(s\) stand for 3"):
        Classification.labels(["a", "b"], 3)


def test_the_loss_is_zero_one_and_its_own_unit():
    assert two.loss(None) == ZeroOne()
    assert two.loss(Hinge()) == Hinge()
    assert two.unit(None, np.array([0, 1]), None) == 1.0


def test_rows_of_one_class_are_doubted():
    with pytest.warns(DoubtfulResult, match="the label 'no' alone"):
        two.doubt_targets(np.array(["no", "no"]))
    with pytest.warns(DoubtfulResult, match="get from the model the label"):
        two.doubt_targets(np.array(["no", "no"]), given=False)
    two.doubt_targets(np.array(["no", "yes"]))


def test_every_class_is_a_stratum():
    labels = np.array(["no", "yes", "no"])
    np.testing.assert_array_equal(two.strata(labels), labels)


def test_without_labels_nothing_is_predicted():
    with pytest.raises(ValueError, match="a classifier has no classes"):
        Classification().predictions(np.zeros((1, 3)))
