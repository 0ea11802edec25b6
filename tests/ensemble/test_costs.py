"""Depths of leaves are those of the slow walk, tree by tree."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.ensemble.costs import LeafDepths, read_groups
from mddag.ensemble.ensemble import Ensemble
from tests import strategies
from tests.dag.test_purchases import prices_of
from tests.reference import trees as twin


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_nodes_are_those_that_a_walk_visits(data):
    ensemble = data.draw(strategies.ensembles())
    X = np.asarray(data.draw(strategies.rows(ensemble.n_features)), np.float64)
    found = LeafDepths.of(ensemble).of_rows(ensemble.votes(X).codes)
    rounds = ensemble.tables.rounds
    for row, nodes in zip(X, found, strict=True):
        for j, n in enumerate(nodes):
            trees = [ensemble.tree(t) for t in range(rounds[j], rounds[j + 1])]
            assert n == sum(twin.n_comparisons(tree, row) for tree in trees)


def test_callables_have_no_nodes():
    ensemble = Ensemble.from_callables([lambda X: X[:, 0]], n_features=1)
    with pytest.raises(ValueError, match="callables, which have no nodes"):
        LeafDepths.of(ensemble)


@given(st.data())
@settings(deadline=None, max_examples=100)
def test_groups_are_those_of_the_features_that_trees_read(data):
    ensemble = data.draw(strategies.ensembles())
    prices = data.draw(prices_of(ensemble.n_features))
    found = read_groups(prices, ensemble)
    group = prices.group_of(ensemble.n_features)
    rounds = ensemble.tables.rounds
    for j in range(len(ensemble)):
        trees = [ensemble.tree(t) for t in range(rounds[j], rounds[j + 1])]
        read = {f for tree in trees for f in tree.records["feature"].tolist() if f >= 0}
        assert set(np.flatnonzero(found[j])) == {group[f] for f in read}
