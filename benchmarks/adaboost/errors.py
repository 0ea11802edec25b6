"""Test errors by rounds: beside scikit-learn's AdaBoost, and beside one-against-all."""

from time import perf_counter

import numpy as np
from sklearn.ensemble import AdaBoostClassifier

from benchmarks import data
from mddag import AdaBoostMHClassifier
from mddag.learners import Stump, Tree

ROUNDS = (1, 10, 100, 1000)
FIELDS = ("data", "model", *(f"rounds_{r}" for r in ROUNDS), "fit_seconds")


def errors():
    """One row per data set and model: test errors after ROUNDS, seconds of the longest fit."""
    for name in ("spambase", "electricity", "adult"):
        rows = getattr(data, name)()
        yield row(name, "mddag stumps", boosted(Stump(), rows))
        yield row(name, "mddag 8-leaf trees", boosted(Tree(8), rows))
        yield row(name, "scikit-learn stumps", scikit_learn(rows))
    for name in ("letter", "mnist"):
        rows = getattr(data, name)()
        for learner, kind in ((Stump(), "stumps"), (Tree(8), "8-leaf trees")):
            yield row(name, f"mddag {kind}", boosted(learner, rows))
            yield row(name, f"one against all, {kind}", one_against_all(learner, rows))


def row(name, model, result):
    by_rounds, seconds = result
    errors = [f"{by_rounds[r]:.4f}" if r in by_rounds else "" for r in ROUNDS]
    return dict(zip(FIELDS, (name, model, *errors, f"{seconds:.1f}"), strict=True))


def boosted(learner, rows):
    X_train, y_train, X_test, y_test = rows
    model = AdaBoostMHClassifier(learner, n_rounds=ROUNDS[-1], n_threads=2)
    began = perf_counter()
    model.fit(X_train, y_train)
    seconds = perf_counter() - began
    return staged_errors(model.staged_predict(X_test), y_test), seconds


def scikit_learn(rows):
    X_train, y_train, X_test, y_test = rows
    if hasattr(X_train, "dtypes"):
        X_train, X_test = data.ordinal(X_train, X_test)
    model = AdaBoostClassifier(n_estimators=ROUNDS[-1], random_state=0)
    began = perf_counter()
    model.fit(X_train, y_train)
    seconds = perf_counter() - began
    return staged_errors(model.staged_predict(X_test), y_test), seconds


def staged_errors(stages, y_test):
    return {r: np.mean(p != y_test) for r, p in enumerate(stages, 1) if r in ROUNDS}


def one_against_all(learner, rows):
    """K two-class boosters with as many trees between them as ours; the largest score wins.

    After r rounds of AdaBoost.MH its rival has r / K rounds per class, so the first columns are
    empty where r < K.
    """
    X_train, y_train, X_test, y_test = rows
    classes = np.unique(y_train)
    began = perf_counter()
    models = [
        AdaBoostMHClassifier(learner, n_rounds=ROUNDS[-1] // len(classes), n_threads=2).fit(
            X_train, y_train == k
        )
        for k in classes
    ]
    seconds = perf_counter() - began
    stages = [list(model.staged_scores(X_test)) for model in models]
    by_rounds = {}
    for r in ROUNDS:
        per_class = r // len(classes)
        if per_class >= 1:
            scores = np.hstack([s[min(per_class, len(s)) - 1] for s in stages])
            by_rounds[r] = np.mean(classes[scores.argmax(axis=1)] != y_test)
    return by_rounds, seconds
