"""scikit-learn's callbacks, where its version has them."""

import importlib
import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris

from mddag import AdaBoostMHClassifier

X, y = load_iris(return_X_y=True)


class Log:
    """A callback that notes what it is told and may stop the fit."""

    def __init__(self, last=None):
        self.last, self.told, self.scores = last, [], []

    def setup(self, estimator, context):
        self.told.append("setup")

    def on_fit_task_begin(self, estimator, context):
        self.told.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, fitted_estimator=None):
        self.told.append(f"end {context.task_name}")
        self.scores.append(fitted_estimator.score(X, y))
        return len(self.scores) == self.last

    def teardown(self, estimator, context):
        self.told.append("teardown")


@pytest.fixture(autouse=True)
def _needs_callbacks():
    pytest.importorskip("sklearn.callback")


def test_every_round_is_told_with_a_model_that_can_predict():
    log = Log()
    model = AdaBoostMHClassifier(n_rounds=3).set_callbacks(log).fit(X, y)
    told = ["begin round", "end round"] * 3
    assert log.told == ["setup", "begin fit", *told, "end fit", "teardown"]
    staged = [np.mean(labels == y) for labels in model.staged_predict(X)]
    np.testing.assert_allclose(log.scores, [*staged, staged[-1]])


def test_a_callback_can_stop_the_fit():
    model = AdaBoostMHClassifier(n_rounds=50).set_callbacks(Log(last=4)).fit(X, y)
    assert (model.n_rounds_, model.stopped_by_) == (4, "callback")


def test_callbacks_are_torn_down_after_a_failure():
    log = Log()
    with pytest.raises(ValueError, match="infinity"):
        AdaBoostMHClassifier().set_callbacks(log).fit(np.full((4, 1), np.inf), [0, 1, 0, 1])
    assert log.told[-1] == "teardown"


def test_older_versions_of_scikit_learn_have_none(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.callback", None)
    monkeypatch.delitem(sys.modules, "mddag.boosting.training")
    older = importlib.import_module("mddag.boosting.training")
    monkeypatch.undo()

    class Estimator(older.CallbackSupportMixin):
        @older.with_callbacks
        def fit(self):
            tasks = older.Tasks(self, 3, X, y, None)
            tasks.begin_round()
            stop = tasks.end_round(dict)
            tasks.end(dict)
            return stop

    assert Estimator().fit() is False
