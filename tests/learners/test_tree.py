import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.learners import Tree
from mddag.learners.columns import Columns
from tests.learners.problems import assert_same, labels, many_codes, problems
from tests.reference.tree import tree


@given(problems(), st.integers(2, 9))
def test_equals_its_twin(problem, n_leaves):
    _, columns, targets, weights = problem
    got = Tree(n_leaves).fit(columns, targets, weights)
    assert_same(got, tree(columns, targets, weights, n_leaves))


@pytest.mark.parametrize(("n_rows", "n_classes"), [(10, 1), (60, 1), (30, 3), (350, 1)])
def test_equals_its_twin_on_columns_with_many_codes(n_rows, n_classes):
    _, columns, targets, weights = many_codes(1, n_rows, n_classes=n_classes)
    got = Tree(4).fit(columns, targets, weights)
    assert_same(got, tree(columns, targets, weights, 4))


@settings(max_examples=30)
@given(problems())
def test_grows_until_every_row_is_right_or_no_split_helps(problem):
    _, columns, targets, weights = problem
    nodes = Tree(256).fit(columns, targets, weights)
    again = Tree(nodes.n_leaves if nodes.n_leaves > 1 else 2).fit(columns, targets, weights)
    assert_same(nodes, again)


@settings(max_examples=30)
@given(problems())
def test_is_never_worse_than_a_constant_vote(problem):
    _, columns, targets, weights = problem
    nodes = Tree(4).fit(columns, targets, weights)
    edge = (weights * targets * nodes.votes[columns.leaf_codes(nodes)]).sum()
    assert edge >= np.abs((weights * targets).sum(axis=0)).sum() - 1e-12


def test_256_leaves_fit_a_byte():
    rng = np.random.default_rng(0)
    columns = Columns.from_rows(rng.normal(size=(4000, 20)), max_bins=255)
    nodes = Tree(256).fit(columns, *labels(rng, 4000, 1))
    leaves = columns.leaf_codes(nodes)
    assert nodes.n_leaves == 256
    assert leaves.dtype == np.uint8
    assert np.unique(leaves).tolist() == list(range(256))


def test_histograms_too_large_to_keep_change_nothing():
    """Thirty copies of the columns pass the bound on memory; ties go to the first copy."""
    rng = np.random.default_rng(0)
    columns = Columns.from_rows(np.tile(rng.normal(size=(300, 4)), 30), max_bins=255)
    targets, weights = labels(rng, 300, 9)
    few = columns.restricted(np.arange(4))
    assert_same(Tree(256).fit(columns, targets, weights), Tree(256).fit(few, targets, weights))


def test_stops_where_no_split_gains():
    """Signs that alternate by place: no single cut of the rest improves on its constant vote."""
    columns = Columns.from_rows(np.arange(6.0)[:, None])
    targets = np.array([[1], [-1], [1], [-1], [1], [-1]], np.int8)
    assert Tree(6).fit(columns, targets, np.full((6, 1), 1 / 6)).n_leaves == 2


@pytest.mark.parametrize("n_leaves", [1, 257, 2.0, None])
def test_refuses_other_numbers_of_leaves(n_leaves):
    columns = Columns.from_rows([[0.0], [1.0]])
    with pytest.raises(
        ValueError, match=f"n_leaves is {n_leaves}; wanted a whole number from 2 to 256"
    ):
        Tree(n_leaves).fit(columns, np.ones((2, 1), np.int8), np.full((2, 1), 0.5))
