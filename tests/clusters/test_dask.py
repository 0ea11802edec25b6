"""Two worker processes of Dask: scoring, sweeps and cross-validation equal those made here, and a
worker that is killed loses nothing."""

import os
import signal

import joblib
import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

import mddag
from mddag.solvers import Descent, Margin
from tests.clusters.scored_rows import (
    KEEP,
    N_PARTS,
    check,
    features,
    marks,
    model,
    slow_part,
    table,
    wait_for_marks,
)

dd = pytest.importorskip("dask.dataframe", reason="Dask is not installed")


def test_scores_equal_local_ones(dask_client):
    frame = dd.from_pandas(table(), npartitions=5)
    scored = mddag.distributed.score(frame, model(), keep=KEEP, proba=True, evaluations=True)
    assert scored.npartitions == 5
    check(scored.compute())


def loads():
    """How many models this process has loaded."""
    from mddag.integrations.distributed import _loaded

    return _loaded.cache_info().misses


def test_a_worker_loads_a_model_once(dask_client):
    frame = dd.from_pandas(table(), npartitions=9)
    for _ in range(2):
        check(mddag.distributed.score(frame, model(), keep=KEEP).compute())
    assert set(dask_client.run(loads).values()) == {1}


@pytest.fixture
def on_dask(dask_client):
    with joblib.parallel_config(backend="dask"):
        yield dask_client


class Elsewhere:
    """A solver that runs in other processes alone."""

    def __init__(self):
        self.here = os.getpid()

    def solve(self, mdp, selection=None):
        assert os.getpid() != self.here
        return Descent(random_state=0).solve(mdp, selection)


def test_a_sweep_equals_the_local_one(on_dask):
    rows = features(), model().predict(features())
    given = {"betas": [0.001, 0.01, 0.1], "random_state": 0}
    there = mddag.sweep(model(), *rows, solver=Elsewhere(), n_jobs=-1, **given)
    with joblib.parallel_config(backend="sequential"):
        here = mddag.sweep(model(), *rows, solver=Descent(random_state=0), **given)
    assert there.columns.keys() == here.columns.keys()
    for name, column in here.columns.items():
        assert there.columns[name].tolist() == column.tolist(), name
    for one, other in zip(there.policies, here.policies, strict=True):
        assert np.array_equal(one.actions, other.actions)


def test_cross_validation_equals_the_local_one(on_dask):
    boost = mddag.AdaBoostMHClassifier(n_rounds=5)
    estimator = mddag.MDDAGClassifier(boost, beta=0.01, solver=Margin(), random_state=0)
    X = table()[["size"]].to_numpy()
    y = X[:, 0] > 0
    there = cross_val_score(estimator, X, y, cv=3, n_jobs=-1)
    with joblib.parallel_config(backend="sequential"):
        here = cross_val_score(estimator, X, y, cv=3)
    assert there.tolist() == here.tolist()


def test_a_killed_worker_loses_nothing(dask_client, tmp_path):
    """What the other worker had finished is not made again; what the killed one had, is."""
    victim, survivor = dask_client.run(os.getpid).values()
    frame = dd.from_map(slow_part, range(N_PARTS), folder=str(tmp_path), meta=table()[:0])
    scored = mddag.distributed.score(frame, model(), keep=KEEP, proba=True).persist()
    wait_for_marks(tmp_path, 6, lambda: {pid for _, pid in marks(tmp_path)} == {victim, survivor})
    *finished, _ = [part for part, pid in marks(tmp_path) if pid == survivor]  # the last is begun
    os.kill(victim, signal.SIGKILL)
    check(scored.compute())
    read = [part for part, _ in marks(tmp_path)]
    assert set(read) == set(range(N_PARTS))
    assert [read.count(part) for part in finished] == [1] * len(finished)
    assert len(read) > N_PARTS, "the worker was killed too late"
