import numpy as np
import pytest

from mddag import MDP
from mddag.calibration.calibration import sigmoid
from mddag.losses import Logistic
from mddag.solvers.portfolio.mixture import LENGTHS, mixture_scores, mixture_shares, with_mixture


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
    teacher = mixture_shares(learning, fresh)[1]
    np.testing.assert_array_equal(with_mixture(learning, fresh)[1].labels, teacher)
    told = fresh.votes.dense()[:, : LENGTHS[0]].sum(axis=1)
    powers = np.exp(told if n_scores > 1 else np.hstack([0 * told, told]))
    truth = powers / powers.sum(axis=1, keepdims=True)
    assert np.abs(teacher - truth).mean() < 0.05
    assert np.abs(teacher.sum(axis=1) - 1).max() < 1e-9


@pytest.mark.parametrize("n_scores", [1, 3])
def test_mixture_scores_leave_out_what_only_disturbs(n_scores):
    mdp = overfitted(0, n_scores=n_scores)
    told = mdp.votes.dense()[:, : LENGTHS[0]].sum(axis=1)
    centred = mixture_scores(mdp)
    assert np.corrcoef(centred.ravel(), told.ravel())[0, 1] > 0.95
    assert np.corrcoef(mdp.votes.scores().ravel(), told.ravel())[0, 1] < 0.5


def test_an_ensemble_that_could_go_on_is_followed_itself():
    rng = np.random.default_rng(0)
    votes = rng.normal(size=(4000, 300)) * 0.1
    # what it has learned last counts twice
    labels = (votes[:, 128:].sum(axis=1) + 0.5 * votes[:, :128].sum(axis=1) > 0).astype(int)
    mdp = MDP(np.round(votes, 2), labels)
    np.testing.assert_allclose(mixture_scores(mdp), mdp.votes.scores(), rtol=0.05, atol=0.05)
