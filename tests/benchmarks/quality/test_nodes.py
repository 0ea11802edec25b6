"""Nodes are those that a row passes, tree by tree."""

import numpy as np
import pytest

import mddag
from benchmarks.quality.nodes import depths_of, mean_nodes, walked
from mddag.solvers import Portfolio
from tests.benchmarks.quality.models import ensemble, rows


def visited(tree, x):
    """The splits on the way of one row, node by node."""
    at, n = 0, 0
    while tree["feature"][at] >= 0:
        node = tree[at]
        at, n = node["left"] if x[node["feature"]] <= node["threshold"] else node["right"], n + 1
    return n


@pytest.mark.parametrize("n_classes", [2, 3])
def test_nodes_of_a_policy_are_those_of_its_paths(n_classes):
    X, y = rows(n_classes)
    model = ensemble(X, y)
    votes = model.votes(X)
    policy = Portfolio(random_state=0).solve(mddag.MDP(votes, y, beta=0.005))
    found = walked(policy, votes, depths_of(model))
    trace = mddag.compile(model, policy).run(X)
    np.testing.assert_array_equal(found.evaluations, trace.n_evaluated)
    np.testing.assert_array_equal(found.winners, trace.verdict)
    for i in range(0, len(X), 37):
        trees = [t for j in trace.path(i) for t in range(*model.tables.rounds[j : j + 2])]
        assert found.nodes[i] == sum(visited(model.tree(t).records, X[i]) for t in trees)


def test_mean_nodes_of_base_classifiers():
    X, y = rows(3)
    model = ensemble(X, y)
    per_tree = [
        np.mean([visited(model.tree(t).records, x) for x in X]) for t in range(model.n_trees)
    ]
    expected = np.reshape(per_tree, (-1, 3)).sum(axis=1)
    np.testing.assert_allclose(mean_nodes(model.votes(X), depths_of(model)), expected)
