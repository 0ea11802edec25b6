import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.engine.executors.steps import Steps
from mddag.engine.program import Program
from mddag.ensemble.ensemble import Ensemble
from mddag.policy.grid import Grid
from mddag.policy.policy import Policy
from tests import strategies
from tests.engine.test_dag import assert_equal_walks
from tests.reference import rollout as twin
from tests.reference import trees as trees_twin


@given(st.data())
@settings(deadline=None, max_examples=50)
def test_callables_equal_the_twin(data):
    source = data.draw(strategies.ensembles().filter(lambda e: e.n_classifiers > 0))
    X = data.draw(strategies.rows(source.n_features))
    policy = data.draw(strategies.policies(source.n_classifiers, source.n_scores))

    def voter(j):
        return lambda rows: trees_twin.votes(source, rows)[:, j]

    voters = [voter(j) for j in range(source.n_classifiers)]
    ensemble = Ensemble.from_callables(voters, n_features=source.n_features, bias=source.bias)
    dag = mddag.compile(ensemble, policy)
    dense = trees_twin.votes(source, X)
    walks = [
        twin.follow(lambda j, i=i: [dense[i, j]], policy, ensemble.bias, ensemble.cost)
        for i in range(len(X))
    ]
    assert_equal_walks(dag.run(X), walks)
    np.testing.assert_array_equal(dag.scores(X), [w.scores for w in walks])
    scores, exit_step = dag.exits(X)
    np.testing.assert_array_equal(scores, [w.scores for w in walks])
    assert exit_step.tolist() == [w.exit_step for w in walks]


@given(st.data())
@settings(deadline=None, max_examples=50)
def test_trees_equal_the_twin_in_floats(data):
    """Sums of whole votes are exact: in which order trees are added makes no difference."""
    ensemble = twin.in_fixed_point(data.draw(strategies.ensembles()))
    X = data.draw(strategies.rows(ensemble.n_features))
    policy = data.draw(strategies.policies(ensemble.n_classifiers, ensemble.n_scores))
    assert_equal_walks(
        Steps(Program(ensemble, policy)).run(X, 1), twin.on_rows(ensemble, policy, X)
    )


def test_each_base_classifier_is_called_once_on_the_rows_that_evaluate_it():
    calls = []

    def voter(j):
        return lambda rows: (calls.append((j, len(rows))), rows[:, 0])[1]

    ensemble = Ensemble.from_callables([voter(j) for j in range(3)], n_features=1)
    actions = np.array([[0, 0], [0, 2], [0, 1]])  # rows above 0 quit after the first
    dag = mddag.compile(ensemble, Policy(actions, Grid(np.zeros(1)), np.array([2, 0, 1])))
    trace = dag.run(np.array([[-1.0], [1.0], [-2.0]]))
    assert calls == [(2, 3), (0, 2), (1, 2)]
    assert [trace.path(i).tolist() for i in range(3)] == [[2, 0, 1], [2], [2, 0, 1]]
