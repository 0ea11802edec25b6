"""A small problem to sweep, and a solver that needs no learning."""

import numpy as np

from mddag.policy.mdp import MDP
from mddag.policy.policy import Policy
from mddag.tuning.sweep import sweep_policies

BETAS = [0.0, 0.003, 0.02, 0.3]


class BestPrefix:
    """Solves by trying every prefix on the training rows."""

    def solve(self, mdp, selection=None):
        prefixes = [Policy.prefix(j, mdp.n_steps, mdp.grid) for j in range(mdp.n_steps + 1)]
        return min(prefixes, key=lambda policy: mdp.evaluate(policy).objective)


def noisy(seed, n_steps=12, loss=None, n_rows=300):
    """The MDP of noisy votes."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n_rows)
    votes = 0.3 * (2 * labels - 1)[:, None] + rng.normal(size=(n_rows, n_steps))
    return MDP(votes, labels, loss=loss)


def swept():
    return sweep_policies(noisy(0), BestPrefix(), BETAS, selection=noisy(1), test=noisy(2))
