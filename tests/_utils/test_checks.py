"""Parameters, and `n_jobs` wherever it is accepted: a whole number from 1, or -1 for all cores."""

import os

import numpy as np
import pytest
from sklearn.base import clone

import mddag
from mddag._utils.checks import MOST_THREADS, checked_jobs
from mddag._utils.warnings import DoubtfulResult, doubt
from mddag.learners import Stump, Tree
from mddag.learners.columns import Columns
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor
from mddag.solvers import Descent, Portfolio, Sarsa
from mddag.solvers.descent import Guards, Sweep
from mddag.solvers.sarsa import Flat
from mddag.solvers.values import RadialBasis, Table


@pytest.mark.parametrize("learner", [Stump(), Tree(), Tree(n_leaves=5)])
def test_repr_is_the_constructor_call_and_clones_are_equal(learner):
    assert eval(repr(learner)) == learner
    assert clone(learner) == learner
    assert clone(learner) is not learner


def test_parameters_are_set_by_name():
    assert Tree().set_params(n_leaves=4) == Tree(4)
    assert Tree(4).get_params() == {"n_leaves": 4}


def test_parameters_of_parameters():
    solver = Sarsa(values=Table(5))
    assert solver.get_params()["values__n_bins"] == 5
    assert "values__n_bins" not in solver.get_params(deep=False)
    solver.set_params(values=RadialBasis(), values__n_centers=3, rate=0.1)
    assert solver == Sarsa(values=RadialBasis(n_centers=3), rate=0.1)
    assert clone(solver) == solver
    assert clone(solver).values is not solver.values


def test_refuses_parameters_of_what_has_none():
    with pytest.raises(ValueError, match=r"Sarsa.values is None, which has no parameters; set val"):
        Sarsa().set_params(values__n_bins=5)
    with pytest.raises(ValueError, match="Table has no parameter 'n_bin'"):
        Sarsa(values=Table()).set_params(values__n_bin=5)


def test_what_a_constructor_refuses_cannot_be_set():
    exploration = Flat()
    with pytest.raises(ValueError, match="start is 2; wanted a probability"):
        exploration.set_params(start=2, period=5)
    assert exploration == Flat()


X = np.random.default_rng(0).normal(size=(600, 3))
Y = (X[:, 0] + 0.3 * X[:, 1] > 0).astype(int)
BOOST = mddag.AdaBoostMHClassifier(n_rounds=8).fit(X, Y)
DAG = mddag.compile(BOOST.ensemble_)
MDP = mddag.MDP(BOOST.ensemble_.votes(X), Y, beta=0.01)


def test_minus_one_is_all_cores_that_the_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 2, 5}, raising=False)
    assert checked_jobs(-1) == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert checked_jobs(-1) == 7
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert checked_jobs(-1) == 1


@pytest.mark.parametrize(("given", "wanted"), [(1, 1), (np.int8(3), 3), (10**12, MOST_THREADS)])
def test_whole_numbers_are_taken_up_to_a_limit(given, wanted):
    assert checked_jobs(given) == wanted
    assert type(checked_jobs(given)) is int


@pytest.mark.parametrize("given", [0, -2, 1.5, "2", True])
def test_other_values_are_refused(given):
    with pytest.raises(ValueError, match="n_jobs is"):
        checked_jobs(given)


def swept(n):
    sweep = Sweep(MDP, n_jobs=n)
    return sweep(np.zeros((len(BOOST.ensemble_), MDP.grid.n_cells), np.uint8), Guards())


def stump(columns):
    targets = np.where(Y > 0, 1, -1)[:, None].astype(np.int8)
    return Stump().fit(columns, targets, np.full((len(Y), 1), 1 / len(Y))).votes


CALLS = {
    "sparsify": lambda n: mddag.sparsify(BOOST, X, Y, beta=0.01, n_jobs=n).predict(X),
    "MDDAGClassifier": lambda n: (
        mddag.MDDAGClassifier(BOOST, n_jobs=n, random_state=0).fit(X, Y).predict(X)
    ),
    "AdaBoost": lambda n: (
        mddag.AdaBoostMHClassifier(n_rounds=8, n_jobs=n).fit(X, Y).decision_function(X)
    ),
    "early stopping": lambda n: (
        mddag.AdaBoostMHClassifier(n_rounds=8, early_stopping=5, n_jobs=n, random_state=0)
        .fit(X, Y)
        .decision_function(X)
    ),
    "Descent": lambda n: Descent(random_state=0, n_jobs=n).solve(MDP).actions,
    "Portfolio": lambda n: Portfolio(random_state=0, n_jobs=n).solve(MDP).actions,
    "Sweep": swept,
    "sweep": lambda n: mddag.sweep(BOOST, X, Y, betas=[0.01], n_jobs=n).train_loss,
    "Predictor": lambda n: Predictor(Model(DAG), n_jobs=n).predict(X),
    "Ensemble.scores": lambda n: BOOST.ensemble_.scores(X, n_jobs=n),
    "Ensemble.votes": lambda n: BOOST.ensemble_.votes(X, n_jobs=n).codes,
    "Dag.scores": lambda n: DAG.scores(X, n_jobs=n),
    "Dag.run": lambda n: DAG.run(X, n_jobs=n).n_evaluated,
    "Dag.exits": lambda n: DAG.exits(X, n_jobs=n)[0],
    "Dag.n_evaluated": lambda n: DAG.n_evaluated(X, n_jobs=n),
    "MDP.rollout": lambda n: MDP.rollout(MDP.evaluate_all(), n_jobs=n)[0],
    "Columns": lambda n: stump(Columns.from_rows(X, n_jobs=n)),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("n_jobs", [-1, 10**12])
def test_every_call_takes_them_and_the_answer_is_that_of_one_thread(call, n_jobs):
    np.testing.assert_array_equal(CALLS[call](n_jobs), CALLS[call](1))


@pytest.mark.parametrize("call", sorted(CALLS.keys() - {"sweep"}))  # there the number is joblib's
@pytest.mark.parametrize("n_jobs", [0, -2])
def test_every_call_refuses_the_same_ones(call, n_jobs):
    with pytest.raises(ValueError, match=f"n_jobs is {n_jobs}"):
        CALLS[call](n_jobs)


def test_a_doubt_points_to_the_line_outside_of_the_package():
    with pytest.warns(DoubtfulResult, match="perhaps") as told:
        doubt("perhaps")
    assert told[0].filename == __file__
    assert issubclass(mddag.DoubtfulResult, UserWarning)
