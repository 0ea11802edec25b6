"""Routed policies: every executor, replay and rollout do what the twin does, region by region."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.dag.replay import replay
from mddag.ensemble.routing import Route
from mddag.ensemble.votes import Votes
from mddag.mdp.mdp import MDP
from tests import strategies
from tests.reference import routing as reference


def drawn(data):
    """A routed policy over an ensemble, and rows."""
    ensemble = data.draw(strategies.uniform_ensembles())
    routing = data.draw(strategies.routings(ensemble))
    policy = data.draw(strategies.policies(routing.n_steps, ensemble.n_scores))
    policy = replace(policy, order=np.arange(routing.n_steps)).after(routing)
    return ensemble, routing, policy, data.draw(strategies.rows(ensemble.n_features))


def with_route(votes, routing, X):
    regions = routing.regions(np.ascontiguousarray(X, np.float64))
    return Votes(votes.codes, votes.tables, (Route(routing, regions),))


@given(st.data())
@settings(deadline=None, max_examples=150)
def test_executors_replay_and_paths_are_those_of_the_twin(data):
    ensemble, routing, policy, X = drawn(data)
    dag = mddag.compile(ensemble, policy)
    cells = dag.program.cells
    wanted = [
        reference.path(ensemble, routing, policy, row, lambda f: int(cells(f[None])[0]))
        for row in np.asarray(X, np.float64)
    ]
    trace = dag.run(X)
    bound = dag.fixed_point.bound + 1e-9
    assert [trace.path(i).tolist() for i in range(len(trace))] == [path for _, path in wanted]
    np.testing.assert_allclose(trace.scores, [f for f, _ in wanted], atol=bound)
    for executor in ("walk", "blocks", "regions"):
        other = mddag.compile(ensemble, policy, executor=executor)
        np.testing.assert_array_equal(other.scores(X), trace.scores)
        scores, exits = other.exits(X)
        np.testing.assert_array_equal(scores, trace.scores)
        np.testing.assert_array_equal(exits, trace.exit_step)
        np.testing.assert_array_equal(other.verdicts(X), trace.verdict)
    again = replay(ensemble, policy, with_route(ensemble.votes(X), routing, X))
    np.testing.assert_array_equal(again.scores, trace.scores)
    np.testing.assert_array_equal(again.n_evaluated, trace.n_evaluated)
    np.testing.assert_array_equal(again.exit_step, trace.exit_step)


@given(st.data())
@settings(deadline=None, max_examples=50)
def test_an_mdp_rolls_it_out_where_regions_are_known(data):
    ensemble, routing, policy, X = drawn(data)
    votes = with_route(ensemble.votes(X), routing, X)
    labels = np.zeros(len(X), int)
    composed = mddag.compile(ensemble, policy).ensemble
    mdp, plain = MDP(votes, labels), MDP(composed.votes(X), labels)
    np.testing.assert_array_equal(mdp.rollout(policy)[0], plain.rollout(policy.unrouted)[0])
    np.testing.assert_array_equal(composed.votes(X).codes, routing.votes(votes).codes)
    with pytest.raises(ValueError, match="the regions of these rows are not known"):
        MDP(ensemble.votes(X), labels).evaluate(policy)


@given(st.data())
@settings(deadline=None, max_examples=20)
def test_it_can_be_pickled(data):
    ensemble, _, policy, X = drawn(data)
    dag = mddag.compile(ensemble, policy)
    again = pickle.loads(pickle.dumps(dag))
    np.testing.assert_array_equal(again.scores(X), dag.scores(X))
