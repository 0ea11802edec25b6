"""`n_threads` wherever it is accepted: any whole number from 1 on, or -1 for all cores."""

import os

import numpy as np
import pytest

import mddag
from mddag._internal.checks import MOST_THREADS, checked_threads
from mddag.learners import Stump
from mddag.learners.columns import Columns
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor
from mddag.solvers import Descent, Portfolio
from mddag.solvers.descent import Guards, Sweep

X = np.random.default_rng(0).normal(size=(600, 3))
Y = (X[:, 0] + 0.3 * X[:, 1] > 0).astype(int)
BOOST = mddag.AdaBoostMHClassifier(n_rounds=8).fit(X, Y)
DAG = mddag.compile(BOOST.ensemble_)
MDP = mddag.MDP(BOOST.ensemble_.votes(X), Y, beta=0.01)


def test_minus_one_is_all_cores_that_the_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 2, 5}, raising=False)
    assert checked_threads(-1) == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert checked_threads(-1) == 7
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert checked_threads(-1) == 1


@pytest.mark.parametrize(("given", "wanted"), [(1, 1), (np.int8(3), 3), (10**12, MOST_THREADS)])
def test_whole_numbers_are_taken_up_to_a_limit(given, wanted):
    assert checked_threads(given) == wanted
    assert type(checked_threads(given)) is int


@pytest.mark.parametrize("given", [0, -2, -(10**12), 1.5, None, "2", True, np.float64(2)])
def test_other_values_are_refused(given):
    with pytest.raises(ValueError, match="wanted a whole number, 1 or more, or -1 for all cores"):
        checked_threads(given)


def swept(n):
    sweep = Sweep(MDP, n_threads=n)
    return sweep(np.zeros((len(BOOST.ensemble_), MDP.grid.n_cells), np.uint8), Guards())


def stump(columns):
    targets = np.where(Y > 0, 1, -1)[:, None].astype(np.int8)
    return Stump().fit(columns, targets, np.full((len(Y), 1), 1 / len(Y))).votes


CALLS = {
    "sparsify": lambda n: mddag.sparsify(BOOST, X, Y, beta=0.01, n_threads=n).predict(X),
    "MDDAGClassifier": lambda n: (
        mddag.MDDAGClassifier(BOOST, n_threads=n, random_state=0).fit(X, Y).predict(X)
    ),
    "AdaBoost": lambda n: (
        mddag.AdaBoostMHClassifier(n_rounds=8, n_threads=n).fit(X, Y).decision_function(X)
    ),
    "early stopping": lambda n: (
        mddag.AdaBoostMHClassifier(n_rounds=8, early_stopping=5, n_threads=n, random_state=0)
        .fit(X, Y)
        .decision_function(X)
    ),
    "Descent": lambda n: Descent(random_state=0, n_threads=n).solve(MDP).actions,
    "Portfolio": lambda n: Portfolio(random_state=0, n_threads=n).solve(MDP).actions,
    "Sweep": swept,
    "sweep": lambda n: mddag.sweep(BOOST, X, Y, betas=[0.01], n_jobs=n).train_loss,
    "Predictor": lambda n: Predictor(Model(DAG), n_threads=n).predict(X),
    "Ensemble.scores": lambda n: BOOST.ensemble_.scores(X, n_threads=n),
    "Ensemble.votes": lambda n: BOOST.ensemble_.votes(X, n_threads=n).codes,
    "Dag.scores": lambda n: DAG.scores(X, n_threads=n),
    "Dag.run": lambda n: DAG.run(X, n_threads=n).n_evaluated,
    "Dag.exits": lambda n: DAG.exits(X, n_threads=n)[0],
    "Dag.lengths": lambda n: DAG.lengths(X, n_threads=n)[2],
    "MDP.rollout": lambda n: MDP.rollout(MDP.evaluate_all(), n_threads=n)[0],
    "Columns": lambda n: stump(Columns.from_rows(X, n_threads=n)),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("n_threads", [-1, 10**12])
def test_every_call_takes_them_and_the_answer_is_that_of_one_thread(call, n_threads):
    np.testing.assert_array_equal(CALLS[call](n_threads), CALLS[call](1))


@pytest.mark.parametrize("call", sorted(CALLS.keys() - {"sweep"}))  # there the number is joblib's
@pytest.mark.parametrize("n_threads", [0, -2])
def test_every_call_refuses_the_same_ones(call, n_threads):
    with pytest.raises(ValueError, match=f"n_threads is {n_threads}; wanted a whole number"):
        CALLS[call](n_threads)
