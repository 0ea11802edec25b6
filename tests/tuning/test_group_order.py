"""Orders of groups, and the sets that they give."""

import numpy as np
import pytest

from mddag.tuning.group_order import MOST_PREFIXES, candidate_sets, group_orders, prefixes
from tests.solvers.acquisition.problems import prices


def problem(n_groups, seed=0):
    """Column 2 decides, column 0 helps, the rest is noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2000, n_groups))
    return X, (X[:, 2] * 2 + X[:, 0] > 0).astype(int), np.ones(n_groups, bool)


def test_few_groups_have_all_subsets():
    X, y, full = problem(3)
    assert len(candidate_sets(prices(), full, X, y, 0)) == 8
    assert len(candidate_sets(prices(), np.array([True, True, False]), X, y, 0)) == 4


def test_the_group_that_decides_comes_first():
    X, y, full = problem(8)
    orders = group_orders(prices((1.0,) * 8), full, X, y, 0)
    assert orders[0][:2] == [2, 0]
    assert orders[1][0] != 2
    assert all(sorted(order) == list(range(8)) for order in orders)
    sets = candidate_sets(prices((1.0,) * 8), full, X, y, 0)
    assert any(held.sum() == 1 and held[2] for held in sets)


def test_a_dear_group_comes_later():
    X, y, full = problem(8)
    dear = prices((1.0, 1.0, 1000.0) + (1.0,) * 5)
    assert group_orders(dear, full, X, y, 0)[0][0] == 0


def test_one_order_is_for_rows_that_are_undecided():
    """Column 1 decides most rows, but for some noise; column 3 decides the others."""
    rng = np.random.default_rng(0)
    X, n = rng.normal(size=(4000, 8)), 4000
    sure = rng.random(n) < 0.7
    X[:, 1] = np.where(sure, np.sign(X[:, 1]) * 3, 0.0)
    likely = np.where(rng.random(n) < 0.9, X[:, 1], -X[:, 1])
    y = (np.where(sure, likely, X[:, 3]) > 0).astype(int)
    orders = group_orders(prices((1.0,) * 8), np.ones(8, bool), X, y, 0)
    assert len(orders) == 3
    assert orders[-1][:2] == [1, 3]


@pytest.mark.parametrize("n", [3, 40])
def test_prefixes_grow_to_all(n):
    order = list(range(n))[::-1]
    sets = prefixes(prices((1.0,) * n), np.ones(n, bool), order)
    sizes = [int(held.sum()) for held in sets]
    assert sizes == sorted(set(sizes))
    assert sizes[0] == 1
    assert sizes[-1] == n
    assert len(sizes) <= MOST_PREFIXES
