"""A fit ends for one of six reasons, and an interrupted one leaves no trace."""

import signal
import time

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.tree import DecisionTreeClassifier

from mddag import AdaBoostMHClassifier
from mddag.boosting.training import draws, open_columns
from mddag.learners import Stump

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 5))
y = (X[:, 0] + X[:, 1] + rng.normal(size=300) > 0).astype(int)


class Interrupted(Stump):
    """Ctrl-C comes in the third round."""

    def __init__(self):
        self.n_rounds = 0

    def fit(self, columns, targets, weights):
        self.n_rounds += 1
        if self.n_rounds == 3:
            signal.raise_signal(signal.SIGINT)
        return super().fit(columns, targets, weights)


@pytest.mark.parametrize("warm_start", [False, True])
def test_an_interrupted_fit_leaves_the_model_as_it_was(warm_start):
    model = AdaBoostMHClassifier(n_rounds=4, warm_start=warm_start).fit(X, y)
    before, scores = dict(vars(model)), model.scores(X)
    model.set_params(learner=Interrupted(), n_rounds=10)
    rows = X if warm_start else X[:, :4]
    with pytest.raises(KeyboardInterrupt):
        model.fit(rows, y)
    assert vars(model) == {**before, "learner": model.learner, "n_rounds": 10}
    assert_array_equal(model.scores(X), scores)


def test_an_interrupted_first_fit_leaves_nothing():
    model = AdaBoostMHClassifier(Interrupted())
    before = dict(vars(model))
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert vars(model) == before


def test_a_perfect_stump_is_the_last_round():
    labels = (X[:, 2] > 0.1).astype(int)
    model = AdaBoostMHClassifier(n_rounds=10, warm_start=True).fit(X, labels)
    assert (model.n_rounds_, model.stopped_by_) == (1, "perfect")
    assert model.history_["edge"][0] == pytest.approx(1)
    assert model.history_["alpha"][0] == pytest.approx(0.5 * np.log(1 + 100 * 300), rel=1e-9)
    assert (model.predict(X) == labels).all()
    again = model.set_params(n_rounds=20).fit(X, labels)
    assert (again.n_rounds_, again.stopped_by_) == (1, "perfect")


def test_no_better_than_chance_gives_a_model_that_knows_nothing():
    model = AdaBoostMHClassifier().fit(np.zeros((4, 2)), [0, 1, 0, 1])
    assert (model.n_rounds_, model.stopped_by_) == (0, "chance")
    assert model.predict(np.zeros((3, 2))).tolist() == [0, 0, 0]
    assert_array_equal(model.predict_proba(np.zeros((3, 2))), 0.5)
    assert model.feature_importances_.tolist() == [0, 0]


def test_constant_columns_leave_the_majority():
    model = AdaBoostMHClassifier(n_rounds=5).fit(np.zeros((5, 1)), ["a", "b", "b", "b", "c"])
    assert model.predict([[0.0]]).tolist() == ["b"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_rounds": 0}, "n_rounds is 0; wanted a whole number, 1 or more"),
        ({"n_rounds": 2.5}, "n_rounds is 2.5"),
        ({"n_rounds": True}, "n_rounds is True"),
        ({"max_bins": 1}, "max_bins is 1"),
        ({"max_features": 0}, "max_features is 0; wanted None, 'sqrt'.*1 to the 5 columns"),
        ({"max_features": 6}, "max_features is 6"),
        ({"max_features": 1.5}, "max_features is 1.5"),
        ({"max_features": "log2"}, "max_features is 'log2'"),
        ({"early_stopping": 0}, "early_stopping is 0"),
        ({"validation_fraction": 0.0}, r"validation_fraction is 0.0; wanted .* in \(0, 1\)"),
        ({"calibration_fraction": 1.0}, r"calibration_fraction is 1.0; wanted .* in \[0, 1\)"),
        ({"max_seconds": -1}, "max_seconds is -1; wanted a number above 0"),
        ({"warm_start": "yes"}, "warm_start is 'yes'; wanted one of False, True"),
        ({"n_threads": 0}, "n_threads is 0"),
        ({"class_weight": 3}, "class_weight is 3"),
        ({"min_weight_fraction_leaf": -0.1}, "min_weight_fraction_leaf is -0.1"),
    ],
)
def test_bad_parameters(settings, message):
    with pytest.raises(ValueError, match=message):
        AdaBoostMHClassifier(**settings).fit(X, y)


@pytest.mark.parametrize("learner", [Stump, "stump", DecisionTreeClassifier(), 3], ids=repr)
def test_bad_learners(learner):
    with pytest.raises(TypeError, match=r"learner is .*; wanted an object with fit\(columns"):
        AdaBoostMHClassifier(learner).fit(X, y)


def test_open_columns():
    wanted = {"sqrt": 4, 5: 5, 0.25: 5, 0.001: 1, 1.0: 20, np.int64(2): 2}
    assert {spec: open_columns(spec, 20) for spec in wanted} == wanted


def test_draws_depend_on_seed_and_round_alone():
    from_start, from_third = draws(7, 0, 30, 6), draws(7, 2, 30, 6)
    first, second, third = (next(from_start) for _ in range(3))
    assert_array_equal(next(from_third), third)
    assert len({*first}) == 6
    assert (first != second).any()


def test_seconds_are_logged():
    began = time.perf_counter()
    model = AdaBoostMHClassifier(n_rounds=5).fit(X, y)
    assert 0 < model.history_["seconds"].sum() < time.perf_counter() - began
