"""What is said of bad input: the arguments of train, acquire, sparsify and sweep."""

from functools import cache, partial

import numpy as np
from lightgbm import LGBMClassifier, LGBMRanker, LGBMRegressor
from scipy import sparse
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import mddag
from mddag import AdaBoostMHClassifier, Ensemble, MDDAGClassifier, acquire
from mddag.detection import Haar
from mddag.metrics import NDCG, R2, Accuracy, RocAuc
from tests.messages.models import (
    ReturnsNothing,
    TakesOneSample,
    X,
    Y,
    model,
    named,
    regressor,
    rejected,
    sparsify,
    sweep,
)
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


TRAIN = [
    (lambda: mddag.train(None, X, Y), "beta.*budget.*max_loss"),
    (lambda: train(beta=0.1, budget=3), "beta=0.1.*budget=3"),
    (lambda: train(model()), "estimator.*fitted.*clone"),
    (lambda: train(LGBMClassifier), TypeError, "estimator.*LGBMClassifier"),
    (lambda: train("lightgbm"), TypeError, "estimator.*'lightgbm'"),
    (lambda: train(SVC()), TypeError, "estimator.*SVC.*LGBMClassifier"),
    (lambda: train(make_pipeline(SCALED, SVC())), TypeError, "estimator.*SVC"),
    (lambda: train(LGBMRanker()), TypeError, "estimator.*ranker.*sparsify"),
    (lambda: train(AdaBoostMHClassifier(Haar())), TypeError, "(?s)estimator.*patches"),
    (lambda: train(X=X[:20], y=Y[:20]), "20 rows.*60"),
    (lambda: train(max_loss=1e-4), "max_loss=0.0001.*0.9"),
    (lambda: train(LGBMRegressor(), y=WIDE[:, 0], max_disagreement=0.1), "regressor.*max_loss"),
    (
        lambda: train(make_pipeline(SCALED, LGBMClassifier()), sample_weight=np.ones(len(MANY))),
        "sample_weight.*Pipeline",
    ),
    (
        lambda: train(max_loss=0.1, sample_weight=1.0 + np.arange(len(MANY))),
        "sample_weight.*max_loss",
    ),
    (lambda: train(objective="energy"), "objective.*'energy'"),
    (lambda: train(confidence=2), "confidence.*2"),
    (lambda: sparsify(model=CALLED, objective="nodes"), "callables.*nodes"),
    (lambda: sparsify(model=_priced(), objective="nodes"), "objective.*prices"),
]
test_messages = rejected(TRAIN)


ONES = np.ones(X.shape[1])


def bought(given=None, **changes):
    parameters = {"feature_costs": ONES, "beta": 0.01, **changes}
    return acquire(model() if given is None else given, X, Y, **parameters)


def of_numbers():
    return GradientBoostingRegressor(n_estimators=2).fit(X, Y)


def pipeline():
    return make_pipeline(StandardScaler(), model()).fit(X, Y)


ACQUIRE = [
    (lambda: bought(beta=None), "beta, budget, max_loss"),
    *named(bought, confidence=2),
    (lambda: bought(feature_costs=0 * ONES), "free.*feature_costs"),
    (lambda: bought(feature_costs=ONES[:2]), "feature_costs"),
    (lambda: bought(ranker()), "ranker"),
    *named(bought, threshold=1.5),
    (lambda: bought(metric=R2()), "R2.*classifier"),
    (lambda: bought(metric="rmse"), "rmse"),
    (lambda: bought(of_numbers(), beta=None, max_disagreement=0.1), "regressor.*max_loss"),
    (lambda: bought(pipeline()), "StandardScaler"),
    (lambda: bought(y_train=Y), "y_train.*X_train"),
    (lambda: bought(X_train=X, y_train=7 * Y), "7"),
    (lambda: bought(beta=None, max_loss=0.001), "max_loss=0.001"),
    (lambda: acquire(model(), X[:3], feature_costs=ONES, beta=1), "3 row"),
]


test_messages_of_acquire = rejected(ACQUIRE)


# What is said of bad input: the arguments of sparsify, above all its targets, and of sweep.


def given(**changes):
    return lambda: sparsify(**changes)


def aimed(**targets):
    """Without the price that is given else."""
    return lambda: sparsify(beta=..., **targets)


