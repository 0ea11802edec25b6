from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.ensemble.nodes import TreeBuilder
from mddag.ensemble.routing import Route, Routing, before, uniform
from mddag.ensemble.votes import Votes
from tests import strategies
from tests.reference.trees import leaf_code


@given(st.data())
@settings(deadline=None, max_examples=50)
def test_votes_are_those_of_the_region(data):
    ensemble = data.draw(strategies.uniform_ensembles())
    routing = data.draw(strategies.routings(ensemble))
    X = np.asarray(data.draw(strategies.rows(ensemble.n_features)), np.float64)
    regions = routing.regions(X)
    assert regions.tolist() == [leaf_code(routing.router, row) for row in X]
    votes = ensemble.votes(X)
    found = routing.votes(Votes(votes.codes, votes.tables, (Route(routing, regions),)))
    np.testing.assert_array_equal(found.codes[:, 0], regions)
    assert found.tables.n_classifiers == routing.n_steps
    leaves = ensemble.tables.n_leaves[routing.trees(ensemble.tables)]
    for i, q in enumerate(regions):
        own = votes.codes[i, routing.trees(ensemble.tables)[q]]
        assert (found.codes[i, 1:] == own + before(leaves)[q]).all()


@given(st.data())
@settings(deadline=None, max_examples=20)
def test_routes_go_with_the_rows(data):
    ensemble = data.draw(strategies.uniform_ensembles())
    routing = data.draw(strategies.routings(ensemble))
    X = np.asarray(data.draw(strategies.rows(ensemble.n_features)), np.float64)
    votes = ensemble.votes(X)
    routed = Votes(votes.codes, votes.tables, (Route(routing, routing.regions(X)),))
    some = np.arange(len(X))[::2]
    np.testing.assert_array_equal(
        routed.rows(some).regions_of(routing), routing.regions(np.ascontiguousarray(X[some]))
    )
    with pytest.raises(ValueError, match="are not known"):
        votes.regions_of(routing)


@given(st.data())
@settings(deadline=None, max_examples=20)
def test_what_does_not_fit_is_refused(data):
    ensemble = data.draw(strategies.uniform_ensembles())
    routing = data.draw(strategies.routings(ensemble))
    with pytest.raises(ValueError, match="wanted base classifiers"):
        replace(routing, order=routing.order[:, 0])
    with pytest.raises(ValueError, match="tables are for"):
        replace(routing, order=np.hstack([routing.order, routing.order]))
    other = replace(routing, order=routing.order + len(ensemble))
    with pytest.raises(ValueError, match="wanted the ensemble that it was made for"):
        other.check(ensemble.tables)
    tree = TreeBuilder()
    leaves = [tree.leaf(np.zeros(1)) for _ in range(2)]
    nominal = tree.finish(tree.nominal_split(0, np.array([1]), *leaves, False))
    with pytest.raises(ValueError, match="splits by categories"):
        replace(routing, router=nominal)


def test_base_classifiers_that_differ_are_not_uniform():
    tables = Votes.from_dense(np.zeros((2, 3, 2))).tables
    assert uniform(tables)
    assert not uniform(replace(tables, rounds=np.array([0, 1, 3])))
    assert not uniform(
        replace(
            tables,
            rounds=np.array([0])[:1],
            score=tables.score[:0],
            starts=tables.starts[:1],
            values=tables.values[:0],
        )
    )
    assert isinstance(Routing, type)
