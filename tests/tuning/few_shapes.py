"""Few small shapes, so that tests of training are quick, and rows and models of ``train``."""

import numpy as np
from sklearn.base import clone

from mddag.adapters import parts_of
from mddag.tuning import shapes, trained_front, training_job
from mddag.tuning.shape_models import cross_fitted
from mddag.tuning.shapes import Shape
from mddag.tuning.train import folded

QUIET = {"n_estimators": 15, "verbose": -1, "n_jobs": 1, "random_state": 0}


def small(patch):
    """Two numbers of leaves, few rounds, few shapes trained on all rows, and one portfolio."""
    patch.setattr(shapes, "LEAVES", (4, 16))
    patch.setattr(shapes, "WORK", 3.0)
    patch.setattr(shapes, "LONGEST", 3.0)
    patch.setattr(shapes, "ROUNDS", (12, 12))
    patch.setattr(trained_front, "MOST_SHAPES", 1)
    patch.setattr(training_job, "MOST_TRAINED", 3)


def rows_of(X, y, kind="classifier", *, proves=False, weight=None, seed=0):
    """Rows in folds, as ``train(random_state=seed)`` has them."""
    return folded(X, y, weight, kind, proves, np.random.RandomState(seed), 1)


def model_of(estimator, rows, shape=None):
    """A model of all rows, judged in folds."""

    def fitted(fold):
        return parts_of(rows.fitted(clone(estimator), fold))

    return cross_fitted(shape or Shape(), rows, fitted)
