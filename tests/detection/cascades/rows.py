"""Rows of two classes for the tests of cascades."""

import numpy as np

from mddag.boosting.training_set import TrainingSet
from mddag.detection.cascades.training_rows import CodedRows, Material
from mddag.features.features import Features
from mddag.learners import Haar, Stump


def two_classes(n, seed=0, share=0.4):
    """Ten features, of which each tells a little; labels 0 and 1."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return rng.normal(size=(n, 10)) + 0.7 * y[:, None], y


def training_rows(n, seed=0):
    X, y = two_classes(n, seed)
    features = Features(10)
    return TrainingSet(
        features.rows(X), y.astype(np.intp), np.ones(n), np.arange(2), features, np.zeros(10, bool)
    )


def coded_rows(n, seed=0):
    return CodedRows.of(training_rows(n, seed), Stump())


def material(n=600, n_held=400, seed=0):
    return Material(training_rows(n, seed), training_rows(n_held, seed + 1), Stump())


def blobs(n, seed=0):
    """Patches 8 x 8; those of class 1 have a bright square."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 2).astype(int)
    X = rng.integers(0, 120, (n, 8, 8))
    X[y == 1, 2:5, 3:6] += 70
    return X.astype(np.uint8), y


def patch_rows(n, seed=0):
    X, y = blobs(n, seed)
    features = Haar(40, random_state=0).features(X, 0)
    nominal = np.zeros(64, bool)
    return TrainingSet(X, y.astype(np.intp), np.ones(n), np.arange(2), features, nominal)
