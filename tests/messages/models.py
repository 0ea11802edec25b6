"""Tests of rows of bad input, and tiny models, made once, that the rows share.

A row is a call, the exception if it is no ValueError, and words of its message: the argument and
the value. No message is what Python or numpy says by itself.
"""

import re
from functools import cache, partial

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mddag
from mddag import MDP, MDDAGClassifier
from mddag import AdaBoostMHClassifier as AdaBoost
from mddag.solvers import Margin

RAW = r"has no attribute|object is not|not supported between|could not convert|truth value of"


def check(call, error, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert not re.search(RAW, str(caught.value))


def named(call, error=ValueError, **values):
    """Rows of arguments, one bad at a time, whose message says the name and the value."""
    return [
        (partial(call, **{name: value}), error, rf"{name} is {re.escape(repr(value))}(?!\w)")
        for name, value in values.items()
    ]


def rejected(rows):
    """A test of these rows."""

    @pytest.mark.parametrize("row", rows, ids=[row[-1] for row in rows])
    def test(row):
        call, *error, words = row
        check(call, *(error or [ValueError]), words)

    return test


rng = np.random.default_rng(0)
X = rng.normal(size=(80, 3))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)


@cache
def model():
    return GradientBoostingClassifier(n_estimators=6, max_depth=2, random_state=0).fit(X, Y)


@cache
def regressor():
    return GradientBoostingRegressor(n_estimators=6, max_depth=2, random_state=0).fit(X, X[:, 0])


@cache
def ensemble():
    return mddag.as_ensemble(model())


@cache
def votes():
    return ensemble().votes(X)


@cache
def mdp():
    return MDP(votes(), Y)


@cache
def policy():
    return Margin().solve(mdp())


@cache
def trace():
    return mddag.compile(ensemble(), policy()).run(X)


@cache
def fast():
    return sparsify()


@cache
def curve():
    return mddag.sweep(model(), X, Y, betas=[0.01], solver=Margin())


@cache
def scaled():
    pipeline = make_pipeline(StandardScaler(), GradientBoostingClassifier(n_estimators=6))
    return mddag.sparsify(pipeline.fit(X, Y), X, Y, beta=0.01, solver=Margin())


def sparsify(**changes):
    given = {"model": model(), "X": X, "y": Y, "beta": 0.01, "solver": Margin()} | changes
    return mddag.sparsify(**{name: value for name, value in given.items() if value is not ...})


def sweep(**changes):
    given = {"model": model(), "X": X, "y": Y, "betas": [0.01], "solver": Margin()} | changes
    return mddag.sweep(**given)


def fit(**changes):
    given = {"ensemble": model(), "solver": Margin(), "X": X, "y": Y} | changes
    X_given, y_given = given.pop("X"), given.pop("y")
    return MDDAGClassifier(**given).fit(X_given, y_given)


def boost(learner=None, *, rows=X, labels=Y, sample_weight=None, **changes):
    return AdaBoost(learner, **{"n_rounds": 2} | changes).fit(rows, labels, sample_weight)


class ReturnsNothing:
    def solve(self, mdp, selection=None):
        return None


class TakesOneSample:
    def solve(self, mdp):
        return mdp.evaluate_all()
