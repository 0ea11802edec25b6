"""What is said of bad input: MDDAGClassifier and MDDAGRegressor."""

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.exceptions import NotFittedError

import mddag
from mddag import AdaBoostMHClassifier as AdaBoost
from mddag import MDDAGClassifier, MDDAGRegressor
from mddag.detection import Rejection
from tests.messages.message import check, each
from tests.messages.models import X, Y, fast, fit, model, regressor, scaled

ROWS = [
    *(
        (
            f"unfitted {name}",
            lambda name=name: getattr(MDDAGClassifier(), name)(X),
            NotFittedError,
            "This MDDAGClassifier instance is not fitted yet",
        )
        for name in ("predict", "predict_proba", "n_evaluated", "trace", "scores")
    ),
    (
        "a rate and three classes",
        lambda: MDDAGClassifier(solver=Rejection()).fit(X, np.arange(len(X)) % 3),
        ValueError,
        "3 scores",
    ),
    (
        "unfitted save",
        lambda: MDDAGRegressor().save("m"),
        NotFittedError,
        "MDDAGRegressor instance",
    ),
    (
        "unfitted predictor",
        lambda: AdaBoost().predict(X),
        NotFittedError,
        "AdaBoostMHClassifier inst",
    ),
    (
        "unfitted export",
        lambda: mddag.export(MDDAGClassifier(), "m.h"),
        NotFittedError,
        "This MDDAGClassifier instance",
    ),
    ("policy_rows", lambda: fit(policy_rows="all"), ValueError, "policy_rows is 'all'"),
    ("policy_fraction", lambda: fit(policy_fraction=0), ValueError, "policy_fraction is 0"),
    ("actions", lambda: fit(actions=("skip",)), ValueError, r"actions are \('skip',\)"),
    ("beta None", lambda: fit(beta=None), ValueError, "beta is None"),
    ("another kind", lambda: fit(ensemble=regressor()), ValueError, "the ensemble is that of a"),
    (
        "no rows left",
        lambda: fit(ensemble=GradientBoostingClassifier(), X=X[:2], y=[0, 1]),
        ValueError,
        "leaves no row for the policy",
    ),
    ("one dimension", lambda: fit(X=X[:, 0]), ValueError, "Expected 2D array, got 1D array"),
    ("infinite X", lambda: fit(X=abs(X) * np.inf), ValueError, "X contains infinity"),
    ("numbers for labels", lambda: fit(y=X[:, 0]), ValueError, "Unknown label type: continuous"),
    (
        "adopted estimator",
        lambda: MDDAGClassifier(model()).adopt(fast(), X, Y),
        TypeError,
        "policy is an MDDAGClassifier",
    ),
    (
        "columns",
        lambda: fast().predict(X[:, :2]),
        ValueError,
        "X has 2 features, but MDDAGClassifier",
    ),
    (
        "columns of a pipeline",
        lambda: scaled().n_evaluated(X[:, :2]),
        ValueError,
        "X has 2 features, but StandardScaler",
    ),
    (
        "saved pipeline",
        lambda: scaled().save("m.mddag"),
        ValueError,
        "reads rows after StandardScaler,",
    ),
    ("set_params", lambda: fast().set_params(betas=1), ValueError, "Invalid parameter 'betas'"),
    (
        "words for numbers",
        lambda: MDDAGRegressor(regressor()).fit(X, ["dear"] * len(X)),
        ValueError,
        "y is an array of <U4 of shape",
    ),
    (
        "complex numbers",
        lambda: MDDAGRegressor(regressor()).fit(X, X[:, 0] + 1j),
        ValueError,
        "omplex data not supported|y",
    ),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
