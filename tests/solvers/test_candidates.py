"""Loss estimates equal their twin, and what they must not depend on."""

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag import MDP
from mddag.losses import ZeroOne
from mddag.policy.arrangement import Arrangement
from mddag.policy.grid import Grid
from mddag.policy.policy import Policy
from mddag.solvers import Margin, Prefix, Residual
from mddag.solvers.candidates import (
    CHARGE,
    ArrangedRows,
    Entries,
    JudgedCandidates,
    LossEstimator,
    Measurements,
    front,
    spaced_front,
    worth,
)
from tests.reference import bounds as twin
from tests.solvers.problems import mdp_of as small_mdp

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


def test_a_spaced_front_begins_with_the_most_expensive():
    judged = Prefixes()
    prices, numbers = zip(*spaced_front(judged.losses, judged.costs, 1.4), strict=True)
    assert [judged.candidate(at).n_reached for at in numbers] == [4, 2, 1, 0]
    assert prices == pytest.approx([0.05, 0.3, 0.4, np.inf])


share = st.integers(0, 200).map(lambda rows: rows / 200)


def mdp_of(n=200, weight=None, loss=None):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, n)
    votes = 0.3 * np.where(labels, 1.0, -1.0)[:, None] + rng.normal(size=(n, 12))
    return MDP(np.round(votes, 2), labels, weight=weight, loss=loss)


def estimator_of(mdp):
    return LossEstimator(mdp, mdp.votes.scores())


@given(st.lists(st.tuples(share, share, share, st.booleans()), min_size=1, max_size=8), st.data())
def test_estimates_equal_their_twin(rows, data):
    losses, soft, differs, by_labels = map(np.array, zip(*rows, strict=True))
    differs[0] = 0.0  # the full ensemble
    loss = data.draw(st.sampled_from([ZeroOne(), ZeroOne((1.0, 5.0))]))
    estimator = estimator_of(mdp_of(loss=loss))
    found = estimator.estimates(Measurements(losses, soft, differs, np.ones(len(rows))), by_labels)
    wanted = twin.estimates(losses, soft, differs, by_labels, 200, estimator.square, CHARGE)
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


def test_measurements_do_not_depend_on_threads():
    mdp = mdp_of(2000)
    policy = Margin().candidates(mdp)[3]
    one, two = (LossEstimator(mdp, mdp.votes.scores(), n_jobs=n).of_policy(policy) for n in (1, 2))
    for a, b in zip(astuple(one), astuple(two), strict=True):
        np.testing.assert_array_equal(a, b)


def test_labels_do_not_change_estimates_of_what_follows_the_full_ensemble():
    """Twelve candidates; labels and teacher agree on the first six and not on the others."""
    estimator = estimator_of(mdp_of(2000))
    differs = np.tile(np.linspace(0, 0.2, 6), 2)
    soft = 0.1 + 0.1 * differs
    losses = soft - np.where(np.arange(12) < 6, 0.0, 0.5 * differs)
    measurements = Measurements(losses, soft, differs, np.ones(12))
    by_labels = np.arange(12) >= 6
    apart, together = (
        estimator.estimates(measurements, kind) for kind in (by_labels, by_labels & False)
    )
    alone = estimator.estimates(
        Measurements(*(column[:6] for column in astuple(measurements))), by_labels[:6]
    )
    np.testing.assert_array_equal(apart[:6], alone)
    assert (apart[1:6] > alone[0]).all()
    assert (apart[8:] < together[8:]).all()  # labels have the weight, and prove a gain
    assert apart[-1] < alone[0]


@pytest.mark.parametrize("family", [Prefix(), Margin(), Residual()])
def test_rows_without_weight_change_nothing(family):
    alone = mdp_of()
    weight = np.repeat([1.0, 0.0], [200, 1800])
    among = MDP(np.tile(alone.votes.dense(), (10, 1, 1)), np.tile(alone.labels, 10), weight=weight)
    candidates = family.candidates(alone)
    none = np.zeros(len(candidates), bool)
    few, many = (
        j.estimates(j.of_candidates(candidates), none) for j in map(estimator_of, (alone, among))
    )
    np.testing.assert_allclose(many, few)


def test_one_candidate_is_measured_as_among_many():
    mdp = mdp_of()
    estimator, candidates = estimator_of(mdp), Margin().candidates(mdp)
    many = estimator.of_candidates(candidates)
    one = estimator.of_policy(candidates[3])
    for all_of_them, it in zip(astuple(many), astuple(one), strict=True):
        assert all_of_them[3] == pytest.approx(it[0])


def entries_of(mdp):
    arrangement = Arrangement(np.arange(mdp.n_steps))
    estimator = LossEstimator(mdp, mdp.votes.scores())
    rows = ArrangedRows("the given order", arrangement, mdp, estimator)
    return Entries(rows), rows


def test_the_winner_at_a_price_minimises_estimated_loss_and_cost():
    mdp = small_mdp(7, n=60)
    entries, rows = entries_of(mdp)
    entries.add("Prefix()", Prefix().candidates(mdp), rows)
    for beta in (0.0, 0.05, 10.0):
        won = mdp.with_beta(beta).evaluate(entries.policy(beta))
        assert won.cost == pytest.approx(
            entries.costs[(entries.losses + beta * entries.costs).argmin()], abs=1e-12
        )
    assert mdp.evaluate(entries.policy(1e9)).cost == 0
