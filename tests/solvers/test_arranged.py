"""Losses as kernels take them, soft targets, and MDPs in an order, for solvers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mddag import MDP, Ensemble, _core
from mddag.losses import Exponential, Logistic, OfMeans, Squared, ZeroOne
from mddag.policy.arrangement import by_lines, by_log_odds, fitted_levels
from mddag.policy.mdp import mdp_of as mdp_of_source
from mddag.solvers import Margin, Prefix, Residual, Sarsa
from mddag.solvers.solver import arranged_for, quit_loss, with_soft_targets
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


RNG = np.random.default_rng(0)
VOTES = RNG.normal(0, 0.3, (200, 5))
NUMBERS = RNG.poisson(np.exp(VOTES.sum(axis=1))).astype(float)


@pytest.mark.parametrize("loss", [Squared(), OfMeans(Squared())])
def test_a_regressor_loses_nothing_by_its_own_opinion(loss):
    said = with_soft_targets(MDP(VOTES, NUMBERS, loss=loss))
    assert said.evaluate(said.evaluate_all()).loss == pytest.approx(0, abs=1e-20)


def test_a_classifier_says_how_often_it_is_wrong():
    labels = (VOTES.sum(axis=1) + RNG.logistic(0, 0.5, 200) > 0).astype(int)
    mdp = MDP(VOTES, labels, loss=ZeroOne())
    said = with_soft_targets(mdp)
    assert said.labels.shape == (200, 2)
    full = mdp.evaluate_all()
    assert said.evaluate(full).loss == pytest.approx(mdp.evaluate(full).loss, abs=0.05)
    again = with_soft_targets(said).labels  # its probabilities by themselves
    np.testing.assert_allclose(again, said.labels, atol=0.01)


def test_rows_without_weight_teach_nothing():
    labels = (VOTES.sum(axis=1) > 0).astype(int)
    labels[100:] = 1 - labels[100:]
    weight = np.repeat([1.0, 0.0], 100)
    half = MDP(VOTES[:100], labels[:100], loss=Logistic())
    whole = with_soft_targets(MDP(VOTES, labels, loss=Logistic(), weight=weight))
    np.testing.assert_allclose(whole.labels[:100], with_soft_targets(half).labels)


ROWS = np.linspace(-1, 1, 9)[:, None]


def backwards(votes, costs=None, weight=None):
    return np.arange(votes.tables.n_classifiers)[::-1]


def mdp_on_rows(costs=(1.0, 1.0, 1.0), weight=None):
    voters = [lambda X: X[:, 0], lambda X: 2 * X[:, 0], lambda X: -X[:, 0]]
    source = Ensemble.from_callables(voters, n_features=1, classes=[0, 1]).with_cost(costs)
    return mdp_of_source(source, source.votes(ROWS), np.arange(9) % 2, weight=weight)


def test_an_order_goes_with_votes_prices_and_policies():
    mdp = mdp_on_rows(costs=[1.0, 2.0, 3.0])
    ordered = arranged_for(Margin(), mdp, backwards)
    assert ordered.arrangement.order.tolist() == [2, 1, 0]
    assert ordered.mdp.costs.tolist() == [3.0, 2.0, 1.0]
    np.testing.assert_allclose(ordered.mdp.votes.scores(), mdp.votes.scores(), atol=1e-12)
    policy = Margin().solve(ordered.mdp)
    mine, theirs = ordered.mdp.rollout(policy), mdp.rollout(ordered.for_source(policy))
    for a, b in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(a, b)


@pytest.mark.parametrize(
    ("n_classes", "solver", "levels"),
    [
        (2, Margin(), by_lines),
        (3, Margin(), by_log_odds),
        (3, Prefix(), by_log_odds),
        (3, Residual(), by_lines),
    ],
)
def test_levels_of_several_classes_are_log_odds(n_classes, solver, levels):
    n_scores = 1 if n_classes == 2 else n_classes
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 6))
    voters = [
        lambda X, j=j: np.stack([X[:, j] - 0.1 * k * X[:, k] for k in range(n_scores)], axis=1)
        for j in range(6)
    ]
    source = Ensemble.from_callables(voters, n_features=6, bias=np.zeros(n_scores))
    mdp = mdp_of_source(source, source.votes(rows), rng.integers(0, n_classes, 300))
    ordered = arranged_for(solver, mdp, backwards)
    wanted = fitted_levels(mdp.votes, ordered.arrangement.order, levels=levels)
    np.testing.assert_array_equal(ordered.arrangement.rescaling.shift, wanted.shift)
    per_class = ordered.mdp.grid.n_cells // n_scores
    assert (per_class > 500) == (n_scores == 1 or isinstance(solver, Margin))
    inside = solver.solve(ordered.mdp)
    outside = ordered.for_source(inside)
    for a, b in zip(ordered.mdp.rollout(inside), mdp.rollout(outside), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9)
    if isinstance(solver, Margin):
        assert outside.grid.n_cells <= 3 * n_scores
