"""The native losses equal those of mddag.losses, which specify them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mddag import MDP, _core
from mddag.losses import Exponential, Squared
from mddag.solvers import Sarsa
from mddag.solvers.quit_loss import quit_loss
from tests.solvers.problems import LOSSES, absolute, mdp_of

NATIVE = sorted(set(LOSSES) - {"callback"})


def native_losses(mdp, scores):
    out = np.empty(len(scores))
    _core.losses(quit_loss(mdp), scores, out)
    return out


@given(
    seed=st.integers(0, 10**6),
    name=st.sampled_from(NATIVE),
    n_scores=st.sampled_from([1, 3]),
    labels=st.sampled_from(["classes", "shares"]),
    rounded=st.booleans(),
)
def test_native_losses_equal_python_losses(seed, name, n_scores, labels, rounded):
    mdp = mdp_of(seed, n_scores=n_scores, labels=labels, loss=LOSSES[name], n=20)
    scores = np.random.default_rng(seed).normal(scale=3, size=(20, n_scores))
    scores = np.round(scores) if rounded else scores  # ties, margins of 0 and 1
    np.testing.assert_allclose(
        native_losses(mdp, scores), mdp.losses(scores), rtol=1e-12, atol=1e-14
    )


def test_squared_loss_of_real_labels():
    mdp = mdp_of(0, labels="values", loss=Squared(), n=20)
    scores = np.random.default_rng(0).normal(size=(20, 1))
    np.testing.assert_allclose(
        native_losses(mdp, scores), mdp.losses(scores), rtol=1e-12, atol=1e-14
    )


@pytest.mark.parametrize("loss", [LOSSES[name] for name in NATIVE], ids=repr)
def test_a_loss_with_a_twin_is_native(loss):
    assert isinstance(quit_loss(mdp_of(0, loss=loss)), tuple)


def test_a_plain_function_is_called():
    mdp = mdp_of(0, labels="values", loss=absolute)
    call = quit_loss(mdp)
    assert call(np.array([[1.5]]), 3) == abs(1.5 - mdp.labels[3])


def test_a_subclass_that_changes_the_loss_is_called():
    class Capped(Exponential):
        def __call__(self, scores, labels):
            return np.minimum(super().__call__(scores, labels), 1.0)

    class Renamed(Exponential):
        pass

    call = quit_loss(mdp_of(0, loss=Capped()))
    assert call(np.array([[100.0]]), 0) <= 1.0
    assert isinstance(quit_loss(mdp_of(0, loss=Renamed())), tuple)


def test_a_scale_may_be_a_scalar_of_numpy():
    votes = np.random.RandomState(0).normal(size=(50, 4))
    y = (votes.sum(axis=1) > 0).astype(int)
    policies = [
        Sarsa(n_episodes=200, random_state=0).solve(
            MDP(votes, y, loss=Exponential(scale), beta=0.01)
        )
        for scale in (0.5, np.float32(0.5))
    ]
    np.testing.assert_array_equal(policies[0].actions, policies[1].actions)
