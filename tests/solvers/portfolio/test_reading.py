import numpy as np
import pytest

from mddag import MDP, Policy
from mddag.losses import Logistic
from mddag.solvers.portfolio.mixture import LENGTHS
from mddag.solvers.portfolio.reading import exit_factors
from tests.solvers.portfolio.test_mixture import overfitted


def test_factors_are_those_of_each_exit_in_units_of_the_loss():
    mdp = overfitted(0)
    factors = exit_factors(mdp)
    assert factors.shape == (mdp.n_steps + 1,)
    assert factors[LENGTHS[0]] == pytest.approx(1.0, abs=0.1)
    assert factors[-1] < 0.3
    scaled = MDP(mdp.votes, mdp.labels, loss=Logistic(2.0), grid=mdp.grid)
    np.testing.assert_allclose(exit_factors(scaled), factors / 2)


def test_scores_are_read_by_the_factor_of_their_exit():
    mdp = overfitted(0, n=50)
    factors = np.linspace(0.5, 2.0, mdp.n_steps + 1)
    policy = Policy.prefix(7, mdp.n_steps, mdp.grid)
    scores = mdp.rollout(policy)[0]
    wanted = mdp.losses(factors[7] * scores).mean()
    assert mdp.read_by(factors).evaluate(policy).loss == pytest.approx(wanted)
    assert mdp.evaluate(policy).loss == pytest.approx(mdp.losses(scores).mean())
