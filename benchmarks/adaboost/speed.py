"""Training time beside scikit-learn's AdaBoost at equal rounds, interleaved, and on its own.

Wall time tells what threads bring on an idle machine; processor time and its ratio hold on a busy
one, too.
"""

from time import perf_counter, process_time

import numpy as np
from sklearn.ensemble import AdaBoostClassifier

from benchmarks import data
from mddag import AdaBoostMHClassifier
from mddag.learners import Stump, Tree

FIELDS = ("data", "what", "rounds", "seconds", "cpu_seconds", "ratio", "cpu_ratio")
REPEATS = {("electricity", 100): 7, ("electricity", 1000): 2, ("vj pixels", 100): 2}


def speed():
    """Seconds, and ratios scikit-learn / mddag, each from one interleaved pass."""
    rows = {"electricity": electricity(), "vj pixels": data.vj_pixels()}
    for (name, n_rounds), n_repeats in REPEATS.items():
        yield from beside_scikit_learn(name, *rows[name], n_rounds, n_repeats)
    X, y = data.vj_pixels()
    yield from alone("vj pixels", Stump(), X, y, n_rounds=1000)
    X, y = data.mq2008()
    yield from alone("mq2008", Tree(8), X, y, n_rounds=500)


def electricity():
    X_train, y_train, X_test, y_test = data.electricity()
    return np.vstack([X_train, X_test]), np.concatenate([y_train, y_test])


def beside_scikit_learn(name, X, y, n_rounds, n_repeats):
    models = {
        "scikit-learn": AdaBoostClassifier(n_estimators=n_rounds, random_state=0),
        "mddag, 1 thread": AdaBoostMHClassifier(n_rounds=n_rounds, n_threads=1),
        "mddag, 2 threads": AdaBoostMHClassifier(n_rounds=n_rounds, n_threads=2),
    }
    taken = {what: [] for what in models}
    for _ in range(n_repeats):
        for what, model in models.items():
            taken[what].append(timed(model, X, y))
    for what in models:
        yield row(name, what, n_rounds, taken[what], taken["scikit-learn"])


def alone(name, learner, X, y, n_rounds):
    for n_threads in (1, 2):
        model = AdaBoostMHClassifier(learner, n_rounds=n_rounds, n_threads=n_threads)
        taken = [timed(model, X, y) for _ in range(2)]
        yield row(name, f"{learner!r}, {n_threads} thread(s)", n_rounds, taken)


def timed(model, X, y):
    """Wall and processor seconds of a fit."""
    began = perf_counter(), process_time()
    model.fit(X, y)
    return perf_counter() - began[0], process_time() - began[1]


def row(name, what, n_rounds, taken, rival=None):
    """Seconds: the best. Ratios: the median and the range over the interleaved repeats."""
    wall, cpu = np.min(taken, axis=0)
    ratios = ["", ""] if rival is None else [spread(r) for r in np.divide(rival, taken).T]
    cells = (name, what, n_rounds, f"{wall:.2f}", f"{cpu:.2f}", *ratios)
    return dict(zip(FIELDS, cells, strict=True))


def spread(ratios):
    return f"{np.median(ratios):.1f} ({min(ratios):.1f}-{max(ratios):.1f})"
