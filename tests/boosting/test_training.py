"""A fit ends for one of five reasons, and an interrupted one leaves no trace."""

import importlib
import signal
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from mddag import AdaBoostMHClassifier
from mddag.boosting.rounds import BoostingRound
from mddag.boosting.training import (
    feature_importances,
    open_columns,
    split_gains,
    without_rare_sides,
)
from mddag.ensemble.nodes import TreeBuilder
from mddag.learners import Stump
from mddag.learners.columns import Columns

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
        ({"warm_start": "yes"}, "warm_start is 'yes'; wanted one of False, True"),
        ({"n_jobs": 0}, "n_jobs is 0"),
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


def test_thin_sides_go_and_the_codes_follow():
    rows = np.column_stack([[0, 1, 2, 3, 4, np.nan], [0, 1, 1, 2, 2, 0]])
    columns = Columns.from_rows(rows, nominal=[False, True])
    kept = without_rare_sides(columns, np.ones(6), 0.3)
    assert kept.cuts[0].tolist() == [1.5, 2.5]
    assert kept.codes[0].tolist() == [0, 0, 1, 2, 2, 3]
    assert kept.n_codes.tolist() == [3, 3]
    assert_array_equal(kept.codes[1], columns.codes[1])
    assert len(without_rare_sides(columns, np.ones(6), 0.9).cuts[0]) == 0


IRIS, SPECIES = load_iris(return_X_y=True)


needs_callbacks = pytest.mark.skipif(
    find_spec("sklearn.callback") is None, reason="scikit-learn has no callbacks"
)


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
        self.scores.append(fitted_estimator.score(IRIS, SPECIES))
        return len(self.scores) == self.last

    def teardown(self, estimator, context):
        self.told.append("teardown")


@needs_callbacks
def test_every_round_is_told_with_a_model_that_can_predict():
    log = Log()
    model = AdaBoostMHClassifier(n_rounds=3).set_callbacks(log).fit(IRIS, SPECIES)
    told = ["begin round", "end round"] * 3
    assert log.told == ["setup", "begin fit", *told, "end fit", "teardown"]
    staged = [np.mean(labels == SPECIES) for labels in model.staged_predict(IRIS)]
    np.testing.assert_allclose(log.scores, [*staged, staged[-1]])


@needs_callbacks
def test_a_callback_can_stop_the_fit():
    model = AdaBoostMHClassifier(n_rounds=50).set_callbacks(Log(last=4)).fit(IRIS, SPECIES)
    assert (model.n_rounds_, model.stopped_by_) == (4, "callback")


@needs_callbacks
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
            tasks = older.Tasks(self, 3, IRIS, SPECIES, None)
            tasks.begin_round()
            stop = tasks.end_round(dict)
            tasks.end(dict)
            return stop

    assert Estimator().fit() is False


def tree():
    """Feature 1 at the root, feature 0 below it on the left."""
    tree = TreeBuilder()
    low = tree.split(0, 0.5, tree.leaf([1.0]), tree.leaf([-1.0]), True)
    return tree.finish(tree.split(1, 2.5, low, tree.leaf([1.0]), True))


def played(nodes, sums, alpha, edge):
    return BoostingRound(nodes, np.array(sums), edge, alpha, 0.0, False)


def test_gains_are_rises_of_absolute_sums():
    nodes = tree()  # leaf codes: breadth first, so the right leaf of the root is leaf 0
    gains = split_gains(nodes, np.array([[5], [4], [-1]]))
    features = nodes.records["feature"].tolist()
    assert gains[features.index(1)] == abs(3) + abs(5) - abs(8)
    assert gains[features.index(0)] == abs(4) + abs(-1) - abs(3)


def test_a_round_is_shared_by_gain_and_evenly_without_gain():
    by_gain = played(tree(), [[5], [4], [-1]], alpha=2.0, edge=0.5)
    assert_allclose(feature_importances([by_gain], 3), [1, 0, 0])
    evenly = played(tree(), [[5], [4], [1]], alpha=2.0, edge=0.5)
    assert_allclose(feature_importances([evenly], 3), [0.5, 0.5, 0])
    assert_allclose(feature_importances([by_gain, evenly], 3), [0.75, 0.25, 0])


def test_constant_votes_use_no_feature():
    tree = TreeBuilder()
    constant = played(tree.finish(tree.leaf([1.0])), [[7]], alpha=1.0, edge=0.5)
    assert feature_importances([constant], 2).tolist() == [0, 0]
    assert feature_importances([], 2).sum() == pytest.approx(0)
