import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag import MDP, Grid
from mddag.losses import Logistic
from mddag.policy.policy import QUIT
from mddag.solvers import Portfolio, Prefix, Stopping
from mddag.solvers.stopping import MIN_COUNT, beyond_thresholds
from tests.reference import stopping as reference
from tests.solvers.problems import LOSSES, mdp_of


@settings(deadline=None, max_examples=100)
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=12))
def test_thresholds_gain_as_much_as_any(gains):
    chosen = sum(
        g for g, quits in zip(gains, beyond_thresholds(np.array(gains)), strict=True) if quits
    )
    best = reference.by_thresholds(gains, None)
    assert chosen == sum(g for g, quits in zip(gains, best, strict=True) if quits)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_scores", [1, 3])
@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.parametrize("shape", ["cells", "thresholds"])
def test_it_decides_as_its_twin(seed, n_scores, every, shape):
    mdp = mdp_of(seed, n_scores=n_scores, loss=LOSSES["logistic"], n=5 * MIN_COUNT, n_steps=5)
    mdp = mdp.read_by(np.linspace(2.0, 1.0, 6))
    policy = Stopping(shape, n_cells=4, every=every).solve(mdp)
    decide = reference.by_groups(4) if shape == "cells" else reference.by_thresholds
    wanted = np.array(reference.quits(mdp, decide, every))
    seen = np.array(
        [
            np.bincount(mdp.grid.cells(f) % wanted.shape[1], minlength=wanted.shape[1]) > 0
            for f in reference.sums(mdp)[:-1:every]
        ]
    )
    for actions in np.split(policy.actions, n_scores, axis=1):
        np.testing.assert_array_equal((actions == QUIT)[seen], wanted[seen])


def test_without_quit_everything_is_evaluated():
    mdp = mdp_of(0, actions=("eval", "skip"))
    assert mdp.evaluate(Stopping().solve(mdp)).n_evaluated == mdp.n_steps


def easy_and_hard(seed, n=2000, n_steps=60):
    """Half of the rows are settled by the first vote; of the others every vote tells a little.

    Votes are half as large as log-odds would be, as in a shrunken ensemble.
    """
    rng = np.random.default_rng(seed)
    log_odds = rng.normal(size=(n, n_steps)) * 1.5 / np.sqrt(n_steps)
    easy = rng.random(n) < 0.5
    log_odds[easy] *= 0.1
    log_odds[easy, 0] = rng.choice([-5.0, 5.0], easy.sum())
    labels = (rng.random(n) < 1 / (1 + np.exp(-log_odds.sum(axis=1)))).astype(int)
    votes = np.round(log_odds / 2, 3)
    grid = Grid(np.linspace(-4, 4, 161))
    return MDP(votes, labels, loss=Logistic(2.0), beta=1e-3, grid=grid)


@pytest.mark.parametrize("members", [None, (Stopping(),), (Stopping("thresholds"),)])
def test_easy_rows_quit_and_hard_ones_do_not(members):
    learning, fresh = easy_and_hard(0), easy_and_hard(1)
    found = fresh.evaluate(Portfolio(members, random_state=0).solve(learning)).objective
    assert found < fresh.evaluate(Prefix().solve(learning)).objective - 0.005
