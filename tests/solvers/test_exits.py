import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag import MDP, Grid, Policy, _core
from mddag.losses import PlainLoss, ZeroOne
from mddag.policy.policy import EVAL, QUIT
from mddag.solvers import Margin, Prefix
from mddag.solvers.exits import ExitCandidates, inner_edges
from mddag.solvers.solver import Family, quit_loss
from tests import strategies
from tests.reference import rollout as twin
from tests.solvers.problems import LOSSES, mdp_of

LABELS = ["classes", "shares"]


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_one_pass_equals_following_every_candidate(data):
    seed, n_scores = data.draw(st.integers(0, 1000)), data.draw(st.sampled_from([1, 3]))
    every = data.draw(st.sampled_from([1, 2, 3]))
    loss = LOSSES[data.draw(st.sampled_from(["zero_one", "prices", "logistic"]))]
    mdp = mdp_of(seed, n_scores=n_scores, loss=loss, weighted=True, n_steps=5, n_cells=6)
    rng = np.random.default_rng(seed)
    confidence = rng.integers(0, 5, size=(-(-5 // every), mdp.grid.n_cells)).astype(float)
    candidates = ExitCandidates(mdp, confidence, np.array([4.0, 1.0, 3.0, 1.0, 9.0]), every)

    losses, costs = candidates.evaluate(mdp)

    assert candidates.thresholds.tolist() == [np.inf, 9, 4, 3, 1]
    assert len(candidates) == len(losses) == len(costs) == 5
    for c, threshold in enumerate(candidates.thresholds):
        alone = twin.policy(confidence, threshold, mdp.grid, 5, every)
        np.testing.assert_array_equal(candidates[c].actions, alone.actions)
        loss, cost = twin.loss_and_cost(mdp, alone)
        assert (losses[c], costs[c]) == pytest.approx((loss, cost), rel=1e-9, abs=1e-12)


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_the_kernel_gives_the_bits_of_the_loop(data):
    seed, n_scores = data.draw(st.integers(0, 1000)), data.draw(st.sampled_from([1, 3]))
    every, labels = data.draw(st.sampled_from([1, 2, 9])), data.draw(st.sampled_from(LABELS))
    loss = LOSSES[data.draw(st.sampled_from(["zero_one", "prices"]))]
    trees = data.draw(st.booleans())
    kind = {"n_scores": n_scores, "labels": labels, "loss": loss, "several_trees": trees}
    mdp = mdp_of(seed, **kind, weighted=True, n=30, n_steps=7, n_cells=8)
    shape = data.draw(st.sampled_from([(1, 1), (-(-7 // every), 1), (1, mdp.grid.n_cells)]))
    confidence = np.random.default_rng(seed).normal(size=shape)
    candidates = ExitCandidates(mdp, confidence, np.linspace(-1, 1, 5), every)
    others = [mdp, mdp.with_labels(mdp.labels, ZeroOne()), mdp]

    losses, costs = candidates.evaluate_by(others)

    by_calls = [by.with_labels(by.labels, PlainLoss(by.loss)) for by in others]
    wanted_losses, wanted_costs = candidates.evaluate_by(by_calls)
    np.testing.assert_array_equal(losses, wanted_losses)
    np.testing.assert_array_equal(costs, wanted_costs)


def test_arguments_of_the_kernel_that_say_where_it_writes_are_checked():
    mdp = mdp_of(0)
    candidates = ExitCandidates(mdp, np.arange(4.0)[:, None], np.arange(4.0))
    sample = (mdp.votes.tables.native, mdp.votes.codes, mdp.votes.tables.bias, mdp.weight)
    sample = *sample, np.arange(5.0)
    fits = {
        "levels": candidates.levels.astype(np.int32),
        "spent": sample[-1],
        "sums": np.zeros((2, 6)),
    }

    def walk(levels, spent, sums):
        exits = levels, len(candidates), 1
        _core.walk_exits((*sample[:4], spent), mdp.grid.native, exits, [quit_loss(mdp)], sums)

    walk(**fits)
    wrong = {"levels": -fits["levels"], "spent": np.arange(4.0), "sums": np.zeros((2, 5))}
    for name, array in wrong.items():
        with pytest.raises(ValueError, match=r"level|steps|sums"):
            walk(**fits | {name: array})
    with pytest.raises(ValueError, match="levels are not those"):
        walk(**fits | {"levels": fits["levels"][:3]})


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_inner_edges_bound_their_cells(data):
    """On the side of its sign, every score of a cell is at least as far from 0 as the edge."""
    n_scores = data.draw(st.sampled_from([1, 2]))
    grid = data.draw(strategies.grids(n_scores))
    scores = np.array(data.draw(st.lists(strategies.votes_, min_size=n_scores, max_size=n_scores)))
    edge, sign = (values[grid.cells(scores[None])[0]] for values in inner_edges(grid))
    state = scores[0] if n_scores == 1 else abs(scores[0] - scores[1])
    if sign == 0:
        assert edge == 0
    else:
        assert sign * state >= sign * edge >= 0


def test_a_family_of_exits_is_a_sequence():
    mdp = mdp_of(0)
    candidates = ExitCandidates(mdp, np.arange(4.0)[:, None], np.arange(4.0))
    assert [p.actions.tolist() for p in candidates] == [p.actions.tolist() for p in candidates[:]]
    assert (candidates[0].actions == EVAL).all()
    assert (candidates[-1].actions != EVAL).all()
    with pytest.raises(IndexError):
        candidates[5]


def test_a_tie_goes_to_the_careful():
    """Nothing costs and nothing errs: the full ensemble is as good as any."""
    mdp = MDP(np.ones((3, 2)), np.ones(3, int), beta=0.0, grid=Grid(np.zeros(1)))

    class TwoCandidates(Family):
        def candidates(self, mdp):
            return ExitCandidates(mdp, np.array([[-1.0], [1.0]]), np.ones(1))

    chosen = TwoCandidates().solve(mdp)
    assert (chosen.actions == EVAL).all()


def margin(scores):
    if scores.shape[1] == 1:
        return np.abs(scores[:, 0])
    top = np.sort(scores, axis=1)
    return top[:, -1] - top[:, -2]


@pytest.mark.parametrize("n_scores", [1, 3])
@pytest.mark.parametrize("every", [1, 3])
def test_every_candidate_is_one_threshold(n_scores, every):
    """Scores between edges that are symmetric: a rollout quits at the first margin above it."""
    rng = np.random.default_rng(0)
    votes = rng.normal(size=(40, 8, n_scores))
    edges = np.arange(-40, 41) / 10 if n_scores == 1 else np.arange(0, 41) / 10
    mdp = MDP(votes, rng.integers(0, 2, 40), grid=Grid(edges, n_scores))
    candidates = Margin(every).candidates(mdp)
    sums = np.concatenate([np.zeros((40, 1, n_scores)), np.cumsum(votes, axis=1)], axis=1)
    for threshold, policy in zip(candidates.thresholds, candidates, strict=True):
        _, n_evaluated, _ = mdp.rollout(policy)
        for i in range(40):
            looks = range(0, 8, every)
            quits = [j for j in looks if j and margin(sums[i, j][None])[0] > threshold]
            start = (
                0 if policy.actions[0, mdp.grid.cells(np.zeros((1, n_scores)))[0]] == QUIT else 8
            )
            assert n_evaluated[i] == min([start, *quits])


def test_confident_rows_quit_and_doubtful_ones_go_on():
    votes = np.array([[3.0, 0.5], [-3.0, 0.5], [0.5, -1.0], [-0.5, 1.0]])
    mdp = MDP(votes, [1, 0, 0, 1], beta=0.01, grid=Grid([-2.0, -1.0, 0.0, 1.0, 2.0]))
    value = mdp.evaluate(Margin().solve(mdp))
    assert (value.loss, value.cost) == (0.0, 1.5)


def test_candidates_are_the_prefixes_from_the_longest():
    mdp = mdp_of(0)
    candidates = Prefix().candidates(mdp)
    for c, n in enumerate([4, 3, 2, 1, 0]):
        wanted = Policy.prefix(n, 4, mdp.grid)
        np.testing.assert_array_equal(candidates[c].actions, wanted.actions)
