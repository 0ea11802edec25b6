"""What is said of bad input: the arguments of train, and objective="nodes" of sparsify."""

import numpy as np
from lightgbm import LGBMClassifier, LGBMRanker, LGBMRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import mddag
from mddag import AdaBoostMHClassifier, Ensemble
from mddag.learners import Haar
from tests.messages.message import check, each
from tests.messages.models import X, Y, model, sparsify

WIDE = np.tile(X, (4, 1))
MANY = np.tile(Y, 4)


def train(estimator=None, X=WIDE, y=MANY, **arguments):
    knob = {} if arguments.keys() & {"beta", "budget", "max_loss", "max_disagreement"} else BUDGET
    return mddag.train(estimator, X, y, **{**knob, **arguments})


BUDGET = {"budget": 5}
CALLED = Ensemble.from_callables([lambda X: X[:, 0], lambda X: -X[:, 0]], n_features=X.shape[1])

ROWS = [
    ("no knob", lambda: mddag.train(None, X, Y), ValueError, "got none; wanted exactly one of"),
    (
        "two knobs",
        lambda: train(beta=0.1, budget=3),
        ValueError,
        "got beta=0.1, budget=3; wanted exactly one of",
    ),
    (
        "a fitted estimator",
        lambda: train(model()),
        ValueError,
        r"is fitted, but train trains models in many shapes; pass sklearn.base.clone",
    ),
    (
        "a class",
        lambda: train(LGBMClassifier),
        TypeError,
        "estimator is <class .*LGBMClassifier'>; wanted an unfitted model",
    ),
    ("a word", lambda: train("lightgbm"), TypeError, "estimator is 'lightgbm'; wanted an unfitted"),
    (
        "a support vector machine",
        lambda: train(SVC()),
        TypeError,
        "whose shape train does not know how to set; wanted one of .*LGBMClassifier",
    ),
    (
        "a pipeline of one",
        lambda: train(make_pipeline(StandardScaler(), SVC())),
        TypeError,
        "whose shape train does not know how to set",
    ),
    (
        "a ranker",
        lambda: train(LGBMRanker()),
        TypeError,
        "a ranker, but train takes classifiers and regressors; fit it and make it sparse",
    ),
    (
        "a learner of patches",
        lambda: train(AdaBoostMHClassifier(Haar())),
        TypeError,
        "which reads patches, but train grows trees over columns",
    ),
    (
        "few rows",
        lambda: train(X=X[:20], y=Y[:20]),
        ValueError,
        "X has 20 rows, too few to train models on some and to choose among them by others",
    ),
    (
        "few rows to prove by",
        lambda: train(max_loss=1e-4),
        ValueError,
        "rows are too few to promise max_loss=0.0001 with confidence 0.9",
    ),
    (
        "labels of a regressor",
        lambda: train(LGBMRegressor(), y=WIDE[:, 0], max_disagreement=0.1),
        ValueError,
        "a regressor has no labels to disagree on; give max_loss",
    ),
    (
        "weights of a pipeline",
        lambda: train(
            make_pipeline(StandardScaler(), LGBMClassifier()), sample_weight=np.ones(len(MANY))
        ),
        ValueError,
        "sample_weight is given, but Pipeline.fit does not take it",
    ),
    (
        "weights that differ, to prove by",
        lambda: train(max_loss=0.1, sample_weight=1.0 + np.arange(len(MANY))),
        ValueError,
        "sample_weight differs from row to row",
    ),
    (
        "an unknown objective",
        lambda: train(objective="energy"),
        ValueError,
        "objective is 'energy'; wanted",
    ),
    ("a confidence", lambda: train(confidence=2), ValueError, "confidence is 2; wanted"),
    (
        "sparsify: nodes of callables",
        lambda: sparsify(model=CALLED, objective="nodes"),
        ValueError,
        "callables, which have no nodes",
    ),
    (
        "sparsify: nodes and prices",
        lambda: sparsify(model=_priced(), objective="nodes"),
        ValueError,
        "objective is 'nodes', but the ensemble has prices of its own",
    ),
]


def _priced():
    ensemble = mddag.as_ensemble(model())
    return ensemble.with_cost(np.ones(len(ensemble)))


@each(ROWS)
def test_message(call, error, words):
    check(call, error, words)
