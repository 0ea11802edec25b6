"""What is said of bad input: the arguments of train and acquire."""

import numpy as np
from lightgbm import LGBMClassifier, LGBMRanker, LGBMRegressor
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import mddag
from mddag import AdaBoostMHClassifier, Ensemble, acquire
from mddag.detection import Haar
from tests.messages.models import X, Y, model, named, rejected, sparsify
from tests.rankings import ranker

WIDE = np.tile(X, (4, 1))
MANY = np.tile(Y, 4)
SCALED = StandardScaler()
CALLED = Ensemble.from_callables([lambda X: X[:, 0], lambda X: -X[:, 0]], n_features=X.shape[1])


def train(estimator=None, X=WIDE, y=MANY, **arguments):
    targets = {"beta", "budget", "max_loss", "max_disagreement"}
    wanted = {} if arguments.keys() & targets else {"budget": 5}
    return mddag.train(estimator, X, y, **{**wanted, **arguments})


def _priced():
    ensemble = mddag.as_ensemble(model())
    return ensemble.with_cost(np.ones(len(ensemble)))


ROWS = [
    (lambda: mddag.train(None, X, Y), ValueError, "beta.*budget.*max_loss"),
    (lambda: train(beta=0.1, budget=3), ValueError, "beta=0.1.*budget=3"),
    (lambda: train(model()), ValueError, "estimator.*fitted.*clone"),
    (lambda: train(LGBMClassifier), TypeError, "estimator.*LGBMClassifier"),
    (lambda: train("lightgbm"), TypeError, "estimator.*'lightgbm'"),
    (lambda: train(SVC()), TypeError, "estimator.*SVC.*LGBMClassifier"),
    (lambda: train(make_pipeline(SCALED, SVC())), TypeError, "estimator.*SVC"),
    (lambda: train(LGBMRanker()), TypeError, "estimator.*ranker.*sparsify"),
    (lambda: train(AdaBoostMHClassifier(Haar())), TypeError, "(?s)estimator.*patches"),
    (lambda: train(X=X[:20], y=Y[:20]), ValueError, "20 rows.*60"),
    (lambda: train(max_loss=1e-4), ValueError, "max_loss=0.0001.*0.9"),
    (
        lambda: train(LGBMRegressor(), y=WIDE[:, 0], max_disagreement=0.1),
        ValueError,
        "regressor.*max_loss",
    ),
    (
        lambda: train(make_pipeline(SCALED, LGBMClassifier()), sample_weight=np.ones(len(MANY))),
        ValueError,
        "sample_weight.*Pipeline",
    ),
    (
        lambda: train(max_loss=0.1, sample_weight=1.0 + np.arange(len(MANY))),
        ValueError,
        "sample_weight.*max_loss",
    ),
    (lambda: train(objective="energy"), ValueError, "objective.*'energy'"),
    (lambda: train(confidence=2), ValueError, "confidence.*2"),
    (lambda: sparsify(model=CALLED, objective="nodes"), ValueError, "callables.*nodes"),
    (lambda: sparsify(model=_priced(), objective="nodes"), ValueError, "objective.*prices"),
]
test_messages = rejected(ROWS)


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


ACQUIRE = [
    (lambda: bought(beta=None), ValueError, "beta, budget, max_loss"),
    (lambda: bought(budget=3), ValueError, "beta=0.01, budget=3"),
    *named(bought, confidence=2),
    (lambda: bought(feature_costs=0 * ONES), ValueError, "free.*feature_costs"),
    (lambda: bought(feature_costs=ONES[:2]), ValueError, "feature_costs"),
    (lambda: bought(ranker()), ValueError, "ranker"),
    (lambda: bought(poisson()), ValueError, "exp"),
    (
        lambda: bought(regressor(), beta=None, max_disagreement=0.1),
        ValueError,
        "regressor.*max_loss",
    ),
    (lambda: bought(pipeline()), ValueError, "StandardScaler"),
    (lambda: bought(y_train=Y), ValueError, "y_train.*X_train"),
    (lambda: bought(X_train=X, y_train=7 * Y), ValueError, "7"),
    (lambda: bought(beta=None, max_loss=0.001), ValueError, "max_loss=0.001"),
    (lambda: acquire(model(), X[:3], feature_costs=ONES, beta=1), ValueError, "3 row"),
]


test_messages_of_acquire = rejected(ACQUIRE)
