"""Training time compared with scikit-learn's AdaBoost at equal rounds, interleaved, and on its own.

Wall time tells what threads bring on an idle machine; processor time and its ratio hold on a busy
one, too.
"""

import numpy as np
from sklearn.ensemble import AdaBoostClassifier

from benchmarks import data
from benchmarks.clock import wall_and_processor
from benchmarks.table import spread
from mddag import AdaBoostMHClassifier
from mddag.learners import Stump, Tree

FIELDS = ("data", "what", "rounds", "seconds", "cpu_seconds", "ratio", "cpu_ratio")
REPEATS = {("electricity", 100): 7, ("electricity", 1000): 2, ("vj pixels", 100): 2}


def measure():
    """Seconds, and ratios scikit-learn / mddag, each from one interleaved pass."""
    faces, documents = data.read("vj"), data.read("mq2008")
    rows = {"electricity": electricity(), "vj pixels": (faces.X, faces.y)}
    for (name, n_rounds), n_repeats in REPEATS.items():
        yield from beside_scikit_learn(name, *rows[name], n_rounds, n_repeats)
    yield from alone("vj pixels", Stump(), faces.X, faces.y, n_rounds=1000)
    yield from alone("mq2008", Tree(8), documents.X, documents.y, n_rounds=500)


def electricity():
    """All rows, shuffled."""
    X_train, y_train, X_test, y_test = data.train_and_test("electricity")
    return np.vstack([X_train, X_test]), np.concatenate([y_train, y_test])


def beside_scikit_learn(name, X, y, n_rounds, n_repeats):
    models = {
        "scikit-learn": AdaBoostClassifier(n_estimators=n_rounds, random_state=0),
        "mddag, 1 thread": AdaBoostMHClassifier(n_rounds=n_rounds, n_jobs=1),
        "mddag, 2 threads": AdaBoostMHClassifier(n_rounds=n_rounds, n_jobs=2),
    }
    taken = {what: [] for what in models}
    for _ in range(n_repeats):
        for what, model in models.items():
            taken[what].append(wall_and_processor(lambda model=model: model.fit(X, y)))
    for what in models:
        yield row(name, what, n_rounds, taken[what], taken["scikit-learn"])


def alone(name, learner, X, y, n_rounds):
    for n_jobs in (1, 2):
        model = AdaBoostMHClassifier(learner, n_rounds=n_rounds, n_jobs=n_jobs)
        taken = [wall_and_processor(lambda model=model: model.fit(X, y)) for _ in range(2)]
        yield row(name, f"{learner!r}, {n_jobs} thread(s)", n_rounds, taken)


def row(name, what, n_rounds, taken, rival=None):
    """Seconds: the best. Ratios: the median and the range over the interleaved repeats."""
    wall, cpu = np.min(taken, axis=0)
    ratios = ["", ""] if rival is None else [spread(r) for r in np.divide(rival, taken).T]
    cells = (name, what, n_rounds, f"{wall:.2f}", f"{cpu:.2f}", *ratios)
    return dict(zip(FIELDS, cells, strict=True))
