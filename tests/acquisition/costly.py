"""Small problems with prices of features, and what ``acquire`` makes of them."""

from functools import cache

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier

import mddag

GROUPS = {"cheap": [0, 1], "dear": [2, 3]}
COSTS = {"cheap": 1.0, "dear": 5.0, "4": 0.0}


@cache
def rows(n_classes=2, n=1600, seed=0):
    """The dear group decides where the cheap one does not; column 4 is free noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    sure = np.abs(X[:, 0]) > 0.6
    signal = np.where(sure, X[:, 0], X[:, 2])
    y = np.digitize(signal, np.quantile(signal, np.arange(1, n_classes) / n_classes))
    return X, y


@cache
def model(n_classes=2):
    X, y = rows(n_classes)
    fitted = GradientBoostingClassifier(n_estimators=20, max_depth=3, random_state=0)
    return fitted.fit(X[:500], y[:500])


@cache
def bought(n_classes=2, **given):
    """The estimator, rows and labels that it has not seen."""
    X, y = rows(n_classes)
    given = given or {"beta": 0.02}
    found = mddag.acquire(
        model(n_classes),
        X[500:1100],
        y[500:1100],
        feature_costs={"cheap": 1.0, "dear": 5.0, 4: 0.0},
        feature_groups=GROUPS,
        X_train=X[:500],
        y_train=y[:500],
        **given,
    )
    return found, X[1100:], y[1100:]
