"""The learner of Haar features, by itself and in AdaBoost.MH."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import mddag
from mddag import AdaBoostMHClassifier
from mddag._internal.warnings import DoubtfulResult
from mddag.features.haar import haar_features
from mddag.learners import Haar, Stump, Tree
from tests.patches import bars, boosted


@pytest.mark.parametrize("learner", [None, Tree(4)], ids=repr)
def test_bars_are_found(learner):
    model, X, y = boosted(learner=learner)
    fresh, labels = bars(seed=1)
    assert model.score(X, y) > 0.97
    assert model.score(fresh, labels) > 0.95
    assert model.n_features_in_ == 48
    assert len(model.feature_importances_) == model.ensemble_.n_features <= 300
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_it_is_a_stump_on_the_values_of_its_features():
    """The same rows reach the same sides as with exact thresholds where bins are fine enough."""
    X, y = bars(60)
    everything = haar_features((8, 6))
    haar = AdaBoostMHClassifier(Haar(None), n_rounds=1).fit(X, y)
    used = haar.ensemble_.features
    place = np.flatnonzero((everything == used.rectangles[0]).all(axis=(1, 2)))
    assert len(place) == 1
    stump = AdaBoostMHClassifier(Stump(), n_rounds=1).fit(used.rows(X), y)
    assert haar.history_["edge"][0] <= stump.history_["edge"][0] + 1e-12


def test_rows_of_pixels_are_patches():
    X, y = bars()
    model, _, _ = boosted()
    haar = Haar(n_features=300, random_state=0, window=(8, 6))
    flat = AdaBoostMHClassifier(haar, n_rounds=12).fit(X.reshape(len(X), -1), y)
    np.testing.assert_array_equal(flat.scores(X), model.scores(X.reshape(len(X), -1)))


def test_the_draw_follows_the_seed():
    X, _ = bars()
    same = Haar(100, random_state=3).features(X, seed=0)
    assert same == Haar(100, random_state=3).features(X, seed=1)
    assert same != Haar(100, random_state=4).features(X, seed=0)
    assert Haar(100).features(X, seed=3) == same
    assert Haar(None).features(X, seed=0).n == len(haar_features((8, 6)))


def test_the_estimator_decides_where_the_learner_has_no_seed():
    X, y = bars()
    fits = [AdaBoostMHClassifier(Haar(50), n_rounds=5, random_state=s).fit(X, y) for s in (0, 0, 1)]
    np.testing.assert_array_equal(fits[0].scores(X), fits[1].scores(X))
    assert (fits[0].scores(X) != fits[2].scores(X)).any()


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_continued_model_is_the_whole_one(n_threads):
    whole, X, y = boosted()
    part = clone(whole).set_params(n_rounds=5, warm_start=True, n_threads=n_threads).fit(X, y)
    part.set_params(n_rounds=12).fit(X, y)
    np.testing.assert_array_equal(part.scores(X), whole.scores(X))
    part.set_params(n_rounds=13, learner__random_state=1)
    with pytest.raises(ValueError, match="keep n_features and random_state as they were"):
        part.fit(X, y)


def test_rows_are_held_out_as_of_other_learners():
    model, X, y = boosted(40, early_stopping=5, calibration_fraction=0.2, random_state=0)
    assert np.isfinite(model.history_["held_out_error"]).all()
    assert model.n_rounds_ <= 40
    assert model.score(X, y) > 0.9
    weights = np.where(y == 1, 0.0, 1.0)
    weights[:20] = 1
    assert AdaBoostMHClassifier(Haar(50), n_rounds=3).fit(X, y, weights).score(X, y) > 0.5


def test_columns_can_be_drawn_in_each_round():
    model, X, y = boosted(max_features="sqrt", max_bins=16, random_state=0)
    assert model.score(X, y) > 0.9


def test_scikit_learn_clones_and_searches():
    model, X, y = boosted()
    copy = clone(model)
    assert copy.learner == model.learner
    assert copy.learner is not model.learner
    assert "learner__n_features" in copy.get_params()
    search = GridSearchCV(copy, {"learner__n_features": [20, 200]}, cv=2).fit(X, y)
    assert search.best_score_ > 0.8
    assert repr(Haar(10, learner=Tree(4))) == (
        "Haar(n_features=10, random_state=None, window=None, learner=Tree(n_leaves=4))"
    )


def test_several_classes():
    X, y = bars()
    y = y + (X[:, -2:].mean(axis=(1, 2)) > 80)
    model = AdaBoostMHClassifier(Haar(200, random_state=0), n_rounds=40).fit(X, y)
    assert model.ensemble_.n_scores == 3
    assert model.score(X, y) > 0.85
    dag = mddag.compile(model.ensemble_)
    np.testing.assert_array_equal(dag.run(X).scores, dag.scores(model.encode(X)))


def test_constant_patches_leave_nothing_to_learn():
    X, y = np.full((20, 4, 4), 9, np.uint8), np.arange(20) % 2
    model = AdaBoostMHClassifier(Haar(None), n_rounds=3).fit(X, y)
    assert model.n_rounds_ == 0
    assert model.stopped_by_ == "chance"
    assert (model.predict(X) == 0).all()


def test_more_features_than_there_are_is_a_doubt():
    X, y = bars()
    with pytest.warns(DoubtfulResult, match=r"n_features is 9999, but patches of \(8, 6\) have 1"):
        model = AdaBoostMHClassifier(Haar(9999), n_rounds=2).fit(X, y)
    assert model.score(X, y) > 0.5
