"""What is said of bad input: Predictor."""

import numpy as np

import mddag
from mddag import Predictor
from tests.messages.message import check, each
from tests.messages.models import X, fast, regressor

ROWS = [
    ("of an estimator", lambda: Predictor(fast()), TypeError, "model is an MDDAGClassifier"),
    ("list for out", lambda: fast().predictor().scores(X, []), TypeError, "out is a list"),
    (
        "type of out",
        lambda: fast().predictor().codes(X, np.empty(80)),
        ValueError,
        "out is float64 .*wanted C-ordered",
    ),
    (
        "probabilities of a regressor",
        lambda: Predictor(
            mddag.serving.model_file.Model(mddag.compile(mddag.as_ensemble(regressor())))
        ).predict_proba(X),
        ValueError,
        "the model has no classes for",
    ),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
