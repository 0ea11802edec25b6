"""Rows that get their groups one by one end where whole rows end; on the way they wait for what the
next base classifier of their path reads, and for nothing else."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.engine.purchases import LazyWalk, Purchases
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.feature_prices import FeaturePrices
from mddag.ensemble.features import Features
from tests import strategies
from tests.engine.test_trace import prices_of
from tests.reference import serving as twin


def drawn(data):
    """A DAG of any sort with prices, and rows."""
    ensemble = data.draw(strategies.ensembles())
    sort = data.draw(st.sampled_from(["plain", "verdicts", "stages"]))
    X = data.draw(strategies.rows(ensemble.n_features))
    policy = data.draw(strategies.policies(ensemble.n_classifiers, ensemble.n_scores))
    if sort == "stages":
        n_scores = ensemble.n_scores
        policy = data.draw(strategies.staged_policies(ensemble.n_classifiers, n_scores))
    elif sort == "verdicts":
        policy = data.draw(strategies.with_verdicts(policy))
    prices = data.draw(prices_of(ensemble.n_features))
    return mddag.compile(ensemble, policy, purchases=Purchases.of(prices, ensemble)), X


@given(st.data())
@settings(deadline=None, max_examples=150)
def test_rows_wait_where_the_twin_waits(data):
    dag, X = drawn(data)
    n_jobs, buys = data.draw(st.sampled_from([1, 2])), dag.purchases.buys
    walk, trace = LazyWalk(dag.program, dag.purchases, len(X), n_jobs), dag.run(X)
    had = [set() for _ in X]
    for _ in range(data.draw(st.integers(1, 4))):
        rows = np.flatnonzero([data.draw(st.booleans()) for _ in X])
        lacking = walk.resume(rows)
        for row, lacks in zip(rows, lacking, strict=True):
            assert set(np.flatnonzero(lacks)) == twin.reached(trace.path(row), buys, had[row])[1]
        g = data.draw(st.integers(0, lacking.shape[1] - 1))
        walk.give(g, rows, X[rows][:, dag.purchases.prices.columns[g]])
        for row in rows:
            had[row].add(g)
    walk.resume(np.arange(len(X)))
    _, exit_step, _ = walk.finish()
    step_of = np.argsort(dag.policy.order)
    for row in range(len(X)):
        n, _ = twin.reached(trace.path(row), buys, had[row])
        assert exit_step[row] == (step_of[trace.path(row)[n - 1]] + 1 if n else 0)
    for g, columns in enumerate(dag.purchases.prices.columns):
        walk.give(g, np.arange(len(X)), X[:, columns])
    assert not walk.resume(np.arange(len(X))).any()
    for mine, theirs in zip(walk.finish(), dag.exits(X), strict=False):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(walk.finish()[2], trace.verdict)


def test_what_cannot_wait_is_refused():
    callables = Ensemble.from_callables([lambda X: X[:, 0]], n_features=1)
    with pytest.raises(ValueError, match="callables, which read whole rows; use predict"):
        Purchases.of(FeaturePrices.of(Features(1)), callables)
