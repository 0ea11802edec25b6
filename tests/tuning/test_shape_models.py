"""Models of shapes: looked at in one fold, cut after the best round, longer where it pays, then
judged in all folds."""

from dataclasses import replace

import numpy as np
import pytest
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.base import clone
from sklearn.datasets import make_friedman1, make_hastie_10_2
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss

import mddag
from mddag.adapters import ensemble_of
from mddag.tuning.folded_rows import ALL, FOLDS
from mddag.tuning.shape_models import (
    MORE_ROUNDS,
    ShapeModel,
    first_parts,
    prefix_losses,
    slower,
    trained_again,
    trained_shapes,
)
from mddag.tuning.shapes import Shape, shaped
from tests.tuning.few_shapes import model_of, rows_of

QUIET = {"verbose": -1, "n_jobs": 1, "random_state": 0}
STEEP = Shape(8, 0.3, 60)  # it is best long before its end


@pytest.fixture(scope="module")
def rows():
    X, y = make_hastie_10_2(1800, random_state=0)
    return rows_of(X, y.astype(int), proves=True)


@pytest.fixture(scope="module")
def noisy():
    """Rows of which a few trees know all that there is to know."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 8))
    return rows_of(X, (X[:, 0] + rng.normal(size=900) > 0).astype(int), proves=True)


@pytest.fixture(scope="module")
def models(rows):
    shapes = [Shape(4, 0.3, 10), Shape(8, 0.3, 10), Shape(4, 0.05, 10), Shape(8, 0.05, 10)]
    return trained_shapes(LGBMClassifier(**QUIET), shapes, rows, lambda n, note: None)


@pytest.fixture(scope="module")
def steep(noisy):
    model = noisy.fitted(shaped(LGBMClassifier(**QUIET), STEEP), 0)
    return ShapeModel.first_look(STEEP, model, noisy)


def test_better_shapes_are_trained_longer(models):
    assert models[0].shape.n_rounds > 10 or models[1].shape.n_rounds > 10
    assert [m.shape.n_rounds for m in models[2:]] == [10, 10]
    assert models[1].name.startswith("8 leaves, rate 0.3")


def test_parts_are_the_same_for_all(models):
    for model in models[1:]:
        for name in ("learning", "choosing", "certifying", "truth"):
            np.testing.assert_array_equal(
                getattr(model.parts, name), getattr(models[0].parts, name)
            )


def test_a_first_look_is_at_the_first_fold(noisy, steep):
    parts, own = first_parts(steep.source, noisy), noisy.judged_by(0)
    np.testing.assert_array_equal(parts.seen, np.arange(len(own)))
    assert len(parts.certifying) == 0
    np.testing.assert_array_equal(parts.truth, noisy.targets[noisy.numbers[own]])
    wanted = ensemble_of(steep.source).scores(noisy.given[own])
    np.testing.assert_array_equal(parts.scores, wanted)
    learning, choosing = noisy.split(own)
    np.testing.assert_array_equal(own[parts.learning], learning)
    np.testing.assert_array_equal(own[parts.choosing], choosing)


def test_the_best_prefix_is_kept(noisy, steep):
    assert len(steep.parts.ensemble) < 60
    lengths, losses = prefix_losses(first_parts(steep.source, noisy))
    assert len(steep.parts.ensemble) == lengths[losses.argmin()]
    assert steep.loss == losses.min()
    assert not steep.near_the_end


def test_shapes_are_trained_again_on_all_rows(noisy, steep):
    found = trained_again(LGBMClassifier(**QUIET), steep, noisy)
    n_rounds = int(np.ceil(MORE_ROUNDS * len(steep.parts.ensemble)))
    assert found.shape == replace(STEEP, n_rounds=n_rounds)
    assert found.parts.ensemble.n_classifiers <= n_rounds
    n = found.parts.ensemble.n_classifiers
    first, final = found.parts.models[0], found.parts.models[-1]
    like = noisy.fitted(shaped(LGBMClassifier(**QUIET), found.shape), ALL)
    np.testing.assert_array_equal(
        final.scores(noisy.given), mddag.as_ensemble(like).truncated(n).scores(noisy.given)
    )
    np.testing.assert_array_equal(
        first.scores(noisy.given), ensemble_of(steep.source).truncated(n).scores(noisy.given)
    )


def test_trees_of_a_forest_vote_as_much_in_all_models(rows):
    """A forest of fewer trees divides its votes by fewer."""
    estimator, shape = RandomForestClassifier(random_state=0), Shape(8, None, 20)
    model = rows.fitted(shaped(estimator, shape), 0)
    look = ShapeModel.first_look(shape, model, rows)
    short = look.parts.cut(5)
    look = ShapeModel(shape, look.source, short, look.loss)
    found = trained_again(estimator, look, rows)
    assert found.shape.n_rounds == 20
    largest = [float(model.tables.largest_votes().max()) for model in found.parts.models]
    assert max(largest) < 1.2 * min(largest)


def test_the_loss_is_that_of_models_which_have_not_seen_the_row(rows):
    estimator = LGBMClassifier(n_estimators=8, num_leaves=8, **QUIET)
    found = model_of(estimator, rows)
    assert found.parts.ensemble.n_classifiers == 8
    scores, truth = np.empty(len(rows.judging)), rows.targets[rows.judging]
    for fold in range(FOLDS):
        model = rows.fitted(clone(estimator), fold)
        own = rows.judged_by(fold)
        scores[own] = model.predict(rows.given[own], raw_score=True)
    by_factor = [log_loss(truth, 1 / (1 + np.exp(-c * scores))) for c in np.geomspace(0.2, 20, 500)]
    assert found.loss == pytest.approx(min(by_factor), rel=1e-3)


def test_half_the_rate(models):
    found = slower(models[1])
    assert (found.n_leaves, found.rate) == (8, 0.15)
    assert found.n_rounds == min(3 * len(models[1].parts.ensemble), 700)


def test_numbers():
    X, y = make_friedman1(900, random_state=0)
    rows = rows_of(X, y, "regressor")
    model = rows.fitted(LGBMRegressor(n_estimators=20, **QUIET), 0)
    found = ShapeModel.first_look(Shape(), model, rows)
    own = rows.judged_by(0)
    n = len(found.parts.ensemble)
    told = model.predict(rows.given[own], num_iteration=n)
    assert found.loss == pytest.approx(np.mean((told - rows.given_targets[own]) ** 2))
    assert found.name == f"as given, {n} rounds"
    assert mddag.as_ensemble(model).n_classifiers == 20
