import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.mdp.grid import Grid
from mddag.mdp.policy import Policy
from mddag.solvers.front import JudgedCandidates, front, rounded, spaced_front, worth

numbers = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 8)), min_size=1, max_size=12)


@given(numbers)
@settings(deadline=None)
def test_nobody_on_the_front_is_beaten_by_a_cheaper_one(pairs):
    losses, costs = np.array(pairs, float).T
    found = front(losses, costs)
    assert (np.diff(costs[found]) > 0).all()
    assert (np.diff(losses[found]) <= 0).all()
    for i in range(len(losses)):
        beaten = ((costs < costs[i]) & (losses < losses[i])).any()
        on_it = [(losses[k], costs[k]) for k in found]
        assert (
            beaten
            or losses[i] > losses[costs == costs[i]].min()
            or ((losses[i], costs[i]) in on_it)
        )


@given(numbers)
@settings(deadline=None)
def test_a_spaced_front_is_a_ratio_apart_and_its_prices_are_what_each_saves(pairs):
    losses, costs = np.array(pairs, float).T
    found = spaced_front(losses, costs, 1.5)
    at = [i for _, i in found]
    assert set(at) <= set(front(losses, costs).tolist())
    assert (costs[at][1:] * 1.5 <= costs[at][:-1]).all()
    assert at[-1] == front(losses, costs)[0] or costs[at[-1]] < 1.5 * costs.min()
    prices = [price for price, _ in found]
    assert min(prices) >= 0
    assert prices[-1] == np.inf
    for price, i, k in zip(prices, at, at[1:], strict=False):
        assert losses[i] + price * costs[i] == pytest.approx(losses[k] + price * costs[k])


@given(numbers)
@settings(deadline=None)
def test_up_to_its_price_a_candidate_beats_the_cheaper_ones(pairs):
    losses, costs = np.array(pairs, float).T
    for i in range(len(losses)):
        price = min(worth(losses, costs, i), 100.0)
        cheaper = costs < costs[i]
        values = losses + price * costs
        if price > 0:
            assert (values[i] <= values[cheaper] + 1e-9).all()


def test_the_cheapest_is_worth_any_price():
    assert worth(np.array([1.0, 0.0]), np.array([1.0, 3.0]), 0) == np.inf
    assert worth(np.array([1.0, 0.0]), np.array([1.0, 3.0]), 1) == 0.5


def test_losses_that_differ_by_rounding_alone_are_equal():
    thirds = np.array([0.1 + 0.2, 0.3, 0.7])
    assert rounded(thirds)[0] == rounded(thirds)[1]
    assert rounded(thirds) == pytest.approx(thirds)


class Prefixes(JudgedCandidates):
    """Candidate n evaluates 4 - n base classifiers of 4."""

    losses = np.array([0.1, 0.1, 0.2, 0.5, 0.9])
    costs = np.array([4.0, 3.0, 2.0, 1.0, 0.0])

    def candidate(self, at):
        return Policy.prefix(4 - at, 4, Grid(np.array([0.0])))


@pytest.mark.parametrize(("beta", "at"), [(0.0, 0), (1e-9, 1), (0.15, 2), (0.35, 3), (1.0, 4)])
def test_the_best_has_the_smallest_loss_and_cost_together(beta, at):
    assert Prefixes().best(beta) == at
    assert Prefixes().policy(beta).n_reached == 4 - at


def test_the_front_rises_in_cost():
    assert Prefixes().front().tolist() == [4, 3, 2, 1, 0]


def test_a_spaced_front_begins_with_the_dearest_and_leaves_out_the_cheapest():
    prices, policies = zip(*Prefixes().spaced_front(1.4), strict=True)
    assert [policy.n_reached for policy in policies] == [4, 2, 1]
    assert prices == pytest.approx([0.05, 0.3, 0.4])
