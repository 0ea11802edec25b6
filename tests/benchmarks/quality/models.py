"""Small models with their rows, for tests of the quality benchmark."""

import numpy as np
from sklearn.datasets import make_hastie_10_2
from sklearn.ensemble import GradientBoostingClassifier

from mddag import as_ensemble


def rows(n_classes=2, n=400):
    X, y = make_hastie_10_2(n, random_state=0)
    radius = (X**2).sum(axis=1)
    return X, (np.digitize(radius, np.quantile(radius, [0.3, 0.6])) if n_classes > 2 else y > 0) * 1


def ensemble(X, y, n_rounds=8):
    model = GradientBoostingClassifier(
        n_estimators=n_rounds, max_leaf_nodes=6, max_depth=None, random_state=0
    )
    return as_ensemble(model.fit(X, y))
