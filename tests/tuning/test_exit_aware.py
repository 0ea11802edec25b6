import numpy as np
import pytest
from sklearn.datasets import make_hastie_10_2
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mddag import AdaBoostMHClassifier
from mddag.tuning.exit_aware import MOST_LEAVES, exit_aware_models
from mddag.tuning.shape_models import TrainingRows, trained_shapes
from mddag.tuning.shapes import Shape

SHAPES = [Shape(), Shape(4, None, 12), Shape(8, None, 12), Shape(2 * MOST_LEAVES, None, 2)]


@pytest.fixture(scope="module")
def rows():
    X, y = make_hastie_10_2(1600, random_state=0)
    parts = np.arange(800), np.arange(800, 1600)
    return TrainingRows(X, y.astype(int), None, *parts, (0.5, 0.5, 0.0), 0)


def trained(estimator, rows):
    return trained_shapes(estimator, SHAPES, rows, lambda n, note: None)


def test_small_shapes_are_trained_once_more_and_are_no_reference(rows):
    estimator = AdaBoostMHClassifier(n_rounds=5)
    models = trained(estimator, rows)
    found = exit_aware_models(estimator, models, rows)
    wanted = [m.shape for m in models if m.shape.n_leaves in (4, 8)]
    assert [model.shape for model in found] == wanted
    assert all(model.name.endswith("rounds, exit-aware") for model in found)
    assert min([*models, *found], key=lambda model: model.loss) in models
    plain = next(m for m in models if m.shape == found[0].shape)
    assert len(found[0].parts.ensemble) >= len(plain.parts.ensemble)
    np.testing.assert_array_equal(found[0].parts.learning, plain.parts.learning)
    assert estimator.quitting is None


def test_other_models_have_none(rows):
    estimator = make_pipeline(StandardScaler(), AdaBoostMHClassifier(n_rounds=5))
    assert exit_aware_models(estimator, trained(estimator, rows), rows) == []
