from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag import Ensemble
from mddag.dag.program import Program
from mddag.inspection.explanation.explain import walk
from mddag.mdp.policy import QUIT, SKIP
from tests import strategies
from tests.dag.executors.test_steps import trees_twin


def assert_same(dag, X):
    """Every row's walk is its path in the trace, with the same bits of scores."""
    trace = dag.run(X)
    rows = dag.ensemble.features.rows(X)
    for i in range(len(trace)):
        walked = walk(dag.program, rows[[i]])
        assert [v.classifier for v in walked.visits] == trace.path(i).tolist()
        np.testing.assert_array_equal(walked.scores, trace.scores[i])
        last = walked.visits[-1].step + 1 if walked.visits else 0
        assert last == trace.exit_step[i]
        assert_ends(dag.policy, walked)


def assert_ends(policy, walked):
    """Every step is evaluated, skipped or behind the decision that quits."""
    if walked.decision < len(policy.actions):
        assert policy.actions[walked.decision, walked.cell] == QUIT
    seen = [j for v in walked.visits for j in (*v.skipped, v.classifier)] + [*walked.skipped]
    assert seen == policy.order[: walked.decision * policy.every].tolist()


@given(st.data())
@settings(deadline=None, max_examples=100)
def test_trees_go_the_way_of_the_executors(data):
    ensemble = data.draw(strategies.ensembles())
    X = data.draw(strategies.rows(ensemble.n_features))
    policy = data.draw(strategies.policies(ensemble.n_classifiers, ensemble.n_scores))
    assert_same(mddag.compile(ensemble, policy), X)


@given(st.data())
@settings(deadline=None, max_examples=50)
def test_stages_go_the_way_of_the_executors(data):
    ensemble = data.draw(strategies.ensembles(n_scores=1))
    X = data.draw(strategies.rows(ensemble.n_features))
    policy = data.draw(strategies.staged_policies(ensemble.n_classifiers))
    assert_same(mddag.compile(ensemble, policy), X)


@given(st.data())
@settings(deadline=None, max_examples=30)
def test_callables_go_the_way_of_the_executors(data):
    source = data.draw(strategies.ensembles().filter(lambda e: e.n_classifiers > 0))
    X = data.draw(strategies.rows(source.n_features))
    policy = data.draw(strategies.policies(source.n_classifiers, source.n_scores))
    voters = [
        lambda rows, j=j: trees_twin.votes(source, rows)[:, j] for j in range(source.n_classifiers)
    ]
    ensemble = Ensemble.from_callables(voters, n_features=source.n_features, bias=source.bias)
    assert_same(mddag.compile(ensemble, policy), X)


def test_what_is_skipped_last_belongs_to_no_visit():
    ensemble = mddag.Ensemble.from_callables([np.ndarray.sum] * 3, n_features=1)
    policy = mddag.Policy.constant(SKIP, 3, mddag.Grid(np.empty(0)))
    program = Program(ensemble, replace(policy, order=np.array([2, 0, 1])))
    walked = walk(program, ensemble.features.rows(np.zeros((1, 1))))
    assert walked.visits == ()
    assert walked.skipped == (2, 0, 1)
    assert walked.decision == 3
