"""A problem that tells on-policy from off-policy learning, under actions that are all random.

One instance of class 1, h_1 wrong, h_2 right, each at a price of 0.1; a tie is an error. After
SKIP at step 1 the greedy policy evaluates h_2 and pays 0.1; a random action may also end in error.
"""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mddag import MDP
from mddag.ensemble.votes import Votes
from mddag.losses import Exponential
from mddag.policy.policy import SKIP
from mddag.solvers import Sarsa, WatkinsQ
from mddag.solvers.sarsa import Episodes, Flat, Growing
from mddag.solvers.values import RadialBasis, Table, running_norm, total_norm
from tests.reference import sarsa as value_twins
from tests.reference.sarsa import Learner, Random
from tests.solvers.problems import LOSSES, absolute, interrupted_after, mdp_of, three_classifiers


def learned_value_of_skip(kind, trace_decay=0.5):
    mdp = MDP([[-1.0, 2.0]], [1], beta=0.1)
    rules = (0.005, trace_decay, kind.off_policy)
    episodes = Episodes(mdp, Table(1), lambda episode, n_steps: np.ones(n_steps), rules, seed=0)
    list(episodes.run(20_000, stop_every=20_000))
    return episodes.values[0].reshape(2, 3)[0, SKIP]


@pytest.mark.parametrize(
    ("episode", "epsilon"),
    [(1, 0.3), (10_000, 0.3), (10_001, 0.15), (20_000, 0.15), (20_001, 0.1), (10**6, 0.003)],
)
def test_epsilon_falls_with_every_period(episode, epsilon):
    np.testing.assert_allclose(Flat()(episode, 4), np.full(4, epsilon))


def test_growing_reaches_flat_at_the_last_step():
    epsilon = Growing(start=0.4, period=10)(11, 5)
    np.testing.assert_allclose(epsilon, 0.2 * np.array([0.2, 0.4, 0.6, 0.8, 1.0]))
    assert epsilon[-1] == Flat(start=0.4, period=10)(11, 5)[-1]


VALUES = [
    Table(),
    Table(n_bins=4, running=False),
    RadialBasis(),
    RadialBasis(n_centers=3, sigma=0.08, normalized=True),
    RadialBasis(n_centers=0, sigma=0.05, max_centers=5, running=True),
]
ACTIONS = [("eval", "skip", "quit"), ("eval", "quit"), ("eval", "skip")]
RATE, TRACE_DECAY = 0.2, 0.937


def falling(episode, n_steps):
    return np.linspace(0.6, 0.9, n_steps) / episode**0.2


def twin_of(mdp, values, off_policy, state):
    if isinstance(values, Table):
        twin = value_twins.Table(values.n_bins)
    else:
        weights, _, _, sigma, normalized = values.start(1, 1)
        twin = value_twins.RadialBasis(values.n_centers, sigma, weights.shape[1], normalized)
    norm = values.norm(mdp.votes.tables).tolist()
    return Learner(mdp, twin, norm, Random(state), RATE, TRACE_DECAY, off_policy)


