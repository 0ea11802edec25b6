import numpy as np
import pytest
from sklearn.datasets import make_hastie_10_2
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mddag import AdaBoostMHClassifier
from mddag.tuning.exit_aware import MOST_LEAVES, READ, Retraining, exit_aware_models
from mddag.tuning.folded_rows import ALL, FOLDS
from mddag.tuning.shapes import Shape, shaped
from tests.tuning.few_shapes import model_of, rows_of

SHAPES = [Shape(), Shape(4, None, 12), Shape(8, None, 12), Shape(2 * MOST_LEAVES, None, 2)]


@pytest.fixture(scope="module")
def rows():
    X, y = make_hastie_10_2(1200, random_state=0)
    return rows_of(X, y.astype(int), proves=True)


def trained(estimator, rows):
    return [model_of(shaped(estimator, shape), rows, shape) for shape in SHAPES]


def test_small_shapes_are_trained_once_more_and_are_no_reference(rows):
    estimator = AdaBoostMHClassifier(n_rounds=5)
    models = trained(estimator, rows)
    found = exit_aware_models(estimator, [*models, models[1]], rows)
    assert [model.shape for model in found] == SHAPES[1:3]
    assert all(model.name.endswith("12 rounds, exit-aware") for model in found)
    assert min([*models, *found], key=lambda model: model.loss) in models
    for name in ("learning", "choosing", "certifying", "truth"):
        np.testing.assert_array_equal(getattr(found[0].parts, name), getattr(models[0].parts, name))
    assert estimator.quitting is None


def test_other_models_have_none(rows):
    estimator = make_pipeline(StandardScaler(), AdaBoostMHClassifier(n_rounds=5))
    assert exit_aware_models(estimator, trained(estimator, rows)[:1], rows) == []


def test_rows_are_read_that_the_model_neither_trains_on_nor_judges(rows, monkeypatch):
    teacher = np.full((len(rows.judging), 2), 0.5)
    aware = Retraining(AdaBoostMHClassifier(), Shape(4, None, 2), rows, teacher)
    trained_on = {}

    def spied(model, fold, without=None):
        trained_on[fold] = np.setdiff1d(rows.training(fold), without)
        assert len(model.quitting.X) == len(without)
        return model.fit(rows.X[trained_on[fold]], rows.targets[trained_on[fold]])

    monkeypatch.setattr(type(rows), "fitted", lambda self, *given, **named: spied(*given, **named))
    for fold in (*range(FOLDS), ALL):
        aware.fitted(fold)
        read = rows.judging[aware.read(fold)]
        assert len(read) == round(READ * len(rows.training(fold)))
        assert np.isin(read, rows.training(fold)).all()
        assert not np.intersect1d(read, trained_on[fold]).size


def test_no_class_is_read_whole():
    y = np.repeat(np.arange(11), [30] + [FOLDS] * 10)
    for seed in range(50, 70):  # chance alone would take all of a class at three of these
        rows = rows_of(np.zeros((60, 1)), y, seed=seed)
        aware = Retraining(AdaBoostMHClassifier(), Shape(4, None, 2), rows, np.ones((60, 11)) / 11)
        for fold in range(FOLDS):
            left = np.setdiff1d(rows.training(fold), rows.judging[aware.read(fold)])
            assert set(y[left]) == set(y)
