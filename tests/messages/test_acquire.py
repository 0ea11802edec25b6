"""What is said of bad input: acquire."""

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


ROWS = [
    ("no knob", lambda: bought(beta=None), ValueError, "got none; wanted exactly one of beta, bu"),
    ("two", lambda: bought(budget=3), ValueError, "got beta=0.01, budget=3; wanted exactly one of"),
    ("negative", lambda: bought(beta=-1), ValueError, "beta"),
    ("sure", lambda: bought(confidence=2), ValueError, "confidence is 2; wanted a number from 0.5"),
    (
        "free",
        lambda: bought(feature_costs=0 * ONES),
        ValueError,
        "all features are free, so there is nothing to save; give feature_costs above 0",
    ),
    ("prices", lambda: bought(feature_costs=ONES[:2]), ValueError, "feature_costs"),
    (
        "ranker",
        lambda: bought(ranker()),
        ValueError,
        "the model is a ranker, but features are bought for classifiers and regressors alone; ",
    ),
    (
        "log link",
        lambda: bought(HistGradientBoostingRegressor(loss="poisson", max_iter=2).fit(X, Y + 1)),
        ValueError,
        "the model predicts exp of its score, but features are bought by the squared error of sc",
    ),
    (
        "numbers that disagree",
        lambda: bought(
            GradientBoostingRegressor(n_estimators=2).fit(X, Y), beta=None, max_disagreement=0.1
        ),
        ValueError,
        "a regressor has no labels to disagree on; give max_loss, in units of R2",
    ),
    (
        "pipeline",
        lambda: bought(make_pipeline(StandardScaler(), model()).fit(X, Y)),
        ValueError,
        "the model reads rows after StandardScaler, but prices are of the features that it reads",
    ),
    (
        "labels to train on",
        lambda: bought(y_train=Y),
        ValueError,
        "y_train is given without X_train, whose labels they are; give both",
    ),
    (
        "few rows",
        lambda: bought(beta=None, max_loss=0.001),
        ValueError,
        "rows are too few to promise max_loss=0.001 with confidence 0.9",
    ),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
