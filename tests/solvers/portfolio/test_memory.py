"""Votes are what fills memory: at their peak all copies of them take three times as much."""

import tracemalloc

import numpy as np
import pytest

from mddag import MDP
from mddag.ensemble.votes import Tables, Votes
from mddag.losses import Logistic, ZeroOne
from mddag.solvers import Descent, Margin, Portfolio, Residual, Stopping

N_ROWS, N_STEPS, N_LEAVES = 40_000, 500, 8


def problem(loss):
    """As many rows that blocks and tables of fixed sizes are small beside their votes."""
    rng = np.random.default_rng(0)
    tables = Tables(
        values=0.05 * rng.normal(size=N_STEPS * N_LEAVES),
        starts=np.arange(N_STEPS + 1) * N_LEAVES,
        score=np.zeros(N_STEPS, np.int32),
        rounds=np.arange(N_STEPS + 1),
        bias=np.zeros(1),
    )
    votes = Votes(rng.integers(0, N_LEAVES, (N_ROWS, N_STEPS), np.uint8), tables)
    labels = (votes.scores()[:, 0] + rng.normal(size=N_ROWS) > 0).astype(int)
    return MDP(votes, labels, loss=loss, beta=1e-2)


@pytest.mark.parametrize(
    ("loss", "member"),
    [(Logistic(), Stopping()), (ZeroOne(), Descent(n_starts=0, n_sweeps=1))],
    ids=["log-loss", "errors"],
)
def test_the_portfolio_takes_three_times_the_memory_of_the_votes(loss, member):
    tracemalloc.start()
    mdp = problem(loss)
    tracemalloc.reset_peak()
    Portfolio((Margin(), Residual(), member), sizes=(60,), random_state=0).solve(mdp)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 3 * mdp.votes.nbytes
