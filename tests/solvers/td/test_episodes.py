"""The episodes of the kernel are those of the online twin: same actions, same learned values."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mddag.solvers.td.episodes import Episodes
from mddag.solvers.td.values import RadialBasis, Table
from tests.reference import values as value_twins
from tests.reference.random import Random
from tests.reference.sarsa import Learner
from tests.solvers.problems import LOSSES, absolute, mdp_of

VALUES = [
    Table(),
    Table(n_bins=4, running=False),
    RadialBasis(),
    RadialBasis(n_centres=3, sigma=0.08, normalised=True),
    RadialBasis(n_centres=0, sigma=0.05, max_centres=5, running=True),
]
ACTIONS = [("eval", "skip", "quit"), ("eval", "quit"), ("eval", "skip")]
RATE, TRACE_DECAY = 0.2, 0.937


def falling(episode, n_steps):
    return np.linspace(0.6, 0.9, n_steps) / episode**0.2


def twin_of(mdp, values, off_policy, state):
    if isinstance(values, Table):
        twin = value_twins.Table(values.n_bins)
    else:
        weights, _, _, sigma, normalised = values.start(1, 1)
        twin = value_twins.RadialBasis(values.n_centres, sigma, weights.shape[1], normalised)
    norm = values.norm(mdp.votes.tables).tolist()
    return Learner(mdp, twin, norm, Random(state), RATE, TRACE_DECAY, off_policy)


def learned_by_kernel(episodes, values):
    """What the arrays hold, named as the twin names it."""
    if isinstance(values, Table):
        q = episodes.values[0].reshape(-1, values.n_bins, 3)
        return {(slot, a, b): q[slot, b, a] for slot, b, a in np.ndindex(q.shape)}
    weights, centres, counts, *_ = episodes.values
    return {
        (f // 3, f % 3, centres[f, c]): weights[f, c]
        for f in range(len(counts))
        for c in range(counts[f])
    }


def assert_equal_runs(mdp, values, off_policy, n_episodes=60, seed=0):
    episodes = Episodes(mdp, values, falling, (RATE, TRACE_DECAY, off_policy), seed)
    twin = twin_of(mdp, values, off_policy, episodes.random)
    for tau, _ in enumerate(episodes.run(n_episodes, stop_every=1), start=1):
        twin.episode(
            falling(tau, mdp.n_steps),
            lambda f, i: mdp.losses_of(np.array([f]), np.array([i]))[0],
        )
    # as many random numbers drawn: the same actions were taken
    assert episodes.random.tolist() == twin.random.state
    kernel = learned_by_kernel(episodes, values)
    touched = {p: q for p, q in twin.values.learned.items() if q != 0}
    assert touched.keys() <= kernel.keys()
    for p, q in kernel.items():
        np.testing.assert_allclose(q, twin.values.learned[p], rtol=1e-12, atol=1e-12)
    assert episodes.policy().actions.tolist() == twin.policy_actions()
    return twin


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n_scores=st.sampled_from([1, 2, 3]),
    values=st.sampled_from(VALUES),
    off_policy=st.booleans(),
    actions=st.sampled_from(ACTIONS),
    labels=st.sampled_from(["classes", "shares"]),
    loss=st.sampled_from(["zero_one", "exponential", "logistic", "hinge", "squared"]),
    weighted=st.booleans(),
)
@example(124, 3, VALUES[3], True, ACTIONS[0], "shares", "hinge", True)  # a tie
@example(124, 3, VALUES[0], False, ACTIONS[0], "shares", "logistic", True)
def test_kernel_equals_the_online_twin(
    seed, n_scores, values, off_policy, actions, labels, loss, weighted
):
    mdp = mdp_of(
        seed,
        n_scores=n_scores,
        labels=labels,
        loss=LOSSES[loss],
        actions=actions,
        weighted=weighted,
    )
    assert_equal_runs(mdp, values, off_policy, seed=seed)


@pytest.mark.parametrize("off_policy", [False, True])
@pytest.mark.parametrize("values", VALUES, ids=repr)
@pytest.mark.parametrize("n_scores", [1, 3])
def test_hundreds_of_episodes(n_scores, values, off_policy):
    mdp = mdp_of(3, n_scores=n_scores, n=30, n_cells=200)
    twin = assert_equal_runs(mdp, values, off_policy, n_episodes=400)
    assert set(twin.actions) == {0, 1, 2}


@pytest.mark.parametrize("off_policy", [False, True])
@pytest.mark.parametrize("loss", ["squared", "callback"])
def test_regression(loss, off_policy):
    mdp = mdp_of(5, labels="values", loss=LOSSES[loss])
    assert_equal_runs(mdp, Table(), off_policy, n_episodes=200)


@pytest.mark.parametrize("n_scores", [1, 3])
def test_prices_of_errors(n_scores):
    mdp = mdp_of(6, n_scores=n_scores, loss=LOSSES["prices"])
    assert_equal_runs(mdp, Table(), off_policy=True, n_episodes=200)


def test_votes_of_many_values_have_wider_codes():
    mdp = mdp_of(7, n=300)
    assert mdp.votes.codes.dtype == np.uint16
    assert_equal_runs(mdp, Table(), off_policy=False, n_episodes=200)


@pytest.mark.parametrize("values", VALUES, ids=repr)
def test_the_tabulated_policy_is_the_one_that_was_followed(values):
    quits = []

    def recorded(scores, labels):
        quits.append((labels[0], scores[0, 0]))
        return absolute(scores, labels)

    mdp = mdp_of(9, labels="values", loss=recorded, n=30, n_cells=8)  # cells wider than most votes
    episodes = Episodes(mdp, values, falling, (RATE, TRACE_DECAY, False), 0)
    list(episodes.run(300, stop_every=300))
    episodes.exploration = lambda episode, n_steps: np.zeros(n_steps)
    for _ in range(30):
        scores, _, _ = mdp.rollout(episodes.policy())
        list(episodes.run(1, stop_every=1))
        label, quit_score = quits[-1]
        assert scores[mdp.labels == label].tolist() == [[quit_score]]


def test_centres_are_added_up_to_the_limit():
    values = RadialBasis(n_centres=0, sigma=0.05, max_centres=5, running=True)
    mdp = mdp_of(8, n=50, n_cells=200)
    episodes = Episodes(mdp, values, falling, (RATE, TRACE_DECAY, False), 0)
    list(episodes.run(1000, stop_every=1000))
    assert episodes.values[2].max() == 5


def test_the_generator_is_xoshiro256starstar():
    # the first outputs from the state 1, 2, 3, 4, as published with other implementations
    random = Random([1, 2, 3, 4])
    assert [random.bits() for _ in range(4)] == [11520, 0, 1509978240, 1215971899390074240]


def test_the_twin_draws_by_weight():
    mdp = mdp_of(2, weighted=True)
    twin = twin_of(mdp, Table(), False, [1, 2, 3, 4])
    drawn = np.bincount([twin.draw() for _ in range(4000)], minlength=len(mdp.weight))
    np.testing.assert_allclose(drawn / 4000, mdp.weight / mdp.weight.sum(), atol=0.03)


def test_a_loss_without_a_twin_is_called_once_per_episode():
    calls = []

    def counted(scores, labels):
        calls.append(scores.shape)
        return absolute(scores, labels)

    mdp = mdp_of(1, labels="values", loss=counted)
    calls.clear()
    list(Episodes(mdp, Table(), falling, (RATE, TRACE_DECAY, False), 0).run(50, 10))
    assert calls == [(1, 1)] * 50
