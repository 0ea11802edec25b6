import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.dag.dag import Dag
from mddag.dag.integer_votes import IntegerVotes
from mddag.mdp.grid import Grid
from mddag.mdp.policy import Policy
from mddag.serving.export.walk_tables import WalkTables
from tests import strategies
from tests.dag.test_dag import stumps
from tests.reference import rollout as twin


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_every_state_goes_where_the_jump_table_says(data):
    """A state is an integer and a top class; its run must lead to the step of its cell."""
    ensemble = data.draw(strategies.ensembles())
    n_scores = ensemble.n_scores
    policy = data.draw(strategies.policies(len(ensemble), n_scores))
    tables = WalkTables.of(Dag(ensemble, policy))
    edges = IntegerVotes.of(ensemble.tables).edges(policy.grid.edges)
    states = np.unique(np.concatenate([edges - 1, edges, edges + 1, [0, 1, 2**31 - 2]]))
    states = states[(states >= (0 if n_scores > 1 else -(2**31) + 1)) & (states < 2**31)]
    consulted = [0, *(tables.steps + 1)][:: policy.every]
    kept = [*tables.steps.tolist(), policy.n_steps]
    for row, step in enumerate(consulted):
        for top in range(n_scores):
            runs = slice(*tables.starts[row * n_scores + top :][:2])
            bounds, jumps = tables.bounds[runs], tables.jumps[runs]
            for state in states:
                cell = top * (len(edges) + 1) + int((edges < state).sum())
                target = kept[jumps[np.searchsorted(bounds, state)]]
                if step < policy.n_steps:
                    assert target == twin.next_step(policy, step, cell)
                else:
                    assert target == policy.n_steps


def test_steps_that_no_cell_evaluates_are_left_out():
    ensemble = stumps(10)
    tables = WalkTables.of(Dag(ensemble, Policy.prefix(3, 10, Grid(np.arange(5.0)))))
    assert tables.steps.tolist() == [0, 1, 2]
    assert len(tables.splits.records) == 3
    assert len(tables.votes) == 6
    assert len(tables.bounds) == 4  # one run before each step and one at the end


def test_trees_stand_in_the_order_of_the_steps():
    ensemble = stumps(4)
    policy = Policy(np.zeros((4, 1)), Grid(np.empty(0)), np.array([2, 0, 3, 1]))
    tables = WalkTables.of(Dag(ensemble, policy))
    thresholds = ensemble.nodes["threshold"][ensemble.nodes["feature"] >= 0]
    np.testing.assert_array_equal(tables.splits.records["threshold"], thresholds[[2, 0, 3, 1]])