def numbers(**changes):
    return lambda: sparsify(model=regressor(), y=X[:, 0], **changes)


@cache
def lambdarank():
    return LGBMRanker(n_estimators=2, verbose=-1).fit(X, Y, group=[80])


WORDS = np.where(Y, "yes", "no")
TARGETS = [
    (aimed(), "got none; .*beta, budget, max_loss, max_disagreement"),
    (given(budget=3), "beta=0.01, budget=3"),
    *named(sparsify, beta="cheap"),
    *named(sparsify, beta=-1, confidence=90, objective="fast"),
    *named(partial(sparsify, beta=...), budget="20", max_loss=2),
    *named(partial(sparsify, beta=...), budget=0),
    (aimed(max_loss=3, metric=RocAuc()), "max_loss is 3;"),
    (aimed(max_loss=0.001), "80 rows .*max_loss=0.001"),
    (aimed(max_loss=0.1, metric=RocAuc()), "80 rows .*takes 100 rows"),
    (aimed(max_loss=0.1, confidence=1.0), "confidence is 1.0;"),
    (aimed(max_loss=0.1, confidence=0.99999), "confidence is 0.99999,"),
    (numbers(beta=..., max_disagreement=0.1), "regressor has no labels"),
]
MODELS = [
    (given(model=SVC), TypeError, "model is the class SVC"),
    (given(model=Pipeline([])), "a Pipeline without steps"),
    (lambda: sparsify(model=lambdarank()), TypeError, r"mddag\.ranking\.sparsify"),
    (given(metric=NDCG()), TypeError, r"NDCG.*mddag\.ranking\.sparsify"),
    (given(metric="f1"), "metric is 'f1'; .*roc_auc"),
    (numbers(metric=Accuracy()), r"metric is Accuracy\(\)"),
    *named(sparsify, TypeError, solver="margin"),
    (given(solver=ReturnsNothing()), TypeError, "ReturnsNothing returned None"),
    (given(solver=TakesOneSample()), TypeError, r"TakesOneSample.solve .*\(mdp, "),
    *named(sparsify, n_jobs=0),
]
GIVEN = [
    (given(X=Y, y=X), r"X has 1 dimension\(s\), shape \(80,\)"),
    (given(X=X[:, :2]), "X has 2 features"),
    (given(X=X[:0], y=Y[:0]), "X has 0 rows"),
    (given(X=X[:1], y=Y[:1]), r"X has 1 row\(s\)"),
    (given(y=WORDS), r"label '(yes|no)' \(row 0\)"),
    (given(y=Y[:-1]), "inconsistent numbers of samples"),
    (given(y=[None, *Y[1:]]), r"y contains None \(row 0\)"),
    (given(sample_weight=np.ones(3)), r"sample_weight .*\(3,\)"),
    (given(sample_weight=np.zeros(80)), "sample_weight is zero"),
    (given(sample_weight=-np.ones(80)), r"weight\[0\] is -1.0"),
]


test_messages_of_sparsify = rejected(TARGETS + MODELS + GIVEN)


def swept(**changes):
    return lambda: sweep(**changes)


FEW = {"X": X[:2], "y": Y[:2]}
NAN = np.full(80, np.nan)
SWEEP = [
    (swept(model=MDDAGClassifier()), NotFittedError, "MDDAGClassifier is not fitted"),
    *named(sweep, y=None, betas="all", selection_fraction=1, n_jobs="all"),
    (swept(y=[0, 1]), "inconsistent numbers of samples"),
    (swept(X=np.full((80, 3), "a")), "X has dtype <U1"),
    (swept(X=sparse.csr_array(X)), TypeError, "X is a sparse csr_array"),
    (swept(betas=[0.1, -1], X=None), r"betas\[1\] is -1.0"),
    (swept(loss=3, X=None), TypeError, "loss is 3;"),
    *named(sweep, TypeError, solver="sarsa"),
    (swept(X_test=X), "X_test and y_test"),
    (swept(sample_weight_test=NAN), "X_test"),
    (swept(X_test=X, y_test=Y, sample_weight_test=NAN), r"sample_weight_test\[0\] is nan"),
    (swept(**FEW, selection_fraction=0.01), "0.01, .*none of 2 rows"),
]


test_messages_of_sweep = rejected(SWEEP)
