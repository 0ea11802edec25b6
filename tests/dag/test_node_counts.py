"""Node counts are the comparisons on the paths of a trace, of rows and of votes alike."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.dag.node_counts import BITS, RowNodes, visited
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.leaf_depths import LeafDepths
from mddag.ensemble.nodes import TreeBuilder
from mddag.features.features import Features
from mddag.mdp.grid import Grid
from mddag.mdp.policy import Policy
from tests import strategies


def on_paths(dag, X):
    """Nodes on the paths of a trace, one by one."""
    nodes = LeafDepths.of(dag.ensemble).of_rows(dag.ensemble.votes(X).codes)
    trace = dag.run(X)
    return [row[trace.path(i)].sum() for i, row in enumerate(nodes)]


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
