import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.learners import Product, Stump
from mddag.learners.columns import Columns
from tests.learners.problems import assert_same, problems
from tests.reference.columns import leaf
from tests.reference.product import product_votes


@settings(max_examples=60)
@given(problems(max_rows=12), st.integers(1, 4))
def test_votes_equal_its_twin(problem, n_terms):
    X, columns, targets, weights = problem
    nodes = Product(n_terms).fit(columns, targets, weights)
    got = [nodes.votes[leaf(nodes, x)].tolist() for x in X]
    assert got == product_votes(columns, X, targets, weights, n_terms)
    assert columns.leaf_codes(nodes).tolist() == [leaf(nodes, x) for x in X]


@settings(max_examples=30)
@given(problems())
def test_one_term_is_a_stump(problem):
    _, columns, targets, weights = problem
    stump = Stump().fit(columns, targets, weights)
    product = Product(1).fit(columns, targets, weights)
    assert (
        product.votes[columns.leaf_codes(product)] == stump.votes[columns.leaf_codes(stump)]
    ).all()
    if stump.n_leaves > 1:
        assert_same(product, stump)


def test_two_terms_learn_a_tilted_exclusive_or():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (400, 2))
    targets = np.where(X[:, 0] * X[:, 1] > 0, 1, -1).astype(np.int8)[:, None]
    weights = np.where(X[:, :1] > 0, 1.5, 0.5)  # so that one stump alone sees something
    weights[(X[:, :1] > 0) & (X[:, 1:] > 0)] *= 1.5
    columns = Columns.from_rows(X)
    weights /= weights.sum()
    nodes = Product(2).fit(columns, targets, weights)
    right = nodes.votes[columns.leaf_codes(nodes)] == targets
    assert weights[right].sum() > 0.95
    assert nodes.n_leaves == 4


@pytest.mark.parametrize("n_terms", [0, 9, 1.0, None])
def test_refuses_other_numbers_of_terms(n_terms):
    columns = Columns.from_rows([[0.0], [1.0]])
    with pytest.raises(
        ValueError, match=f"n_terms is {n_terms}; wanted a whole number from 1 to 8"
    ):
        Product(n_terms).fit(columns, np.ones((2, 1), np.int8), np.full((2, 1), 0.5))
