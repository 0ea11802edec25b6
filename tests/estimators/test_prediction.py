import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from mddag import AdaBoostMHClassifier, Ensemble
from mddag.calibration.calibration import Calibration
from mddag.estimators.prediction import ScoringClassifier


class Fixed(ScoringClassifier, ClassifierMixin, BaseEstimator):
    """Scores that were given."""

    def __init__(self, given=None, factor=2.0):
        self.given = given
        self.factor = factor
        n_scores = 1 if given is None else given.shape[1]
        classes = list("abc")[: max(n_scores, 2)]
        self.calibration_ = Calibration.one_group(factor, 1)
        self.ensemble_ = Ensemble.from_callables(
            [lambda X: X], n_features=1, bias=np.zeros(n_scores), classes=classes
        )

    def scores(self, X):
        return self.given


@pytest.mark.parametrize(
    "scores",
    [np.array([[-1.0], [0.0], [1e-300], [3.0]]), np.array([[1.0, 2, 0], [0, 0, 0], [0, 1, 1]])],
)
def test_the_three_answers_agree(scores):
    model = Fixed(scores)
    labels = model.predict(None)
    p = model.predict_proba(None)
    np.testing.assert_array_equal(labels, model.ensemble_.classes[p.argmax(axis=1)])
    odds = model.decision_function(None)
    winner = (odds > 0) * 1 if odds.ndim == 1 else odds.argmax(axis=1)
    np.testing.assert_array_equal(labels, model.ensemble_.classes[winner])
    np.testing.assert_array_equal(odds.reshape(scores.shape), 2.0 * scores)


def test_two_classes_with_a_score_each_have_one_column_of_log_odds():
    scores = np.array([[1.0, 2.5], [0.0, 0.0], [1.0, np.nextafter(1.0, 2)], [3.0, -1.0]])
    model = Fixed(scores)
    odds, p = model.decision_function(None), model.predict_proba(None)
    np.testing.assert_array_equal(odds, 2.0 * (scores[:, 1] - scores[:, 0]))
    np.testing.assert_allclose(odds, np.log(p[:, 1] / p[:, 0]), atol=1e-12)
    np.testing.assert_array_equal(model.predict(None), model.ensemble_.classes[(odds > 0) * 1])


def test_a_frame_is_encoded_once():
    frame = pd.DataFrame({"s": pd.Categorical(["b", "a", "c", "b"]), "x": [1.0, 2.0, np.inf, 4.0]})
    model = AdaBoostMHClassifier(n_rounds=3).fit(frame.assign(x=[1, 2, 3, 4]), [0, 1, 1, 0])
    rows = model.encode(frame)
    assert rows.tolist() == [[1, 1], [0, 2], [2, np.inf], [1, 4]]
    assert rows.flags.c_contiguous
    for method in (model.predict, model.predict_proba, model.decision_function, model.scores):
        np.testing.assert_array_equal(method(rows), method(frame))


def test_missing_values_are_welcome():
    assert Fixed().__sklearn_tags__().input_tags.allow_nan


def test_an_estimator_must_say_how_it_scores():
    with pytest.raises(TypeError, match="ScoringClassifier must say how it scores"):
        ScoringClassifier().predict([[0.0]])
