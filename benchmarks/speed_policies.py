"""Policies that quit early, for measuring what quitting saves: a margin, at each `every` steps.

    quit where |f| > margin, for K = 1; the margin is such that training rows evaluate a given
    share of the base classifiers on average

How well they decide is not asked here; `speed_exit` does so on real data, with mddag's own.
"""

from __future__ import annotations

import numpy as np

import mddag
from mddag.policy import EVAL, QUIT

N_EDGES = 1021  # two of four equal parts end at the margins
N_ROWS = 4_000


def quitting_at(ensemble: mddag.Ensemble, X: np.ndarray, share: float, every: int) -> mddag.Policy:
    """The policy whose mean evaluations on the first rows of X are a share of all."""
    n_steps = ensemble.n_classifiers
    votes = ensemble.votes(X[:N_ROWS]).dense()[:, :, 0]
    scores = ensemble.bias[0] + np.cumsum(votes, axis=1)
    at = np.arange(every, n_steps, every)  # decisions after the first
    margin = _margin(np.abs(scores[:, at - 1]), at, n_steps, share * n_steps)
    grid = mddag.Grid(margin * np.linspace(-2, 2, N_EDGES))
    actions = np.full((-(-n_steps // every), grid.n_cells), EVAL)
    actions[1:, np.abs(grid.centres) > margin] = QUIT
    return mddag.Policy(actions, grid, np.arange(n_steps), every)


def _margin(sizes: np.ndarray, at: np.ndarray, n_steps: int, wanted: float) -> float:
    """By halving: the larger the margin, the later rows quit."""
    low, high = 0.0, float(sizes.max())
    for _ in range(30):
        margin = (low + high) / 2
        quits = sizes > margin
        evaluated = np.where(quits.any(axis=1), at[quits.argmax(axis=1)], n_steps).mean()
        low, high = (margin, high) if evaluated < wanted else (low, margin)
    return high
