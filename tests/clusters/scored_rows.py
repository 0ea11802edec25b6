"""A table with a key, numbers, names and a label; a model of it; parts that outlive a worker."""

import os
import signal
import threading
import time
from functools import cache
from pathlib import Path

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


# Parts of the table that take a while and leave a mark, so that a worker can be killed in between.
#
# A mark is a file named by the part and the process that read it: marks tell who did what, and how
# often.


N_PARTS = 12
SECONDS = 0.15  # of a part


def slow_part(number, folder):
    """Rows of a part; its mark is written first."""
    Path(folder, f"{number}-{os.getpid()}-{time.monotonic_ns()}").touch()
    time.sleep(SECONDS)
    size = N_ROWS // N_PARTS
    return table()[number * size : (number + 1) * size].reset_index(drop=True)


def marks(folder):
    """(part, process) of every reading, in the order of time."""
    names = sorted((path.name for path in Path(folder).iterdir()), key=lambda n: n.split("-")[2])
    return [tuple(map(int, name.split("-")[:2])) for name in names]


def wait_for_marks(folder, n, ready=lambda: True):
    """Until `n` parts are begun and something is `ready`; nothing here takes a minute."""
    end = time.monotonic() + 60
    while len(marks(folder)) < n or not ready():
        assert time.monotonic() < end, "the cluster did not begin"
        time.sleep(0.02)


def result_despite_a_kill(compute, folder):
    """What `compute` returns, though the process of the latest part is killed in mid-run."""
    found = []
    running = threading.Thread(target=lambda: found.append(compute()))
    running.start()
    wait_for_marks(folder, 5)
    victim = marks(folder)[-1][1]
    os.kill(victim, signal.SIGKILL)
    running.join()
    assert any(pid != victim for _, pid in marks(folder))
    return found[0]
