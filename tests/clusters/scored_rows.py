"""A table with a key, a number column, a nominal one and a label; a model of it; what it says."""

from functools import cache

import numpy as np
import pandas as pd

import mddag
from mddag.solvers import Margin

N_ROWS = 900
KEEP = ["key"]


@cache
def table():
    """Columns in another order than the model has them, one that it does not read, NaN."""
    rng = np.random.default_rng(0)
    town = rng.choice(["ulm", "bonn", "rome"], N_ROWS)
    size, age = rng.normal(size=(2, N_ROWS))
    age[::7] = np.nan
    key = np.arange(N_ROWS) + 2**60
    columns = {"age": age, "key": key, "town.of": town, "unread": "x", "size": size}
    return pd.DataFrame(columns)


def features():
    given = table()[["town.of", "size", "age"]]
    return given.assign(**{"town.of": pd.Categorical(given["town.of"])})


@cache
def model():
    """A classifier with names, a nominal column, missing values, and labels that are strings."""
    rows = table()
    labels = np.where((rows["size"] > 0) == (rows["town.of"] == "ulm"), "yes", "no")
    boost = mddag.AdaBoostMHClassifier(mddag.learners.Tree(4), n_rounds=12)
    boost.fit(features()[:400], labels[:400])
    return mddag.sparsify(boost, features()[400:], labels[400:], beta=0.003, solver=Margin())


@cache
def expected():
    """The scored table, made here, by key."""
    X, fast = features(), model()
    shares = fast.predict_proba(X)
    columns = {"key": table()["key"], "prediction": fast.predict(X)}
    columns |= {f"p_{label}": shares[:, k] for k, label in enumerate(fast.classes_)}
    return pd.DataFrame(columns | {"n_evaluated": fast.n_evaluated(X)})


def check(scored):
    """Every row is there once, with the answers made here, to the last bit."""
    scored = scored.sort_values("key").reset_index(drop=True)
    wanted = expected()[list(scored.columns)]
    assert len(scored) == N_ROWS
    for name in wanted:
        assert scored[name].tolist() == wanted[name].tolist(), name
