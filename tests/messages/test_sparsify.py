"""What is said of bad input: the arguments of sparsify, above all its targets, and of sweep."""

from functools import cache, partial

import numpy as np
from lightgbm import LGBMRanker
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from mddag import MDDAGClassifier
from mddag.metrics import NDCG, Accuracy, RocAuc
from tests.messages.models import (
    ReturnsNothing,
    TakesOneSample,
    X,
    Y,
    named,
    regressor,
    rejected,
    sparsify,
    sweep,
)


def given(**changes):
    return lambda: sparsify(**changes)


def aimed(**targets):
    """Without the price that is given else."""
    return lambda: sparsify(beta=..., **targets)


def numbers(**changes):
    return lambda: sparsify(model=regressor(), y=X[:, 0], **changes)


@cache
def ranker():
    return LGBMRanker(n_estimators=2, verbose=-1).fit(X, Y, group=[80])


WORDS = np.where(Y, "yes", "no")
TARGETS = [
    (aimed(), ValueError, "got none; .*beta, budget, max_loss, max_disagreement"),
    (given(budget=3), ValueError, "beta=0.01, budget=3"),
    *named(sparsify, beta="cheap"),
    *named(sparsify, beta=-1, confidence=90, objective="fast"),
    *named(partial(sparsify, beta=...), budget="20", max_loss=2),
    *named(partial(sparsify, beta=...), budget=0),
    (aimed(max_loss=3, metric=RocAuc()), ValueError, "max_loss is 3;"),
    (aimed(max_loss=0.001), ValueError, "80 rows .*max_loss=0.001"),
    (aimed(max_loss=0.1, metric=RocAuc()), ValueError, "80 rows .*takes 100 rows"),
    (aimed(max_loss=0.1, confidence=1.0), ValueError, "confidence is 1.0;"),
    (aimed(max_loss=0.1, confidence=0.99999), ValueError, "confidence is 0.99999,"),
    (numbers(beta=..., max_disagreement=0.1), ValueError, "regressor has no labels"),
]
MODELS = [
    (given(model=SVC), TypeError, "model is the class SVC"),
    (given(model=Pipeline([])), ValueError, "a Pipeline without steps"),
    (lambda: sparsify(model=ranker()), TypeError, r"mddag\.ranking\.sparsify"),
    (given(metric=NDCG()), TypeError, r"NDCG.*mddag\.ranking\.sparsify"),
    (given(metric="f1"), ValueError, "metric is 'f1'; .*roc_auc"),
    (numbers(metric=Accuracy()), ValueError, r"metric is Accuracy\(\)"),
    *named(sparsify, TypeError, solver="margin"),
    (given(solver=ReturnsNothing()), TypeError, "ReturnsNothing returned None"),
    (given(solver=TakesOneSample()), TypeError, r"TakesOneSample.solve .*\(mdp, "),
    *named(sparsify, n_jobs=0),
]
ROWS = [
    (given(X=Y, y=X), ValueError, r"X has 1 dimension\(s\), shape \(80,\)"),
    (given(X=X[:, :2]), ValueError, "X has 2 features"),
    (given(X=X[:0], y=Y[:0]), ValueError, "X has 0 rows"),
    (given(X=X[:1], y=Y[:1]), ValueError, r"X has 1 row\(s\)"),
    (given(y=WORDS), ValueError, r"label '(yes|no)' \(row 0\)"),
    (given(y=Y[:-1]), ValueError, "inconsistent numbers of samples"),
    (given(y=[None, *Y[1:]]), ValueError, r"y contains None \(row 0\)"),
    (given(sample_weight=np.ones(3)), ValueError, r"sample_weight .*\(3,\)"),
    (given(sample_weight=np.zeros(80)), ValueError, "sample_weight is zero"),
    (given(sample_weight=-np.ones(80)), ValueError, r"weight\[0\] is -1.0"),
]


test_messages = rejected(TARGETS + MODELS + ROWS)


def swept(**changes):
    return lambda: sweep(**changes)


FEW = {"X": X[:2], "y": Y[:2]}
NAN = np.full(80, np.nan)
SWEEP = [
    (swept(model=MDDAGClassifier()), NotFittedError, "MDDAGClassifier is not fitted"),
    *named(sweep, y=None, betas="all", selection_fraction=1, n_jobs="all"),
    (swept(y=[0, 1]), ValueError, "inconsistent numbers of samples"),
    (swept(X=np.full((80, 3), "a")), ValueError, "X has dtype <U1"),
    (swept(X=sparse.csr_array(X)), TypeError, "X is a sparse csr_array"),
    (swept(betas=[0.1, -1], X=None), ValueError, r"betas\[1\] is -1.0"),
    (swept(loss=3, X=None), TypeError, "loss is 3;"),
    *named(sweep, TypeError, solver="sarsa"),
    (swept(X_test=X), ValueError, "X_test and y_test"),
    (swept(sample_weight_test=NAN), ValueError, "X_test"),
    (
        swept(X_test=X, y_test=Y, sample_weight_test=NAN),
        ValueError,
        r"sample_weight_test\[0\] is nan",
    ),
    (swept(**FEW, selection_fraction=0.01), ValueError, "0.01, .*none of 2 rows"),
]


test_messages_of_sweep = rejected(SWEEP)
