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
from tests.messages.message import check, each
from tests.messages.models import X, ensemble, model, votes


def read(source):
    made = isinstance(source, FunctionType)
    return lambda: mddag.as_ensemble(source() if made else source)


def called(**changes):
    return lambda: Ensemble.from_callables(
        **{"callables": [np.sin], "n_features": 3, "kind": "classifier"} | changes
    )


MODELS = [
    ("None", read(None), TypeError, "model is a NoneType"),
    ("a class", read(SVC), TypeError, "the class SVC"),
    ("no ensemble", read(SVC()), TypeError, "model is an SVC"),
    (
        "a search",
        read(lambda: GridSearchCV(model(), {})),
        TypeError,
        "GridSearchCV.*best_estimator_",
    ),
    ("unfitted", read(GradientBoostingClassifier()), NotFittedError, "GradientBoostingClassifier"),
    (
        "a pipeline",
        read(lambda: make_pipeline(StandardScaler(), model())),
        TypeError,
        "StandardScaler",
    ),
]
FILES = [
    ("a string", read("nonsense"), FileNotFoundError, "model is the string 'nonsense'"),
    ("a folder", read("."), IsADirectoryError, r"'\.' is a folder"),
    ("empty file", read("empty.txt"), ValueError, "empty.txt.* is empty"),
    ("pickle", read("model.pkl"), ValueError, "model.pkl.* is a pickle"),
    ("our file", read("own.mddag"), ValueError, r"mddag\.load reads it"),
    ("foreign", read("foreign.json"), ValueError, "foreign.json.* JSON of another kind"),
    ("renamed", read("model.json"), ValueError, "model.json.* holds LightGBM text"),
    ("cut", read("cut.txt"), ValueError, "cut.txt.* damaged or cut short"),
]
ENSEMBLES = [
    ("made by hand", lambda: Ensemble(3, *[None] * 6), TypeError, "features is 3;"),
    ("one function", called(callables=np.sin), TypeError, "ufunc; wanted a list"),
    ("kind", called(kind="forest"), ValueError, "kind is 'forest'"),
    ("bias", called(bias="none"), ValueError, "bias is 'none'"),
    (
        "trees",
        lambda: Ensemble.from_trees([model()], features=Features(3)),
        TypeError,
        r"s\[0\] is",
    ),
    ("features", lambda: Ensemble.from_trees([], features=3), TypeError, "features is 3;"),
    ("costs", lambda: ensemble().with_cost("dear"), ValueError, "cost is 'dear'"),
    ("tree", lambda: ensemble().tree(6), ValueError, "t is 6;"),
    ("rescaled by numbers", lambda: ensemble().rescaled(2.0), TypeError, "rescaling is 2.0;"),
    ("dense", lambda: Votes.from_dense("all"), ValueError, "dense is 'all'"),
    ("votes by hand", lambda: Votes(X, 3), TypeError, "tables is 3;"),
    ("rows", lambda: votes().rows("first"), ValueError, "index is 'first'"),
]


@each(MODELS + FILES + ENSEMBLES)
def test_messages(call, error, words):
    check(call, error, words)
