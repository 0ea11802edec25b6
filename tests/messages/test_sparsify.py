"""What is said of bad input: the arguments of sparsify, above all its targets."""

from functools import cache

import numpy as np
from lightgbm import LGBMRanker
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from mddag.metrics import NDCG, Accuracy, RocAuc
from tests.messages.message import check, each
from tests.messages.models import ReturnsNothing, TakesOneSample, X, Y, regressor, sparsify


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
    ("none", aimed(), ValueError, "got none; .*beta, budget, max_loss, max_disagreement"),
    ("two", given(budget=3), ValueError, "beta=0.01, budget=3"),
    ("beta", given(beta="cheap"), ValueError, "beta is 'cheap'"),
    ("negative beta", given(beta=-1), ValueError, "beta is -1"),
    ("budget", aimed(budget="20"), ValueError, "budget is '20'"),
    ("no budget", aimed(budget=0), ValueError, "budget is 0"),
    ("max_loss", aimed(max_loss=2), ValueError, "max_loss is 2"),
    ("beyond the metric", aimed(max_loss=3, metric=RocAuc()), ValueError, "max_loss is 3;"),
    ("too few rows", aimed(max_loss=0.001), ValueError, "80 rows .*max_loss=0.001"),
    ("for a metric", aimed(max_loss=0.1, metric=RocAuc()), ValueError, "80 rows .*takes 100 rows"),
    ("confidence", given(confidence=90), ValueError, "confidence is 90;"),
    ("a certainty", aimed(max_loss=0.1, confidence=1.0), ValueError, "confidence is 1.0;"),
    ("too sure", aimed(max_loss=0.1, confidence=0.99999), ValueError, "confidence is 0.99999,"),
    ("objective", given(objective="fast"), ValueError, "objective is 'fast'"),
    ("of numbers", numbers(beta=..., max_disagreement=0.1), ValueError, "regressor has no labels"),
]
MODELS = [
    ("a class", given(model=SVC), TypeError, "model is the class SVC"),
    ("pipeline of nothing", given(model=Pipeline([])), ValueError, "a Pipeline without steps"),
    ("ranker", lambda: sparsify(model=ranker()), TypeError, r"mddag\.ranking\.sparsify"),
    ("metric of lists", given(metric=NDCG()), TypeError, r"NDCG.*mddag\.ranking\.sparsify"),
    ("a word as metric", given(metric="f1"), ValueError, "metric is 'f1'; .*roc_auc"),
    ("metric of numbers", numbers(metric=Accuracy()), ValueError, r"metric is Accuracy\(\)"),
    ("solver", given(solver="margin"), TypeError, "solver is 'margin'"),
    ("of nothing", given(solver=ReturnsNothing()), TypeError, "ReturnsNothing returned None"),
    ("of one sample", given(solver=TakesOneSample()), TypeError, r"TakesOneSample.solve .*\(mdp, "),
    ("n_jobs", given(n_jobs=0), ValueError, "n_jobs is 0"),
    ("n_jobs", given(n_jobs=0), ValueError, "n_jobs is 0"),
]
ROWS = [
    ("X and y swapped", given(X=Y, y=X), ValueError, r"X has 1 dimension\(s\), shape \(80,\)"),
    ("other columns", given(X=X[:, :2]), ValueError, "X has 2 features"),
    ("no rows", given(X=X[:0], y=Y[:0]), ValueError, "X has 0 rows"),
    ("one row", given(X=X[:1], y=Y[:1]), ValueError, r"X has 1 row\(s\)"),
    ("unknown labels", given(y=WORDS), ValueError, r"label '(yes|no)' \(row 0\)"),
    ("fewer labels", given(y=Y[:-1]), ValueError, "inconsistent numbers of samples"),
    ("label None", given(y=[None, *Y[1:]]), ValueError, r"y contains None \(row 0\)"),
    ("short weight", given(sample_weight=np.ones(3)), ValueError, r"sample_weight .*\(3,\)"),
    ("zero weight", given(sample_weight=np.zeros(80)), ValueError, "sample_weight is zero"),
    ("weight below 0", given(sample_weight=-np.ones(80)), ValueError, r"weight\[0\] is -1.0"),
]


@each(TARGETS + MODELS + ROWS)
def test_messages(call, error, words):
    check(call, error, words)
