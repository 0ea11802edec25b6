"""Class weights by None, "balanced" and dict."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mddag.class_weight import class_weights
from mddag.features import Features
from mddag.training_set import TrainingSet


def rows(classes=("a", "b", "c")):
    labels = np.array([0, 0, 0, 1, 2])
    weight = np.array([1.0, 1, 1, 2, 5])
    return TrainingSet(
        np.zeros((5, 1)), labels, weight, np.array(classes), Features(1), np.zeros(1, bool)
    )


def test_balanced_gives_every_class_the_same_mass():
    factors = class_weights("balanced", rows())
    assert_allclose(factors * [3, 2, 5], 10 / 3)


def test_a_dict_names_classes_and_leaves_the_others_at_one():
    assert class_weights({"b": 2.5}, rows()).tolist() == [1, 2.5, 1]
    assert class_weights(None, rows()).tolist() == [1, 1, 1]
    assert class_weights({0: 2, 1: 1, 2: 1, 9: 7}, rows((0, 1, 2))).tolist() == [2, 1, 1]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("even", "class_weight is 'even'; wanted None, 'balanced' or a dict"),
        ({"a": 0.0}, r"class_weight\['a'\] is 0.0; wanted a number above 0"),
        (
            {"z": 1.0},
            r"labels that are not classes, \['z'\], and lacks the classes \['a', 'b', 'c'\]",
        ),
    ],
)
def test_bad_class_weights(given, message):
    with pytest.raises(ValueError, match=message):
        class_weights(given, rows())
