"""What is said of bad input: Ensemble and Votes."""

import numpy as np

import mddag
from mddag import Ensemble, Features, Votes
from tests.messages.message import check, each
from tests.messages.models import X, ensemble, model, regressor, votes

ROWS = [
    (
        "made by hand",
        lambda: Ensemble(3, None, None, None, None, None, None),
        TypeError,
        "features is 3; wanted Features: use mddag.as_ensemble",
    ),
    (
        "no callables",
        lambda: Ensemble.from_callables([np.sin, 3], n_features=3),
        TypeError,
        r"callables\[1\] is an int; wanted functions of X",
    ),
    (
        "one function",
        lambda: Ensemble.from_callables(np.sin, n_features=3),
        TypeError,
        "ufunc; wanted a list of functions of X",
    ),
    (
        "empty",
        lambda: Ensemble.from_callables([], n_features=3),
        ValueError,
        "callables is empty; an ensemble needs",
    ),
    (
        "kind",
        lambda: Ensemble.from_callables([np.sin], n_features=3, kind="forest"),
        ValueError,
        "kind is 'forest'; wanted one of 'classifier'",
    ),
    (
        "classes",
        lambda: Ensemble.from_callables([np.sin], n_features=3, classes=["a"]),
        ValueError,
        r"classes has shape \(1,\); 1 score\(s\) stand for 2 classes",
    ),
    (
        "bias",
        lambda: Ensemble.from_callables([np.sin], n_features=3, bias="none"),
        ValueError,
        "bias is 'none'; wanted one finite number for each score",
    ),
    (
        "trees",
        lambda: Ensemble.from_trees([model()], features=Features(3)),
        TypeError,
        r"trees\[0\] is a GradientBoostingClassifier; wanted Nodes",
    ),
    (
        "features",
        lambda: Ensemble.from_trees([], features=3),
        TypeError,
        r"features is 3; wanted Features, such as Features\(n\)",
    ),
    ("costs", lambda: ensemble().with_cost("dear"), ValueError, "cost is 'dear'; wanted one price"),
    (
        "few costs",
        lambda: ensemble().with_cost([1.0]),
        ValueError,
        r"cost has shape \(1,\); wanted",
    ),
    (
        "negative",
        lambda: ensemble().with_cost(-np.ones(6)),
        ValueError,
        r"cost\[0\] is -1.0; prices",
    ),
    (
        "order",
        lambda: ensemble().reordered([0, 0]),
        ValueError,
        "order holds 2 numbers; wanted each",
    ),
    ("longer", lambda: ensemble().truncated(7), ValueError, "cannot keep 7 base classifiers"),
    ("tree", lambda: ensemble().tree(6), ValueError, "t is 6; wanted a number from 0 to 5"),
    ("scores", lambda: ensemble().labels([0.1]), ValueError, r"scores are a list; wanted \(n, 1\)"),
    (
        "labels of numbers",
        lambda: mddag.as_ensemble(regressor()).labels(X[:, :1]),
        ValueError,
        "a regressor has no classes to choose from",
    ),
    ("dense", lambda: Votes.from_dense("all"), ValueError, "dense is 'all'; wanted numbers"),
    (
        "votes made by hand",
        lambda: Votes(X, 3),
        TypeError,
        "tables is 3; wanted Tables: use ensemble.votes",
    ),
    ("rows", lambda: votes().rows("first"), ValueError, "index is 'first'; wanted numbers of rows"),
    (
        "classes of a regressor",
        lambda: Ensemble.from_trees([], features=Features(1), classes=[0, 1], kind="regressor"),
        ValueError,
        "classes are given, but a regressor has none; leave them out",
    ),
    (
        "rescaled by numbers",
        lambda: ensemble().rescaled(2.0),
        TypeError,
        "rescaling is 2.0; wanted a Rescaling, such as a policy has",
    ),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
