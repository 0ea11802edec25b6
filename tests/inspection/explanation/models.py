"""Small fitted models for explanations and reports, made once."""

from functools import cache

import numpy as np
import pandas as pd
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

import mddag
from mddag import Ensemble, Features
from mddag.ensemble.nodes import TreeBuilder
from mddag.solvers import Descent, Margin

HOSTILE = "<script>alert('x')</script>"
NAMES = ["age", "capital_gain", HOSTILE]
N_ROWS = 400
BETA = 5e-4


@cache
def frame():
    """Rows with names, one of them hostile."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(N_ROWS, 3)).round(2), columns=NAMES)


@cache
def labels(n_classes=2):
    X = frame().to_numpy()
    level = X[:, 0] + 0.7 * X[:, 1] * X[:, 2]
    codes = np.digitize(level, np.quantile(level, np.arange(1, n_classes) / n_classes))
    return np.array(["ash", "birch & co", "cedar"])[codes]


@cache
def classifier(n_classes=2):
    """A sparse classifier that skips and quits."""
    y = labels(n_classes)
    model = GradientBoostingClassifier(n_estimators=30, max_depth=2, random_state=0)
    model.fit(frame()[:200], y[:200])
    solver = Descent(random_state=0) if n_classes == 2 else Margin()
    given = {
        "solver": solver,
        "loss": mddag.losses.Exponential(),
        "ordering": mddag.policy.Given(),
        "random_state": 0,
    }
    return mddag.MDDAGClassifier(model, beta=BETA, **given).fit(frame()[200:], y[200:])


@cache
def regressor():
    X = frame()
    y = X.to_numpy() @ [3.0, 1.0, -2.0] + 5
    model = GradientBoostingRegressor(n_estimators=30, max_depth=2, random_state=0)
    model.fit(X[:200], y[:200])
    return mddag.MDDAGRegressor(model, beta=0.001, random_state=0).fit(X[200:], y[200:])


def nominal_ensemble():
    """Two trees over a number and a nominal column with three categories."""
    features = Features(2, names=("age", "work"), categories={1: ("private", "state", "none")})
    trees = []
    for threshold, members in ((30.0, [0, 2]), (40.0, [1])):
        tree = TreeBuilder()
        leaves = [tree.leaf(np.array([v])) for v in (-1.0, 0.5, 1.0)]
        below = tree.nominal_split(1, np.array(members), leaves[0], leaves[1], missing_left=True)
        trees.append(tree.finish(tree.split(0, threshold, below, leaves[2], missing_left=False)))
    return Ensemble.from_trees(trees, features=features, bias=[0.25], classes=["no", "yes"])
