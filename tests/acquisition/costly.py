"""Small problems with prices of features, and what ``acquire`` makes of them."""

from functools import cache

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier

import mddag
from mddag.acquisition.front import SetFront
from mddag.acquisition.rows import SplitRows
from mddag.ensemble.feature_prices import FeaturePrices

GROUPS = {"cheap": [0, 1], "expensive": [2, 3]}
COSTS = {"cheap": 1.0, "expensive": 5.0, 4: 0.0}


@cache
def rows(n_classes=2, n=1600, seed=0):
    """The expensive group decides where the cheap one does not; column 4 is free noise."""
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
        feature_costs=COSTS,
        feature_groups=GROUPS,
        X_train=X[:500],
        y_train=y[:500],
        **given,
    )
    return found, X[1100:], y[1100:]


@cache
def front(n_classes=2, n_certifying=0, follows_model=False):
    """What `bought` chooses from."""
    (X, y), of = rows(n_classes), model(n_classes)
    ensemble = mddag.as_ensemble(of)
    priced = FeaturePrices.of(ensemble.features, COSTS, GROUPS)
    parts = X[500:1100], y[500:1100], X[:500], y[:500]
    given = SplitRows(of, ensemble, *parts, np.random.RandomState(0))
    return SetFront.learned(given, priced, np.arange(n_certifying), follows_model=follows_model)