def learned_by_kernel(episodes, values):
    """What the arrays hold, named as the twin names it."""
    if isinstance(values, Table):
        q = episodes.values[0].reshape(-1, values.n_bins, 3)
        return {(slot, a, b): q[slot, b, a] for slot, b, a in np.ndindex(q.shape)}
    weights, centers, counts, *_ = episodes.values
    return {
        (f // 3, f % 3, centers[f, c]): weights[f, c]
        for f in range(len(counts))
        for c in range(counts[f])
    }


def assert_equal_runs(mdp, values, off_policy, n_episodes=60, seed=0):
    episodes = Episodes(mdp, values, falling, (RATE, TRACE_DECAY, off_policy), seed)
    twin = twin_of(mdp, values, off_policy, episodes.random)
    for tau, _ in enumerate(episodes.run(n_episodes, stop_every=1), start=1):
        twin.episode(
            falling(tau, mdp.n_steps),
            lambda f, i: mdp.losses(np.array([f]), np.array([i]))[0],
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


def test_the_generator_is_xoshiro256starstar():
    # the first outputs from the state 1, 2, 3, 4, as published with other implementations
    random = Random([1, 2, 3, 4])
    assert [random.bits() for _ in range(4)] == [11520, 0, 1509978240, 1215971899390074240]


def test_a_loss_without_a_twin_is_called_once_per_episode():
    calls = []

    def counted(scores, labels):
        calls.append(scores.shape)
        return absolute(scores, labels)

    mdp = mdp_of(1, labels="values", loss=counted)
    calls.clear()
    list(Episodes(mdp, Table(), falling, (RATE, TRACE_DECAY, False), 0).run(50, 10))
    assert calls == [(1, 1)] * 50


BOTH = pytest.mark.parametrize("kind", [Sarsa, WatkinsQ])


@BOTH
def test_the_best_snapshot_is_kept(kind):
    mdp = mdp_of(0, n=30)
    search = kind(n_episodes=1050, evaluate_every=100, random_state=0).search(mdp)
    assert len(search.history) == 11
    assert search.best == min(search.history) < max(search.history)
    assert mdp.evaluate(search.policy).objective == search.best


@BOTH
def test_selection_decides_the_snapshot(kind):
    mdp = three_classifiers()
    selection = MDP(mdp.votes, 1 - mdp.labels, beta=0.05, grid=mdp.grid)
    solver = kind(n_episodes=1000, evaluate_every=10, random_state=0)
    own, others = solver.search(mdp), solver.search(mdp, selection)
    assert others.best == min(others.history)
    assert others.best == selection.evaluate(others.policy).objective
    assert others.best < selection.evaluate(own.policy).objective


@BOTH
def test_ctrl_c_raises(kind):
    mdp = mdp_of(0, labels="values", loss=absolute, n=20)
    mdp = mdp.with_labels(mdp.labels, interrupted_after(350))
    with pytest.raises(KeyboardInterrupt):
        kind(n_episodes=600, evaluate_every=100, random_state=0).solve(mdp)


@BOTH
def test_a_chosen_value_function_and_exploration_are_used(kind):
    mdp = mdp_of(0, n=30)
    plain = kind(n_episodes=1000, evaluate_every=50, random_state=0)
    histories = {
        tuple(plain.search(mdp).history),
        tuple(plain.set_params(values=RadialBasis()).search(mdp).history),
        tuple(plain.set_params(values=Table(3)).search(mdp).history),
        tuple(plain.set_params(exploration=Growing(0.5)).search(mdp).history),
    }
    assert len(histories) == 4


@BOTH
def test_values_that_overflow_are_refused(kind):
    mdp = MDP([[400.0, 400.0]] * 4, [1, 0, 1, 0], loss=Exponential())
    with pytest.raises(ValueError, match=r"finite.*smaller scale"):
        kind(n_episodes=1000, random_state=0).solve(mdp)


def test_sarsa_learns_the_value_of_the_exploring_policy():
    # skipping h_1 leaves a random choice between h_2 at its price and two errors
    wanted = (-0.1 - 1 - 1) / 3
    assert abs(learned_value_of_skip(Sarsa) - wanted) < 0.05


@pytest.mark.parametrize("trace_decay", [0.0, 0.95])
def test_watkins_learns_the_value_of_the_greedy_policy(trace_decay):
    # skipping h_1 leaves h_2, which is right, at its price
    assert abs(learned_value_of_skip(WatkinsQ, trace_decay) - -0.1) < 1e-3


def test_norms_are_positive_where_nothing_was_added_yet():
    without_bias = Votes.from_dense([[1.0, 3.0]]).tables
    assert running_norm(without_bias).tolist() == [4.0, 1.0]
    nothing = Votes.from_dense([[0.0, 0.0]]).tables
    assert running_norm(nothing).tolist() == total_norm(nothing).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("sigma", [0.003, 0.01, 0.2])
def test_there_is_room_for_all_centres_that_fit(sigma):
    """A center is added where no activation reaches 0.4; count the densest such packing."""
    room = RadialBasis(n_centers=0, sigma=sigma).start(1, 1)[0].shape[1]
    step = sigma * np.sqrt(2 * np.log(1 / 0.4)) * (1 + 1e-9)
    assert len(np.arange(0, 1 + 1e-12, step)) <= room
    assert room <= 1000
