"""What train refuses: the exception, and the argument and value that its message names."""

import numpy as np
import pytest
from lightgbm import LGBMClassifier, LGBMRanker, LGBMRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import mddag
from mddag import AdaBoostMHClassifier, Ensemble
from mddag.detection import Haar
from tests.messages.models import X, Y, model, sparsify

WIDE = np.tile(X, (4, 1))
MANY = np.tile(Y, 4)
SCALED = StandardScaler()
CALLED = Ensemble.from_callables([lambda X: X[:, 0], lambda X: -X[:, 0]], n_features=X.shape[1])


def train(estimator=None, X=WIDE, y=MANY, **arguments):
    targets = {"beta", "budget", "max_loss", "max_disagreement"}
    wanted = {} if arguments.keys() & targets else {"budget": 5}
    return mddag.train(estimator, X, y, **{**wanted, **arguments})


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: mddag.train(None, X, Y), ValueError, ["beta", "budget", "max_loss"]),
        (lambda: train(beta=0.1, budget=3), ValueError, ["beta=0.1", "budget=3"]),
        (lambda: train(model()), ValueError, ["estimator", "fitted", "clone"]),
        (lambda: train(LGBMClassifier), TypeError, ["estimator", "LGBMClassifier"]),
        (lambda: train("lightgbm"), TypeError, ["estimator", "'lightgbm'"]),
        (lambda: train(SVC()), TypeError, ["estimator", "SVC", "LGBMClassifier"]),
        (lambda: train(make_pipeline(SCALED, SVC())), TypeError, ["estimator", "SVC"]),
        (lambda: train(LGBMRanker()), TypeError, ["estimator", "ranker", "sparsify"]),
        (lambda: train(AdaBoostMHClassifier(Haar())), TypeError, ["estimator", "patches"]),
        (lambda: train(X=X[:20], y=Y[:20]), ValueError, ["20 rows", "60"]),
        (lambda: train(max_loss=1e-4), ValueError, ["max_loss=0.0001", "0.9"]),
        (
            lambda: train(LGBMRegressor(), y=WIDE[:, 0], max_disagreement=0.1),
            ValueError,
            ["regressor", "max_loss"],
        ),
        (
            lambda: train(
                make_pipeline(SCALED, LGBMClassifier()), sample_weight=np.ones(len(MANY))
            ),
            ValueError,
            ["sample_weight", "Pipeline"],
        ),
        (
            lambda: train(max_loss=0.1, sample_weight=1.0 + np.arange(len(MANY))),
            ValueError,
            ["sample_weight", "max_loss"],
        ),
        (lambda: train(objective="energy"), ValueError, ["objective", "'energy'"]),
        (lambda: train(confidence=2), ValueError, ["confidence", "2"]),
        (lambda: sparsify(model=CALLED, objective="nodes"), ValueError, ["callables", "nodes"]),
        (lambda: sparsify(model=_priced(), objective="nodes"), ValueError, ["objective", "prices"]),
    ],
)
def test_message(call, error, words):
    with pytest.raises(error) as raised:
        call()
    assert all(word in str(raised.value) for word in words)


def _priced():
    ensemble = mddag.as_ensemble(model())
    return ensemble.with_cost(np.ones(len(ensemble)))
