"""What is said of bad input: the arguments of sparsify."""

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from mddag import MDDAGClassifier
from mddag.losses import Hinge
from mddag.metrics import NDCG, Accuracy, RocAuc
from tests.messages.message import check, each
from tests.messages.models import ReturnsNothing, TakesOneSample, X, Y, model, regressor, sparsify

ROWS = [
    (
        "a word as metric",
        lambda: sparsify(metric="roc_auc"),
        TypeError,
        r"metric is 'roc_auc'; wanted Accuracy\(\), LogLoss\(\) or RocAuc\(\)",
    ),
    (
        "metric of lists",
        lambda: sparsify(metric=NDCG()),
        TypeError,
        r"NDCG.*mddag\.ranking\.sparsify",
    ),
    (
        "metric of a regressor",
        lambda: sparsify(model=regressor(), y=X[:, 0], metric=Accuracy()),
        ValueError,
        r"metric is Accuracy\(\), which is for classifiers, but the model is a regressor, of which",
    ),
    (
        "a loss beyond the metric",
        lambda: sparsify(beta=..., max_loss=3, metric=RocAuc()),
        ValueError,
        "max_loss is 3; wanted a number above 0 and below 1",
    ),
    (
        "too few rows for a metric",
        lambda: sparsify(beta=..., max_loss=0.1, metric=RocAuc()),
        ValueError,
        "80 rows are too few to promise max_loss=0.1 with confidence 0.9: it takes 100 rows",
    ),
    ("no knob", lambda: sparsify(beta=...), ValueError, "got none; wanted exactly one of beta"),
    (
        "two knobs",
        lambda: sparsify(budget=3),
        ValueError,
        "got beta=0.01, budget=3; wanted exactly",
    ),
    ("beta", lambda: sparsify(beta="cheap"), ValueError, "beta is 'cheap'; wanted a finite price"),
    ("negative beta", lambda: sparsify(beta=-1), ValueError, "beta is -1; wanted"),
    ("budget", lambda: sparsify(beta=..., budget="20"), ValueError, "budget is '20'; wanted"),
    ("max_loss", lambda: sparsify(beta=..., max_loss=2), ValueError, "max_loss is 2; wanted"),
    (
        "too few rows for a promise",
        lambda: sparsify(beta=..., max_loss=0.001),
        ValueError,
        "too few to promise max_loss=0.001",
    ),
    (
        "confidence",
        lambda: sparsify(confidence=90),
        ValueError,
        "confidence is 90; wanted a number from 0.5",
    ),
    ("objective", lambda: sparsify(objective="fast"), ValueError, "objective is 'fast'; wanted"),
    ("model class", lambda: sparsify(model=SVC), TypeError, "model is the class SVC"),
    (
        "pipeline of nothing",
        lambda: sparsify(model=Pipeline([])),
        ValueError,
        "a Pipeline without steps",
    ),
    (
        "X and y swapped",
        lambda: sparsify(X=Y, y=X),
        ValueError,
        r"X has 1 dimension\(s\), shape \(80,\)",
    ),
    ("other columns", lambda: sparsify(X=X[:, :2]), ValueError, "X has 2 features, but the model"),
    ("no rows", lambda: sparsify(X=X[:0], y=Y[:0]), ValueError, "X has 0 rows"),
    ("one row", lambda: sparsify(X=X[:1], y=Y[:1]), ValueError, r"X has 1 row\(s\), too few"),
    (
        "infinite X",
        lambda: MDDAGClassifier(model()).fit(abs(X) * np.inf, Y),
        ValueError,
        "Input X contains infinity",
    ),
    (
        "unknown labels",
        lambda: sparsify(y=np.where(Y, "yes", "no")),
        ValueError,
        r"label '(yes|no)' \(row 0\), which the ensemble does not know",
    ),
    ("fewer labels", lambda: sparsify(y=Y[:-1]), ValueError, "inconsistent numbers of samples"),
    ("label None", lambda: sparsify(y=[None, *Y[1:]]), ValueError, r"y contains None \(row 0\)"),
    ("loss", lambda: sparsify(loss="hinge"), TypeError, "loss is 'hinge'; wanted a callable"),
    ("loss class", lambda: sparsify(loss=Hinge), TypeError, "loss is <class .*Hinge'>; wanted"),
    (
        "solver",
        lambda: sparsify(solver="margin"),
        TypeError,
        "solver is 'margin'; wanted an object",
    ),
    (
        "solver of nothing",
        lambda: sparsify(solver=ReturnsNothing()),
        TypeError,
        "ReturnsNothing returned None; wanted a Policy",
    ),
    (
        "solver of one sample",
        lambda: sparsify(solver=TakesOneSample()),
        TypeError,
        r"TakesOneSample.solve cannot be called with \(mdp, selection\)",
    ),
    (
        "ordering",
        lambda: sparsify(ordering="random"),
        TypeError,
        "ordering is 'random'; wanted a callable",
    ),
    (
        "every",
        lambda: sparsify(every=0),
        ValueError,
        "every is 0; wanted a whole number, 1 or more",
    ),
    ("n_threads", lambda: sparsify(n_threads=0), ValueError, "n_threads is 0; wanted"),
    (
        "regressor's disagreement",
        lambda: sparsify(model=regressor(), y=X[:, 0], beta=..., max_disagreement=0.1),
        ValueError,
        "a regressor has no labels to disagree on",
    ),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
