import numpy as np
import pytest
from sklearn.metrics import r2_score, zero_one_loss

from mddag.ensemble.tasks.quality import R2, Error


def test_the_error_is_the_share_of_wrong_labels():
    got, truth = np.array(["a", "b", "b"]), np.array(["a", "a", "b"])
    assert Error()(got, truth) == pytest.approx(zero_one_loss(truth, got))
    assert Error()(got, truth, np.array([1.0, 2.0, 1.0])) == 0.5
    assert Error().difference(got, truth) == Error()(got, truth)
    assert Error().in_words(0.25) == "disagreement with the full model: 0.2500"


def test_r2_is_that_of_scikit_learn_and_not_defined_without_variance():
    truth, means = np.array([1.0, 3.0, 4.0]), np.array([1.0, 2.0, 4.5])
    weight = np.array([1.0, 2.0, 0.5])
    assert R2()(means, truth) == pytest.approx(r2_score(truth, means))
    assert R2()(means, truth, weight) == pytest.approx(r2_score(truth, means, sample_weight=weight))
    assert R2()(np.zeros(3), np.ones(3)) is None
    assert R2().difference(np.zeros(3), np.ones(3)) == 1.0
    assert R2().in_words(0.25) == "R2 against the full model's predictions: 0.7500"
