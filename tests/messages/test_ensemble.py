"""What is said of bad input: as_ensemble, Ensemble and Votes."""

import numpy as np
from sklearn.svm import SVC

import mddag
from mddag import Ensemble, Features, Votes
from tests.messages.models import X, ensemble, model, rejected, votes


def read(source):
    return lambda: mddag.as_ensemble(source)


def called(**changes):
    return lambda: Ensemble.from_callables(
        **{"callables": [np.sin], "n_features": 3, "kind": "classifier"} | changes
    )


MODELS = [
    (read(None), TypeError, "model is a NoneType"),
    (read(SVC), TypeError, "the class SVC"),
    (read(SVC()), TypeError, "model is an SVC"),
]
ENSEMBLES = [
    (lambda: Ensemble(3, *[None] * 6), TypeError, "features is 3;"),
    (called(callables=np.sin), TypeError, "ufunc; wanted a list"),
    (called(kind="forest"), ValueError, "kind is 'forest'"),
    (called(bias="none"), ValueError, "bias is 'none'"),
    (lambda: Ensemble.from_trees([model()], features=Features(3)), TypeError, r"s\[0\] is"),
    (lambda: Ensemble.from_trees([], features=3), TypeError, "features is 3;"),
    (lambda: ensemble().with_cost("dear"), ValueError, "cost is 'dear'"),
    (lambda: ensemble().tree(6), ValueError, "t is 6;"),
    (lambda: ensemble().rescaled(2.0), TypeError, "rescaling is 2.0;"),
    (lambda: Votes.from_dense("all"), ValueError, "dense is 'all'"),
    (lambda: Votes(X, 3), TypeError, "tables is 3;"),
    (lambda: votes().rows("first"), ValueError, "index is 'first'"),
]


test_messages = rejected(MODELS + ENSEMBLES)
