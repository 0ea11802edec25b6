"""Rows that wait (_core.LazyRun) on many threads, and what its binding refuses.

Equality with the twin is in tests/engine/test_lazy_walk.py.
"""

import numpy as np
import pytest

import mddag
from mddag import _core
from mddag.engine.purchases import LazyWalk, Purchases
from mddag.ensemble.feature_prices import FeaturePrices
from tests.native.test_walk import forest, noisy_policy

N_ROWS = 5000


def finished(dag, X, n_jobs):
    """All rows, whose groups come as they want them."""
    prices = FeaturePrices.of(dag.ensemble.features)
    walk = LazyWalk(dag.program, Purchases.of(prices, dag.ensemble), len(X), n_jobs)
    waiting = np.arange(len(X))
    while len(waiting):
        lacking = walk.resume(waiting)
        for g in np.flatnonzero(lacking.any(axis=0)).tolist():
            walk.give(g, waiting[lacking[:, g]], X[waiting[lacking[:, g]], g : g + 1])
        waiting = waiting[lacking.any(axis=1)]
    return walk.finish()


@pytest.mark.parametrize("n_scores", [1, 3])
def test_threads_change_nothing(n_scores):
    ensemble = forest(5, n_scores=n_scores)
    dag = mddag.compile(ensemble, noisy_policy(ensemble, 20))
    X = np.random.default_rng(3).normal(size=(N_ROWS, 4))
    one, many = finished(dag, X, 1), finished(dag, X, 4)
    for a, b in zip(one, many, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(one[0], dag.scores(X))


def run(n_rows=3):
    dag = mddag.compile(forest(3, n_trees=5))
    return _core.LazyRun(dag.walk, np.ones((5, 4), np.uint8), n_rows)


def ints(*values):
    return np.array(values, np.int64)


def resumed(of, rows, X=(3, 4), lacking=None):
    wanted = (len(rows), 4) if lacking is None else lacking
    of.resume(np.zeros(X), rows, np.zeros(wanted, np.uint8), 1)


@pytest.mark.parametrize(
    "call",
    [
        lambda of: of.give(ints(3), 0),
        lambda of: of.give(ints(-1), 0),
        lambda of: of.give(ints(1, 1), 0),
        lambda of: of.give(ints(2, 1), 0),
        lambda of: of.give(ints(0), 4),
        lambda of: resumed(of, ints(3)),
        lambda of: resumed(of, ints(0, 0)),
        lambda of: resumed(of, ints(0), X=(2, 4)),
        lambda of: resumed(of, ints(0), X=(3, 3)),
        lambda of: resumed(of, ints(0), lacking=(2, 4)),
        lambda of: resumed(of, ints(0), lacking=(1, 3)),
        lambda of: of.finish(np.zeros((2, 1)), np.zeros(3, np.int32), None),
        lambda of: of.finish(np.zeros((3, 2)), np.zeros(3, np.int32), None),
        lambda of: of.finish(np.zeros((3, 1)), np.zeros(2, np.int32), None),
        lambda of: of.finish(np.zeros((3, 1)), np.zeros(3, np.int32), np.zeros(2, np.int64)),
    ],
)
def test_what_would_leave_the_arrays_is_refused(call):
    with pytest.raises(ValueError, match=r"rows|group|results|lacking"):
        call(run())


def test_wants_of_other_steps_are_refused():
    dag = mddag.compile(forest(3, n_trees=5))
    with pytest.raises(ValueError, match="wants are not those of the steps"):
        _core.LazyRun(dag.walk, np.ones((4, 4), np.uint8), 3)
