"""Rows for detection: votes that tell positives from negatives, the first ones best."""

import numpy as np

from mddag import MDP


def detection_mdp(seed=0, n=400, n_steps=12, share=0.4, beta=0.01, weighted=False):
    """An MDP of n rows; votes are of few sizes, so that no two sums differ by rounding alone."""
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < share
    positive[:2] = True, False
    strength = np.linspace(0.8, 0.2, n_steps)
    votes = rng.normal(np.where(positive, 0.5, -0.5)[:, None] * strength, 1.0).round(3)
    weight = rng.uniform(0.5, 2.0, n) if weighted else None
    return MDP(votes, positive.astype(int), beta=beta, weight=weight)
