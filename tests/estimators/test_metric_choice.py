import numpy as np
import pytest

from mddag.estimators.metric_choice import checked_class_metric, learned_loss
from mddag.losses import Hinge, Logistic, ZeroOne
from mddag.metrics import (
    Accuracy,
    AveragePrecision,
    Brier,
    CostMatrix,
    LogLoss,
    MacroF1,
    RocAuc,
)

SCORES, CODES = np.array([[1.0], [-1.0], [2.0], [-2.0]]), np.array([1, 0, 0, 0])


def test_accuracy_is_the_default():
    assert checked_class_metric(None) is checked_class_metric(Accuracy()) is None
    assert checked_class_metric(RocAuc()) == RocAuc()
    with pytest.raises(TypeError, match=r"metric is <class .*RocAuc'>; wanted Accuracy"):
        checked_class_metric(RocAuc)


@pytest.mark.parametrize("metric", [LogLoss(), Brier(), RocAuc(), AveragePrecision()])
def test_probabilities_are_learned_by_their_likelihood(metric):
    assert learned_loss(metric, None, SCORES, CODES, None) == Logistic()


def test_decisions_are_learned_by_their_prices():
    costs = CostMatrix([[0, 1], [20, 0]])
    assert learned_loss(costs, None, SCORES, CODES, None) == ZeroOne(weights=[[0, 1], [20, 0]])
    prices = learned_loss(MacroF1(), None, SCORES, CODES, None).prices(2)
    assert prices[1, 0] > prices[0, 1] > 0  # an error on the rare class loses more of F1
    shares = np.eye(2)[CODES]
    again = learned_loss(MacroF1(), None, SCORES, shares, np.ones(4)).prices(2)
    np.testing.assert_allclose(again, prices)


def test_a_loss_that_is_given_is_learned():
    assert learned_loss(RocAuc(), Hinge(), SCORES, CODES, None) == Hinge()
    assert learned_loss(None, None, SCORES, CODES, None) is None
    with pytest.raises(ValueError, match="but there are 2 classes"):
        learned_loss(CostMatrix(1 - np.eye(3)), Hinge(), SCORES, CODES, None)
