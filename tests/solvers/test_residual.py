import numpy as np
import pytest

from mddag import MDP, Grid, Votes
from mddag.solvers import Residual
from mddag.solvers.residual import lines


def random_walk(n=2000, n_steps=30, n_scores=1, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(n, 1, n_scores))
    votes = 0.1 * truth + 0.1 * rng.normal(size=(n, n_steps, n_scores))
    labels = truth[:, 0, 0] > 0 if n_scores == 1 else truth[:, 0].argmax(axis=1)
    votes = Votes.from_dense(votes)
    grid = Grid.quantile(votes)
    return MDP(votes, labels.astype(int), beta=1e-3, grid=grid)


def test_lines_are_weighted_regressions():
    """The same normal equations, solved by numpy on weighted rows."""
    mdp = random_walk(n=200)
    full = mdp.votes.scores()[:, 0]
    slope, intercept, deviation = lines(mdp)
    for j in (1, 10, 29):
        f = mdp.votes.dense()[:, :j, 0].sum(axis=1)
        w = np.exp(-(np.abs(f) - np.abs(f).min()) / f.std())
        design = np.stack([f, np.ones_like(f)], axis=1)
        (a, b), *_ = np.linalg.lstsq(design * w[:, None], full * w, rcond=None)
        s = np.sqrt(np.average((full - design @ (a, b)) ** 2, weights=w**2))
        assert (slope[j], intercept[j], deviation[j]) == pytest.approx((a, b, s))


@pytest.mark.parametrize("n_scores", [1, 3])
def test_it_saves_evaluations_on_rows_it_has_not_seen(n_scores):
    learning, fresh = (random_walk(n_scores=n_scores, seed=s) for s in (0, 1))
    policy = Residual().solve(learning)
    full, value = fresh.evaluate(fresh.evaluate_all()), fresh.evaluate(policy)
    assert value.n_evaluated < 20
    assert value.loss < full.loss + 0.02
    assert value.objective < full.objective


@pytest.mark.parametrize("every", [1, 4])
def test_a_larger_z_evaluates_more(every):
    _, costs = Residual(every).candidates(mdp := random_walk()).evaluate(mdp)
    assert costs[0] == 30
    assert (np.diff(costs) <= 1e-9).all()


def test_a_bias_far_from_zero_leaves_weight_for_the_rows():
    votes = 1e-4 * np.random.default_rng(0).normal(size=(50, 5))
    mdp = MDP(votes, np.zeros(50, int))
    mdp.votes.tables.bias[:] = -1.0
    assert np.isfinite(lines(mdp)).all()
    assert mdp.evaluate(Residual().solve(mdp)).n_evaluated == 0


def test_where_nothing_varies_all_is_certain():
    mdp = MDP(np.ones((40, 30)), np.arange(40) % 2)
    assert mdp.evaluate(Residual().solve(mdp)).n_evaluated == 1


def test_lines_of_weighted_rows_are_those_of_copies():
    mdp, weight = random_walk(n=200), np.random.default_rng(1).integers(0, 3, 200)
    weighted = MDP(mdp.votes, mdp.labels, weight=weight, grid=mdp.grid)
    copies = mdp.rows(np.repeat(np.arange(200), weight))
    np.testing.assert_allclose(lines(weighted), lines(copies), rtol=1e-9, atol=1e-12)
