"""Test errors by rounds, compared with scikit-learn's AdaBoost and with one-against-all."""

import numpy as np
from sklearn.ensemble import AdaBoostClassifier
from sklearn.preprocessing import OrdinalEncoder

from benchmarks.clock import seconds
from benchmarks.data import train_and_test
from mddag import AdaBoostMHClassifier
from mddag.learners import Stump, Tree

ROUNDS = (1, 10, 100, 1000)
MNIST_ROWS = 10_000  # to train on
FIELDS = ("data", "model", *(f"rounds_{r}" for r in ROUNDS), "fit_seconds")


def measure():
    """One row per data set and model: test errors after ROUNDS, seconds of the longest fit."""
    for name in ("spambase", "electricity", "adult"):
        rows = train_and_test(name)
        yield row(name, "mddag stumps", boosted(Stump(), rows))
        yield row(name, "mddag 8-leaf trees", boosted(Tree(8), rows))
        yield row(name, "scikit-learn stumps", scikit_learn(rows))
    for name in ("letter", "mnist"):
        rows = train_and_test(name, MNIST_ROWS if name == "mnist" else None)
        for learner, kind in ((Stump(), "stumps"), (Tree(8), "8-leaf trees")):
            yield row(name, f"mddag {kind}", boosted(learner, rows))
            yield row(name, f"one against all, {kind}", one_against_all(learner, rows))


def row(name, model, result):
    by_rounds, taken = result
    errors = [f"{by_rounds[r]:.4f}" if r in by_rounds else "" for r in ROUNDS]
    return dict(zip(FIELDS, (name, model, *errors, f"{taken:.1f}"), strict=True))


def boosted(learner, rows):
    return trained(AdaBoostMHClassifier(learner, n_rounds=ROUNDS[-1], n_jobs=2), *rows)


def scikit_learn(rows):
    X_train, y_train, X_test, y_test = rows
    if hasattr(X_train, "dtypes"):
        X_train, X_test = ordinal(X_train, X_test)
    model = AdaBoostClassifier(n_estimators=ROUNDS[-1], random_state=0)
    return trained(model, X_train, y_train, X_test, y_test)


def trained(model, X_train, y_train, X_test, y_test):
    """The test errors after ROUNDS, and the seconds of the fit."""
    taken = seconds(lambda: model.fit(X_train, y_train))
    stages = enumerate(model.staged_predict(X_test), 1)
    return {r: np.mean(predicted != y_test) for r, predicted in stages if r in ROUNDS}, taken


def ordinal(X_train, X_test):
    """Arrays with categories as numbers in alphabetic order, for models that read numbers only."""
    strings = X_train.select_dtypes("category").columns
    encoder = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2
    ).set_output(transform="pandas")
    encoder.fit(X_train[strings].astype(object))
    coded = (X.assign(**encoder.transform(X[strings].astype(object))) for X in (X_train, X_test))
    return tuple(X.to_numpy(float) for X in coded)


def one_against_all(learner, rows):
    """K two-class boosters with as many trees between them as ours; the largest score wins.

    After r rounds of AdaBoost.MH its rival has r / K rounds per class, so the first columns are
    empty where r < K.
    """
    X_train, y_train, X_test, y_test = rows
    classes = np.unique(y_train)
    models = [
        AdaBoostMHClassifier(learner, n_rounds=ROUNDS[-1] // len(classes), n_jobs=2)
        for _ in classes
    ]
    taken = sum(
        seconds(lambda model=model, k=k: model.fit(X_train, y_train == k))
        for model, k in zip(models, classes, strict=True)
    )
    stages = [list(model.staged_scores(X_test)) for model in models]
    by_rounds = {}
    for r in ROUNDS:
        per_class = r // len(classes)
        if per_class >= 1:
            scores = np.hstack([s[min(per_class, len(s)) - 1] for s in stages])
            by_rounds[r] = np.mean(classes[scores.argmax(axis=1)] != y_test)
    return by_rounds, taken
