"""Verdicts of runs, against twins that walk one action at a time."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.dag.executors.steps import Steps
from mddag.dag.verdicts import codes_by_scores
from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, QUIT, SKIP, Policy
from tests import strategies
from tests.dag.test_dag import stumps
from tests.reference import rollout as twin

GRID = Grid(np.array([0.0]))
SPLITS = 1  # seed of stumps whose first one gives scores of both signs


def steps_of(dag):
    """The executor of any state, which also runs what kernels can run."""
    return Steps(dag.program)


@given(st.data())
@settings(deadline=None, max_examples=150)
def test_verdicts_are_those_of_the_walk_by_single_actions(data):
    ensemble = data.draw(strategies.ensembles())
    X = data.draw(strategies.rows(ensemble.n_features))
    policy = data.draw(strategies.policies(ensemble.n_classifiers, ensemble.n_scores))
    if data.draw(st.booleans()):
        policy = data.draw(strategies.with_verdicts(policy))
    dag = mddag.compile(ensemble, policy)
    wanted = twin.codes(twin.on_rows_in_fixed_point(ensemble, policy, X))
    assert dag.run(X).verdict.tolist() == wanted
    assert dag.verdicts(X).tolist() == wanted
    of_floats = twin.codes(twin.on_rows(ensemble, policy, X))
    executor = steps_of(dag)
    assert executor.run(X, 1).verdict.tolist() == of_floats
    assert executor.verdicts(X, 1).tolist() == of_floats


def test_a_row_that_skips_to_a_quit_has_the_verdict_of_that_decision():
    actions = np.array([[EVAL, EVAL], [SKIP, SKIP], [SKIP, QUIT], [SKIP, EVAL]])
    verdict = np.array([[-1, -1], [-1, -1], [0, 0], [1, 1], [1, -1]])
    ensemble, X = stumps(4, seed=SPLITS), np.random.default_rng(0).normal(size=(40, 2))
    dag = mddag.compile(ensemble, Policy(actions, GRID, np.arange(4), verdict=verdict))
    trace = dag.run(X)
    above = trace.scores[:, 0] > 0
    assert (trace.exit_step == 1).all()
    assert 0 < above.sum() < len(X)
    assert trace.verdict.tolist() == np.where(above, 0, 1).tolist()


def test_by_default_scores_decide():
    ensemble, X = stumps(4, n_scores=3), np.random.default_rng(0).normal(size=(40, 2))
    dag = mddag.compile(ensemble)
    trace = dag.run(X)
    assert trace.verdict.dtype == np.intp
    assert trace.verdict.tolist() == trace.scores.argmax(axis=1).tolist()
    assert (mddag.compile(ensemble, executor="all").verdicts(X) == trace.verdict).all()


def test_numbers_have_no_verdict():
    ensemble = stumps(3)
    regressor = replace(ensemble, task=mddag.ensemble.tasks.Regression())
    X = np.zeros((2, 2))
    assert mddag.compile(regressor).run(X).verdict.tolist() == [-1, -1]
    assert codes_by_scores(regressor, np.ones((2, 1))).tolist() == [-1, -1]
    policy = Policy(np.zeros((3, 2)), GRID, np.arange(3), verdict=np.zeros((4, 2), int))
    with pytest.raises(ValueError, match="verdicts, which are classes, but the ensemble is a reg"):
        mddag.compile(regressor, policy)
