import numpy as np
import pytest

from mddag.ensemble.tasks import Regression
from mddag.losses import OfMeans, Squared

scores = np.array([[0.0], [1.5]])


def test_a_log_link_predicts_exponentials():
    np.testing.assert_array_equal(Regression().predictions(scores), scores[:, 0])
    log = Regression(link="exp")
    np.testing.assert_array_equal(log.means(scores), np.exp(scores[:, 0]))
    assert log.prediction_of_one(lambda x: x)(1.5) == log.predictions(scores)[1]
    assert log.calibrated == "log means"


def test_one_row_is_read_by_the_function_itself():
    assert Regression().prediction_of_one(abs) is abs


def test_an_unknown_link_predicts_nothing():
    unknown = Regression(link="unknown")
    for predict in (
        unknown.require_predictions,
        lambda: unknown.predictions(scores),
        lambda: unknown.prediction_of_one(abs)(1.0),
    ):
        with pytest.raises(ValueError, match="neither its scores nor exp of them"):
            predict()


def test_the_loss_is_squared_and_in_units_of_the_variance():
    y, weight = np.array([1.0, 3.0]), np.array([3.0, 1.0])
    assert Regression().loss(None) == Squared()
    assert Regression(link="exp").loss(None) == OfMeans(Squared())
    assert Regression().unit(None, y, None) == np.var(y)
    assert Regression(link="exp").unit(None, y, None) == np.var(y)
    assert Regression().unit(None, y, weight) == 0.75
    assert Regression().unit(None, np.ones(3), None) == 1.0
