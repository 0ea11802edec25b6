"""Groups of features by base classifier, against the nodes of each tree."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.ensemble.read_groups import read_groups
from tests import strategies
from tests.dag.test_purchases import prices_of


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
