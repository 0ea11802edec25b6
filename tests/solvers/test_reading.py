import numpy as np
import pytest

from mddag import MDP, Policy
from mddag.calibration import sigmoid
from mddag.losses import Logistic
from mddag.solvers._reading import LENGTHS, advised, exit_factors


def overfitted(seed, n=4000, n_scores=1):
    """Eight votes that tell, and as many as follow that only disturb."""
    rng = np.random.default_rng(seed)
    votes = rng.normal(size=(n, 3 * LENGTHS[1], n_scores)) * 0.3
    told = votes[:, : LENGTHS[0]].sum(axis=1)
    if n_scores == 1:
        labels = (rng.random(n) < sigmoid(told[:, 0])).astype(int)
    else:
        labels = (told + rng.gumbel(size=told.shape)).argmax(axis=1)
    return MDP(np.round(votes, 2), labels, loss=Logistic(), grid=None)


@pytest.mark.parametrize("n_scores", [1, 3])
def test_the_teacher_knows_better_than_an_overfitted_ensemble(n_scores):
    learning, fresh = (overfitted(seed, n_scores=n_scores) for seed in (0, 1))
    teacher = advised(learning, fresh)[1].labels
    told = fresh.votes.dense()[:, : LENGTHS[0]].sum(axis=1)
    powers = np.exp(told if n_scores > 1 else np.hstack([0 * told, told]))
    truth = powers / powers.sum(axis=1, keepdims=True)
    assert np.abs(teacher - truth).mean() < 0.05
    assert np.abs(teacher.sum(axis=1) - 1).max() < 1e-9


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
