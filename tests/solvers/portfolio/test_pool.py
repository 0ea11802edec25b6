import numpy as np
import pytest

from mddag.mdp.policy import Policy
from mddag.ordering.arrangement import Arrangement
from mddag.solvers import Prefix
from mddag.solvers.portfolio.judge import Judge
from mddag.solvers.portfolio.pool import Ordered, Packed, Pool
from tests.solvers.problems import mdp_of


def pool_of(mdp):
    arrangement = Arrangement(np.arange(mdp.n_steps))
    problem = Ordered("the given order", arrangement, mdp, Judge(mdp, mdp.votes.scores()))
    return Pool(problem), problem


def test_packed_policies_come_back_as_they_were():
    mdp, packed = mdp_of(0), Packed()
    policies = [Policy.prefix(n, mdp.n_steps, mdp.grid) for n in range(3)]
    for policy in policies:
        packed.append(policy)
    for c, policy in enumerate(policies):
        assert (packed[c].actions == policy.actions).all()
        assert packed[c].every == policy.every


def test_the_winner_at_a_price_minimises_estimated_loss_and_cost():
    mdp = mdp_of(7, n=60)
    pool, problem = pool_of(mdp)
    pool.add("Prefix()", Prefix().candidates(mdp), problem)
    for beta in (0.0, 0.05, 10.0):
        won = mdp.with_beta(beta).evaluate(pool.policy(beta))
        assert won.cost == pytest.approx(
            pool.costs[(pool.losses + beta * pool.costs).argmin()], abs=1e-12
        )
    assert mdp.evaluate(pool.policy(1e9)).cost == 0


def test_the_front_rises_in_cost_and_falls_in_loss():
    mdp = mdp_of(7, n=60)
    pool, problem = pool_of(mdp)
    pool.add("Prefix()", Prefix().candidates(mdp), problem)
    front = pool.front()
    assert (np.diff(pool.costs[front]) > 0).all()
    assert (np.diff(pool.losses[front]) <= 0).all()


def test_a_number_beyond_the_last_candidate_is_refused():
    pool, _ = pool_of(mdp_of(0))
    with pytest.raises(IndexError, match="no candidate"):
        pool.candidate(5)
