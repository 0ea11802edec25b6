"""Models of shapes: trained on their rows alone, cut after the best round, longer where it pays."""

import numpy as np
import pytest
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.datasets import make_friedman1, make_hastie_10_2

import mddag
from mddag.adapters import parts_of
from mddag.tuning.shape_models import (
    ShapeModel,
    TrainingRows,
    cut,
    prefix_losses,
    slower,
    trained_shapes,
)
from mddag.tuning.shapes import Shape

QUIET = {"verbose": -1, "n_jobs": 1, "random_state": 0}


def rows_of(X, y, shares=(0.5, 0.5, 0.0)):
    n = len(y) // 2
    return TrainingRows(X, y, None, np.arange(n), np.arange(n, len(y)), shares, 0)


@pytest.fixture(scope="module")
def rows():
    X, y = make_hastie_10_2(2400, random_state=0)
    return rows_of(X, y.astype(int))


@pytest.fixture(scope="module")
def models(rows):
    shapes = [Shape(4, 0.3, 10), Shape(8, 0.3, 10), Shape(4, 0.05, 10), Shape(8, 0.05, 10)]
    return trained_shapes(LGBMClassifier(**QUIET), shapes, rows, lambda n, note: None)


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


def test_the_best_prefix_is_kept(rows):
    X, y = rows.to_fit(), rows.targets[rows.model]
    model = LGBMClassifier(num_leaves=16, learning_rate=1.0, n_estimators=60, **QUIET).fit(X, y)
    found = ShapeModel.of(Shape(16, 1.0, 60), model, rows)
    assert len(found.parts.ensemble) < 60
    lengths, losses = prefix_losses(rows.parts(parts_of(model)))
    assert len(found.parts.ensemble) == lengths[losses.argmin()]
    assert found.loss == losses.min()


def test_a_cut_has_the_votes_of_its_trees(models):
    parts = models[1].parts
    short = cut(parts, 5)
    assert len(short.ensemble) == 5
    np.testing.assert_array_equal(short.votes.codes, parts.votes.codes[:, :5])
    np.testing.assert_array_equal(short.scores, short.votes.scores())
    assert cut(parts, len(parts.ensemble)) is parts


def test_half_the_rate(models):
    found = slower(models[1])
    assert (found.n_leaves, found.rate) == (8, 0.15)
    assert found.n_rounds == min(3 * len(models[1].parts.ensemble), 700)


def test_numbers():
    X, y = make_friedman1(800, random_state=0)
    rows = rows_of(X, y)
    model = LGBMRegressor(n_estimators=20, **QUIET).fit(rows.to_fit(), y[:400])
    found = ShapeModel.of(Shape(), model, rows)
    held_out = rows.given[found.parts.learning], y[400:][found.parts.learning]
    n = len(found.parts.ensemble)
    error = np.mean((model.predict(held_out[0], num_iteration=n) - held_out[1]) ** 2)
    assert found.loss == pytest.approx(error)
    assert found.name == f"as given, {n} rounds"
    assert mddag.as_ensemble(model).n_classifiers == 20
