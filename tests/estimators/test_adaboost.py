"""AdaBoostMHClassifier as scikit-learn sees it, and against MultiBoost."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, make_classification
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from mddag import AdaBoostMHClassifier
from mddag.learners import Stump, Tree


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def binary():
    return make_classification(400, 8, n_informative=5, flip_y=0.1, random_state=0)


@parametrize_with_checks([AdaBoostMHClassifier(), AdaBoostMHClassifier(max_features=0.5)])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
def test_scikit_learn_checks(estimator, check):
    assert check(estimator) is None


@pytest.mark.parametrize(("name", "n_rounds"), [("two", 1000), ("hastie", 700)])
def test_rounds_are_those_of_multiboost(anchors, name, n_rounds):
    """Feature, threshold and alpha of the authors' trainer, which works in single precision:
    on hastie that changes its choices from round 735 on."""
    rows = np.load(anchors / f"{name}_train.npz")
    stumps = json.loads((anchors / f"{name}_stumps.json").read_text())["stumps"][:n_rounds]
    model = AdaBoostMHClassifier(n_rounds=n_rounds).fit(rows["X"], rows["y"])
    roots = model.ensemble_.nodes[model.ensemble_.starts[:-1]]
    assert roots["feature"].tolist() == [s["feature"] for s in stumps]
    assert_allclose(roots["threshold"], [s["threshold"] for s in stumps], atol=1e-6)
    assert_allclose(model.history_["alpha"], [s["alpha"] for s in stumps], atol=1e-6)


def test_probabilities_decisions_and_predictions_agree(iris, binary):
    for X, y in (iris, binary):
        model = AdaBoostMHClassifier(n_rounds=30).fit(X, y)
        proba, decision = model.predict_proba(X), model.decision_function(X)
        assert_allclose(proba.sum(axis=1), 1)
        winners = decision > 0 if decision.ndim == 1 else decision.argmax(axis=1)
        assert_array_equal(model.predict(X), model.classes_[winners.astype(int)])
        assert_array_equal(model.predict(X), model.classes_[proba.argmax(axis=1)])
        assert decision.shape == (len(X),) if len(model.classes_) == 2 else proba.shape


def test_scores_are_those_of_the_ensemble_and_of_the_last_stage(iris):
    X, y = iris
    model = AdaBoostMHClassifier(n_rounds=25).fit(X, y)
    assert_array_equal(model.scores(X), model.ensemble_.scores(X))
    stages = list(model.staged_scores(X))
    assert len(stages) == model.n_rounds_ == 25
    assert_array_equal(stages[-1], model.scores(X))
    errors = [np.mean(labels != y) for labels in model.staged_predict(X)]
    assert_allclose(errors, model.history_["error"], atol=1e-12)


def test_the_ensemble_has_votes_of_plus_and_minus_alpha(iris):
    model = AdaBoostMHClassifier(n_rounds=10).fit(*iris)
    assert_array_equal(model.ensemble_.bias, np.zeros(3))
    for j, alpha in enumerate(model.history_["alpha"]):
        assert_array_equal(np.abs(model.ensemble_.tables.table(j)), alpha)


def test_labels_of_any_kind(iris):
    X, y = iris
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = AdaBoostMHClassifier(n_rounds=20).fit(X, names)
    plain = AdaBoostMHClassifier(n_rounds=20).fit(X, y)
    assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert_array_equal(model.predict(X), model.classes_[plain.predict(X)])


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"max_features": 2},
        {"early_stopping": 8},
        {"learner": Tree(4), "categorical_features": [0], "max_bins": 16},
        {"learner": Tree(4), "class_weight": "balanced", "min_weight_fraction_leaf": 0.1},
    ],
    ids=repr,
)
def test_continued_equals_uninterrupted(binary, settings):
    X, y = binary[0].copy(), binary[1]
    X[:, 0] = np.abs(X[:, 0].round() * 10)
    X[::7, 1] = X[::5, 0] = np.nan
    settings = {**settings, "random_state": np.random.RandomState(5)}
    halves = AdaBoostMHClassifier(n_rounds=20, warm_start=True, **settings).fit(X, y)
    halves = pickle.loads(pickle.dumps(halves))
    halves.set_params(n_rounds=40).fit(X, y)
    settings["random_state"] = np.random.RandomState(5)
    whole = AdaBoostMHClassifier(n_rounds=40, **settings).fit(X, y)
    assert halves.n_rounds_ == whole.n_rounds_ > 0
    assert_array_equal(halves.ensemble_.nodes, whole.ensemble_.nodes)
    assert_array_equal(halves.ensemble_.tables.values, whole.ensemble_.tables.values)
    assert_array_equal(halves.feature_importances_, whole.feature_importances_)
    assert_array_equal(halves.calibration_.factors, whole.calibration_.factors)
    for name in ("edge", "alpha", "error", "held_out_error"):
        assert_array_equal(halves.history_[name], whole.history_[name])


def test_continuing_refuses_fewer_rounds_and_other_classes(binary):
    X, y = binary
    model = AdaBoostMHClassifier(n_rounds=5, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match=r"n_rounds is 4, but the model .* has 5 rounds already"):
        model.set_params(n_rounds=4).fit(X, y)
    with pytest.raises(ValueError, match=r"classes \[0, 2\], but the model .* knows \[0, 1\]"):
        model.set_params(n_rounds=6).fit(X, 2 * y)
    assert model.set_params(n_rounds=5).fit(X, y).n_rounds_ == 5


def test_early_stopping_cuts_back_to_the_best_round(binary):
    X, y = binary
    model = AdaBoostMHClassifier(
        n_rounds=500, early_stopping=15, validation_fraction=0.25, random_state=0
    ).fit(X, y)
    errors = model.history_["held_out_error"]
    assert model.stopped_by_ == "early_stopping"
    assert model.n_rounds_ == errors.argmin() + 1 == len(model.ensemble_)
    assert len(errors) == model.n_rounds_ + 15


def test_column_subsampling_depends_on_the_seed_alone(binary):
    X, y = binary
    scores = [
        AdaBoostMHClassifier(n_rounds=20, max_features="sqrt", random_state=seed)
        .fit(X, y)
        .scores(X)
        for seed in (1, 1, 2)
    ]
    assert_array_equal(scores[0], scores[1])
    assert (scores[0] != scores[2]).any()


def test_balanced_class_weight_equals_the_sample_weights_it_stands_for():
    X, y = make_classification(300, 5, weights=[0.9], flip_y=0.2, random_state=1)
    by_class = AdaBoostMHClassifier(n_rounds=10, class_weight="balanced").fit(X, y)
    counts = np.bincount(y)
    by_row = AdaBoostMHClassifier(n_rounds=10).fit(X, y, len(y) / (2 * counts[y]))
    assert_allclose(by_class.scores(X), by_row.scores(X), rtol=1e-9)
    plain = AdaBoostMHClassifier(n_rounds=10).fit(X, y)
    assert by_class.predict(X).sum() > plain.predict(X).sum()


def test_importances_find_the_informative_columns():
    X, y = make_classification(
        500, 10, n_informative=3, n_redundant=0, shuffle=False, random_state=2
    )
    importances = AdaBoostMHClassifier(n_rounds=30).fit(X, y).feature_importances_
    assert importances.sum() == pytest.approx(1)
    assert importances[:3].sum() > 0.8


def test_pipeline_search_clone_and_repr(binary):
    X, y = binary
    model = AdaBoostMHClassifier(Stump(), n_rounds=5)
    assert repr(clone(model)) == repr(model) == "AdaBoostMHClassifier(learner=Stump(), n_rounds=5)"
    assert cross_val_score(make_pipeline(StandardScaler(), model), X, y, cv=3).min() > 0.6
    grid = {"learner": [Stump(), Tree()], "n_rounds": [1, 5]}
    assert GridSearchCV(model, grid, cv=2).fit(X, y).best_estimator_.learner in grid["learner"]
    search = GridSearchCV(AdaBoostMHClassifier(Tree()), {"learner__n_leaves": [2, 8]}, cv=2)
    assert search.fit(X, y).best_estimator_.learner in (Tree(n_leaves=2), Tree(n_leaves=8))


def test_sample_weight_is_routed(binary):
    import sklearn

    X, y = binary
    weight = np.where(y == 1, 3.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = AdaBoostMHClassifier(n_rounds=5).set_fit_request(sample_weight=True)
        routed = make_pipeline(model).fit(X, y, sample_weight=weight)
    plain = AdaBoostMHClassifier(n_rounds=5).fit(X, y, weight)
    assert_array_equal(routed.decision_function(X), plain.decision_function(X))


def test_rows_of_weight_zero_are_as_if_they_were_not_there(iris):
    X, y = iris
    weight = (np.arange(150) % 3 > 0).astype(float)
    weight[y == 2] = 0
    with_zeros = AdaBoostMHClassifier(n_rounds=10).fit(X, y, weight)
    without = AdaBoostMHClassifier(n_rounds=10).fit(X[weight > 0], y[weight > 0])
    assert_array_equal(with_zeros.classes_, [0, 1])
    assert_array_equal(with_zeros.predict_proba(X), without.predict_proba(X))


def test_held_out_calibration_lowers_the_log_loss_of_strong_ensembles():
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y % 2, random_state=0)
    optimistic, honest = (
        AdaBoostMHClassifier(n_rounds=300, random_state=0, calibration_fraction=fraction)
        for fraction in (0.0, 0.2)
    )
    optimistic.fit(X_train, y_train)
    honest.fit(X_train, y_train)
    raw = 1 / (1 + np.exp(-2 * optimistic.scores(X_test).ravel()))
    losses = [log_loss(y_test, m.predict_proba(X_test)) for m in (optimistic, honest)]
    assert losses[1] < log_loss(y_test, raw)
    assert_array_equal(optimistic.predict(X_test), raw > 0.5)


def test_all_cores_boost_as_one(iris):
    X, y = iris
    one, all_cores = (AdaBoostMHClassifier(n_rounds=5, n_jobs=n).fit(X, y) for n in (1, -1))
    np.testing.assert_array_equal(one.scores(X), all_cores.scores(X))
    with pytest.raises(ValueError, match="n_jobs is 0; wanted a whole number, 1 or more, or -1"):
        AdaBoostMHClassifier(n_jobs=0).fit(X, y)


def test_a_frame_is_encoded_once():
    frame = pd.DataFrame({"s": pd.Categorical(["b", "a", "c", "b"]), "x": [1.0, 2.0, np.inf, 4.0]})
    model = AdaBoostMHClassifier(n_rounds=3).fit(frame.assign(x=[1, 2, 3, 4]), [0, 1, 1, 0])
    rows = model.encode(frame)
    assert rows.tolist() == [[1, 1], [0, 2], [2, np.inf], [1, 4]]
    assert rows.flags.c_contiguous
    for method in (model.predict, model.predict_proba, model.decision_function, model.scores):
        assert_array_equal(method(rows), method(frame))
