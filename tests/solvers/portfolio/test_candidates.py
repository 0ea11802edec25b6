"""The judge's estimates equal their twin, and what they must not depend on."""

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mddag import MDP
from mddag.losses import Squared, ZeroOne
from mddag.mdp.policy import Policy
from mddag.ordering.arrangement import Arrangement
from mddag.solvers import Margin, Prefix, Residual
from mddag.solvers.portfolio.candidates import (
    CHARGE,
    ArrangedRows,
    Entries,
    Judge,
    Judgements,
    PackedPolicies,
)
from tests.reference import judge as twin
from tests.solvers.problems import mdp_of as small_mdp

share = st.integers(0, 200).map(lambda rows: rows / 200)


def mdp_of(n=200, weight=None, loss=None):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, n)
    votes = 0.3 * np.where(labels, 1.0, -1.0)[:, None] + rng.normal(size=(n, 12))
    return MDP(np.round(votes, 2), labels, weight=weight, loss=loss)


def judge_of(mdp):
    return Judge(mdp, mdp.votes.scores())


@given(st.lists(st.tuples(share, share, share, st.booleans()), min_size=1, max_size=8), st.data())
def test_estimates_equal_their_twin(rows, data):
    losses, taught, differs, by_labels = map(np.array, zip(*rows, strict=True))
    differs[0] = 0.0  # the full ensemble
    loss = data.draw(st.sampled_from([ZeroOne(), ZeroOne((1.0, 5.0))]))
    judge = judge_of(mdp_of(loss=loss))
    found = judge.estimates(Judgements(losses, taught, differs, np.ones(len(rows))), by_labels)
    wanted = twin.estimates(losses, taught, differs, by_labels, 200, judge.square, CHARGE)
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


def test_by_labels_alone_the_charge_grows_with_the_decisions_that_differ():
    judge = judge_of(mdp_of(loss=ZeroOne((1.0, 5.0))))
    losses, differs = np.array([0.2, 0.2, 0.1]), np.array([0.0, 0.08, 0.32])
    found = judge.by_labels(Judgements(losses, np.ones(3), differs, np.ones(3)))
    error = np.sqrt(judge.square * differs / 200)
    np.testing.assert_allclose(found, losses + CHARGE * error)
    numbers = Judge(mdp_of(loss=Squared()), mdp_of().votes.scores())
    judgements = Judgements(losses, losses, np.zeros(3), np.ones(3))
    np.testing.assert_array_equal(numbers.by_labels(judgements), losses)


def test_judgements_do_not_depend_on_threads():
    mdp = mdp_of(2000)
    policy = Margin().candidates(mdp)[3]
    one, two = (Judge(mdp, mdp.votes.scores(), n_threads=n).of_policy(policy) for n in (1, 2))
    for a, b in zip(astuple(one), astuple(two), strict=True):
        np.testing.assert_array_equal(a, b)


def test_an_error_costs_what_the_loss_says():
    mdp = mdp_of(loss=ZeroOne((1.0, 5.0)))
    assert judge_of(mdp).square == pytest.approx(np.where(mdp.labels, 25.0, 1.0).mean())
    assert judge_of(mdp_of()).square == 1.0


def test_what_follows_the_full_ensemble_is_not_doubted_for_what_labels_taught():
    """Twelve candidates; labels and teacher agree on the first six and not on the others."""
    judge = judge_of(mdp_of(2000))
    differs = np.tile(np.linspace(0, 0.2, 6), 2)
    taught = 0.1 + 0.1 * differs
    losses = taught - np.where(np.arange(12) < 6, 0.0, 0.5 * differs)
    judgements = Judgements(losses, taught, differs, np.ones(12))
    by_labels = np.arange(12) >= 6
    apart, together = (judge.estimates(judgements, kind) for kind in (by_labels, by_labels & False))
    alone = judge.estimates(
        Judgements(*(column[:6] for column in astuple(judgements))), by_labels[:6]
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
        j.estimates(j.of_candidates(candidates), none) for j in map(judge_of, (alone, among))
    )
    np.testing.assert_allclose(many, few)


def test_one_candidate_is_judged_as_among_many():
    mdp = mdp_of()
    judge, candidates = judge_of(mdp), Margin().candidates(mdp)
    many = judge.of_candidates(candidates)
    one = judge.of_policy(candidates[3])
    for all_of_them, it in zip(astuple(many), astuple(one), strict=True):
        assert all_of_them[3] == pytest.approx(it[0])


def test_other_losses_are_judged_by_labels_alone():
    mdp = MDP(np.ones((4, 2)), np.arange(4.0), loss=Squared())
    judge = judge_of(mdp)
    judgements = judge.of_candidates(Prefix().candidates(mdp))
    found = judge.estimates(judgements, np.zeros(3, bool))
    np.testing.assert_array_equal(found, judgements.losses)


def entries_of(mdp):
    arrangement = Arrangement(np.arange(mdp.n_steps))
    judge = Judge(mdp, mdp.votes.scores())
    rows = ArrangedRows("the given order", arrangement, mdp, judge)
    return Entries(rows), rows


def test_packed_policies_come_back_as_they_were():
    mdp, packed = small_mdp(0), PackedPolicies()
    policies = [Policy.prefix(n, mdp.n_steps, mdp.grid) for n in range(3)]
    for policy in policies:
        packed.append(policy)
    for c, policy in enumerate(policies):
        assert (packed[c].actions == policy.actions).all()
        assert packed[c].every == policy.every


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


def test_the_front_rises_in_cost_and_falls_in_loss():
    mdp = small_mdp(7, n=60)
    entries, rows = entries_of(mdp)
    entries.add("Prefix()", Prefix().candidates(mdp), rows)
    front = entries.front()
    assert (np.diff(entries.costs[front]) > 0).all()
    assert (np.diff(entries.losses[front]) <= 0).all()


def test_a_number_beyond_the_last_candidate_is_refused():
    entries, _ = entries_of(small_mdp(0))
    with pytest.raises(IndexError, match="no candidate"):
        entries.candidate(5)
