"""Training time beside scikit-learn's AdaBoost at equal rounds, interleaved, and on its own."""

from time import perf_counter

import adaboost_data as data
import numpy as np
from sklearn.ensemble import AdaBoostClassifier

from mddag import AdaBoostMHClassifier
from mddag.learners import Stump, Tree

FIELDS = ("data", "what", "rounds", "seconds", "seconds_spread", "ratio", "ratio_spread")
REPEATS = {"electricity": 5, "vj pixels": 3}


def speed():
    """Seconds, and ratios scikit-learn / mddag, each from one interleaved pass."""
    for name, (X, y) in {"electricity": electricity(), "vj pixels": data.vj_pixels()}.items():
        yield from beside_scikit_learn(name, X, y, n_rounds=100)
    X, y = data.vj_pixels()
    yield from alone("vj pixels", Stump(), X, y, n_rounds=1000)
    X, y = data.mq2008()
    yield from alone("mq2008", Tree(8), X, y, n_rounds=500)


def electricity():
    X_train, y_train, X_test, y_test = data.electricity()
    return np.vstack([X_train, X_test]), np.concatenate([y_train, y_test])


def beside_scikit_learn(name, X, y, n_rounds):
    models = {
        "scikit-learn": AdaBoostClassifier(n_estimators=n_rounds, random_state=0),
        "mddag, 1 thread": AdaBoostMHClassifier(n_rounds=n_rounds, n_threads=1),
        "mddag, 2 threads": AdaBoostMHClassifier(n_rounds=n_rounds, n_threads=2),
    }
    seconds = {what: [] for what in models}
    for _ in range(REPEATS[name]):
        for what, model in models.items():
            seconds[what].append(timed(model, X, y))
    for what, taken in seconds.items():
        yield row(name, what, n_rounds, taken, np.divide(seconds["scikit-learn"], taken))


def alone(name, learner, X, y, n_rounds):
    for n_threads in (1, 2):
        model = AdaBoostMHClassifier(learner, n_rounds=n_rounds, n_threads=n_threads)
        taken = [timed(model, X, y) for _ in range(3)]
        yield row(name, f"{learner!r}, {n_threads} thread(s)", n_rounds, taken)


def timed(model, X, y):
    began = perf_counter()
    model.fit(X, y)
    return perf_counter() - began


def row(name, what, n_rounds, taken, ratios=()):
    """Seconds: best and all; ratios: median and range."""
    cells = [name, what, n_rounds, f"{min(taken):.2f}", f"{min(taken):.2f}-{max(taken):.2f}"]
    if len(ratios):
        cells += [f"{np.median(ratios):.1f}", f"{min(ratios):.1f}-{max(ratios):.1f}"]
    else:
        cells += ["", ""]
    return dict(zip(FIELDS, cells, strict=True))
