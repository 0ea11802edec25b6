"""A small problem to sweep, and a solver that needs no learning."""

from dataclasses import dataclass

import numpy as np

from mddag.mdp.mdp import MDP
from mddag.mdp.policy import Policy
from mddag.tuning.sweep import sweep_policies

BETAS = [0.0, 0.003, 0.02, 0.3]


class BestPrefix:
    """Solves by trying every prefix on the training rows."""

    def solve(self, mdp, selection=None):
        prefixes = [Policy.prefix(j, mdp.n_steps, mdp.grid) for j in range(mdp.n_steps + 1)]
        return min(prefixes, key=lambda policy: mdp.evaluate(policy).objective)


@dataclass(frozen=True)
class OfBeta:
    """The MDP of noisy votes at a beta."""

    seed: int
    n_steps: int = 12
    loss: object = None
    n_rows: int = 300

    def __call__(self, beta):
        rng = np.random.default_rng(self.seed)
        labels = rng.integers(0, 2, self.n_rows)
        votes = 0.3 * (2 * labels - 1)[:, None] + rng.normal(size=(self.n_rows, self.n_steps))
        return MDP(votes, labels, beta=beta, loss=self.loss)


def swept():
    return sweep_policies(OfBeta(0), BestPrefix(), BETAS, selection=OfBeta(1), test=OfBeta(2))
