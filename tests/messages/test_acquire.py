"""Bad arguments of acquire: the exception, and the name and value that it names."""

import numpy as np
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mddag import acquire
from tests.messages.message import check, each
from tests.messages.models import X, Y, model
from tests.rankings import ranker

ONES = np.ones(X.shape[1])


def bought(given=None, **changes):
    parameters = {"feature_costs": ONES, "beta": 0.01, **changes}
    return acquire(model() if given is None else given, X, Y, **parameters)


def regressor():
    return GradientBoostingRegressor(n_estimators=2).fit(X, Y)


def poisson():
    return HistGradientBoostingRegressor(loss="poisson", max_iter=2).fit(X, Y + 1)


def pipeline():
    return make_pipeline(StandardScaler(), model()).fit(X, Y)


ROWS = [
    ("no target", lambda: bought(beta=None), ValueError, "beta, budget, max_loss"),
    ("two targets", lambda: bought(budget=3), ValueError, "beta=0.01, budget=3"),
    ("confidence", lambda: bought(confidence=2), ValueError, "confidence is 2"),
    ("all free", lambda: bought(feature_costs=0 * ONES), ValueError, "free.*feature_costs"),
    ("prices", lambda: bought(feature_costs=ONES[:2]), ValueError, "feature_costs"),
    ("ranker", lambda: bought(ranker()), ValueError, "ranker"),
    ("log link", lambda: bought(poisson()), ValueError, "exp"),
    (
        "regressor",
        lambda: bought(regressor(), beta=None, max_disagreement=0.1),
        ValueError,
        "regressor.*max_loss",
    ),
    ("pipeline", lambda: bought(pipeline()), ValueError, "StandardScaler"),
    ("y_train alone", lambda: bought(y_train=Y), ValueError, "y_train.*X_train"),
    (
        "other classes",
        lambda: bought(X_train=X, y_train=7 * Y),
        ValueError,
        "7",
    ),
    ("few rows", lambda: bought(beta=None, max_loss=0.001), ValueError, "max_loss=0.001"),
    (
        "three rows",
        lambda: acquire(model(), X[:3], feature_costs=ONES, beta=1),
        ValueError,
        "3 row",
    ),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
