"""A small problem to sweep, and a solver that needs no learning."""

import numpy as np

import mddag
from mddag.policy import Given
from mddag.policy.policy import Policy

BETAS = [0.0, 0.003, 0.02, 0.3]
N_STEPS = 12


class BestPrefix:
    """Solves by trying every prefix on the training rows."""

    def solve(self, mdp, selection=None):
        prefixes = [Policy.prefix(j, mdp.n_steps, mdp.grid) for j in range(mdp.n_steps + 1)]
        return min(prefixes, key=lambda policy: mdp.evaluate(policy).objective)


def noisy(seed, n_rows=600):
    """Noisy votes, and labels."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n_rows)
    return 0.3 * (2 * labels - 1)[:, None] + rng.normal(size=(n_rows, N_STEPS)), labels


def swept(solver=None, betas=BETAS, **settings):
    """The curve of an ensemble whose votes are the columns of X."""
    voters = [lambda X, j=j: X[:, j] for j in range(N_STEPS)]
    ensemble = mddag.Ensemble.from_callables(voters, n_features=N_STEPS)
    X_test, y_test = noisy(1)
    settings = {"X_test": X_test, "y_test": y_test, "ordering": Given(), **settings}
    return mddag.sweep(ensemble, *noisy(0), betas=betas, solver=solver or BestPrefix(), **settings)
