import numpy as np
import pytest

from mddag.mdp.policy import Policy
from mddag.ordering.arrangement import Arrangement
from mddag.solvers import Prefix
from mddag.solvers.portfolio.arranged_rows import ArrangedRows
from mddag.solvers.portfolio.entries import Entries, PackedPolicies
from mddag.solvers.portfolio.judge import Judge
from tests.solvers.problems import mdp_of


def entries_of(mdp):
    arrangement = Arrangement(np.arange(mdp.n_steps))
    judge = Judge(mdp, mdp.votes.scores())
    rows = ArrangedRows("the given order", arrangement, mdp, judge)
    return Entries(rows), rows


def test_packed_policies_come_back_as_they_were():
    mdp, packed = mdp_of(0), PackedPolicies()
    policies = [Policy.prefix(n, mdp.n_steps, mdp.grid) for n in range(3)]
    for policy in policies:
        packed.append(policy)
    for c, policy in enumerate(policies):
        assert (packed[c].actions == policy.actions).all()
        assert packed[c].every == policy.every


def test_the_winner_at_a_price_minimises_estimated_loss_and_cost():
    mdp = mdp_of(7, n=60)
    entries, rows = entries_of(mdp)
    entries.add("Prefix()", Prefix().candidates(mdp), rows)
    for beta in (0.0, 0.05, 10.0):
        won = mdp.with_beta(beta).evaluate(entries.policy(beta))
        assert won.cost == pytest.approx(
            entries.costs[(entries.losses + beta * entries.costs).argmin()], abs=1e-12
        )
    assert mdp.evaluate(entries.policy(1e9)).cost == 0


def test_the_front_rises_in_cost_and_falls_in_loss():
    mdp = mdp_of(7, n=60)
    entries, rows = entries_of(mdp)
    entries.add("Prefix()", Prefix().candidates(mdp), rows)
    front = entries.front()
    assert (np.diff(entries.costs[front]) > 0).all()
    assert (np.diff(entries.losses[front]) <= 0).all()


def test_the_least_value_is_of_some_arrangement_or_of_some_entries():
    mdp = mdp_of(7, n=60)
    entries, rows = entries_of(mdp)
    entries.add("Prefix()", Prefix().candidates(mdp), rows)
    values = entries.losses + 0.05 * entries.costs
    assert entries.least(0.05) == entries.least(0.05, rows.arrangement) == values.min()
    assert entries.least(0.05, n_entries=1) == values[0]
    assert entries.least(0.05, Arrangement(np.arange(mdp.n_steps))) == np.inf


def test_a_number_beyond_the_last_candidate_is_refused():
    entries, _ = entries_of(mdp_of(0))
    with pytest.raises(IndexError, match="no candidate"):
        entries.candidate(5)
