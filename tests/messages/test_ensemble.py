"""What is said of bad input: as_ensemble, Ensemble and Votes."""

from types import FunctionType

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import mddag
from mddag import Ensemble, Features, Votes
from tests.messages.models import X, ensemble, model, rejected, votes


def read(source):
    made = isinstance(source, FunctionType)
    return lambda: mddag.as_ensemble(source() if made else source)


def called(**changes):
    return lambda: Ensemble.from_callables(
        **{"callables": [np.sin], "n_features": 3, "kind": "classifier"} | changes
    )


MODELS = [
    (read(None), TypeError, "model is a NoneType"),
    (read(SVC), TypeError, "the class SVC"),
    (read(SVC()), TypeError, "model is an SVC"),
    (read(lambda: GridSearchCV(model(), {})), TypeError, "GridSearchCV.*best_estimator_"),
    (read(GradientBoostingClassifier()), NotFittedError, "GradientBoostingClassifier"),
    (read(lambda: make_pipeline(StandardScaler(), model())), TypeError, "StandardScaler"),
]
FILES = [
    (read("nonsense"), FileNotFoundError, "model is the string 'nonsense'"),
    (read("."), IsADirectoryError, r"'\.' is a folder"),
    (read("empty.txt"), ValueError, "empty.txt.* is empty"),
    (read("model.pkl"), ValueError, "model.pkl.* is a pickle"),
    (read("own.mddag"), ValueError, r"mddag\.load reads it"),
    (read("foreign.json"), ValueError, "foreign.json.* JSON of another kind"),
    (read("model.json"), ValueError, "model.json.* holds LightGBM text"),
    (read("cut.txt"), ValueError, "cut.txt.* damaged or cut short"),
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


test_messages = rejected(MODELS + FILES + ENSEMBLES)
