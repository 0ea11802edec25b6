"""Patches to test with: noise, and half of them with a bright bar that a Haar feature finds."""

import numpy as np

from mddag import AdaBoostMHClassifier
from mddag.detection import Haar


def bars(n=300, window=(8, 6), seed=0):
    """Patches uint8 (n, *window) and labels: 1 where a bar stands on the left."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 160, (n, *window), np.uint8)
    y = rng.integers(0, 2, n)
    X[y == 1, 1:-1, : window[1] // 3] += 70
    return X, y


def boosted(n_rounds=12, learner=None, **settings):
    """A model fitted to bars, and its patches and labels."""
    X, y = bars()
    haar = Haar(n_features=300, random_state=0, learner=learner)
    return AdaBoostMHClassifier(haar, n_rounds=n_rounds, **settings).fit(X, y), X, y
