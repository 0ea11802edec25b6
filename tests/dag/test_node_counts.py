"""Node counts are the comparisons on the paths of a trace, of rows and of votes alike."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.dag.node_counts import BITS, RowNodes, visited
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.leaf_depths import LeafDepths, leaf_depths
from mddag.ensemble.nodes import TreeBuilder
from mddag.ensemble.routing import with_regions
from mddag.features.features import Features
from mddag.mdp.grid import Grid
from mddag.mdp.policy import Policy
from tests import strategies


def on_paths(dag, X):
    """Nodes on the paths of a trace, one by one."""
    routed = dag.ensemble.routed
    source = dag.ensemble if routed is None else routed.source
    nodes = LeafDepths.of(source).of_rows(source.votes(X).codes)
    trace = dag.run(X)
    found = []
    for i, row in enumerate(nodes):
        if routed is not None:
            region = routed.routing.regions(X[i : i + 1])[0]
            row = np.append(row, leaf_depths(routed.routing.router)[region])
        found.append(row[trace.path(i)].sum())
    return found


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_of_any_policy(data):
    ensemble = data.draw(strategies.ensembles())
    policy = data.draw(strategies.policies(len(ensemble), ensemble.n_scores))
    X = np.asarray(data.draw(strategies.rows(ensemble.n_features)), np.float64)
    dag = mddag.compile(ensemble, policy)
    wanted = on_paths(dag, X)
    np.testing.assert_array_equal(visited(dag, X), wanted)
    counted = RowNodes(ensemble, ensemble.votes(X), LeafDepths.of(ensemble))
    np.testing.assert_array_equal(counted.under(policy), wanted)


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_with_regions_the_router_counts(data):
    ensemble = data.draw(strategies.uniform_ensembles())
    routing = data.draw(strategies.routings(ensemble))
    X = np.asarray(data.draw(strategies.rows(ensemble.n_features)), np.float64)
    grid = Grid(np.empty(0), ensemble.n_scores)
    policy = Policy.constant(0, routing.n_steps, grid)
    policy = Policy(policy.actions, grid, policy.order, routing=routing)
    dag = mddag.compile(ensemble, policy)
    wanted = on_paths(dag, X)
    np.testing.assert_array_equal(visited(dag, X), wanted)
    votes = with_regions(ensemble.votes(X), [routing], ensemble.features.rows(X))
    counted = RowNodes(ensemble, votes, LeafDepths.of(ensemble))
    np.testing.assert_array_equal(counted.under(policy), wanted)


def test_more_base_classifiers_than_a_number_has_bits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    trees = []
    for _ in range(2 * BITS + 5):
        tree, vote = TreeBuilder(), rng.normal(size=1) / 10
        left, right = tree.leaf(vote), tree.leaf(-vote)
        root = tree.split(int(rng.integers(3)), float(rng.normal()), left, right, True)
        trees.append(tree.finish(root))
    ensemble = Ensemble.from_trees(trees, features=Features(3))
    grid = Grid(np.linspace(-1, 1, 7), 1)
    actions = rng.choice(3, (len(ensemble), grid.n_cells), p=[0.5, 0.49, 0.01]).astype(np.uint8)
    policy = Policy(actions, grid, rng.permutation(len(ensemble)))
    counted = RowNodes(ensemble, ensemble.votes(X), LeafDepths.of(ensemble))
    np.testing.assert_array_equal(
        counted.under(policy), mddag.compile(ensemble, policy).run(X).n_evaluated
    )
    assert (counted.everything() == len(ensemble)).all()
