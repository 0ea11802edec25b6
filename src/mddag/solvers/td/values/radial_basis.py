"""RadialBasis: Q as a sum of Gaussian bumps, the value function of the authors' program.

    Q(s, a) = sum over centres c of weight_c exp(-(s - c)^2 / (2 sigma^2)),   0 beyond 5 sigma

Only the weights learn. Where the temporal-difference error exceeds a tenth of the largest weight
and no centre is active above 0.4, a centre is added at s whose weight is the error. Rewards are
negative losses, so that weights of 0 are as optimistic as theirs of 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_one_of, check_positive, check_whole
from mddag._internal.parameters import Parameters
from mddag.ensemble.votes import Tables
from mddag.mdp.policy import ACTIONS
from mddag.solvers.td.values.value import running_norm, total_norm

SPACING = math.sqrt(2 * math.log(1 / 0.4))  # in sigmas: where an activation falls to 0.4


@dataclass
class RadialBasis(Parameters):
    """`n_centres` bumps at (i + 1) / (n_centres + 1) to begin with, and more where needed.

    sigma       : width of a bump; None means min(1 / (2.2 n_centres), 0.01)
    max_centres : at most so many per step, part and action
    normalised  : divide by the sum of the activations
    running     : as in Table
    """

    n_centres: int = 11
    sigma: float | None = None
    max_centres: int = 1000
    normalised: bool = False
    running: bool = False

    def __post_init__(self) -> None:
        check_whole("n_centres", self.n_centres, 0)
        check_whole("max_centres", self.max_centres, max(self.n_centres, 1))
        check_one_of("normalised", self.normalised, (True, False))
        check_one_of("running", self.running, (True, False))
        if self.sigma is not None:
            check_positive("sigma", self.sigma)

    def start(
        self, n_steps: int, n_parts: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32], float, bool]:
        """See `Value.start`: weights and centres (n_functions, capacity), counts, two constants."""
        sigma = min(1 / (2.2 * max(self.n_centres, 1)), 0.01) if self.sigma is None else self.sigma
        # Centres are added apart from each other, so that only so many find room in [0, 1].
        room = self.n_centres + math.floor(1 / (SPACING * sigma)) + 1
        n_functions = n_steps * n_parts * len(ACTIONS)
        centres = np.zeros((n_functions, min(self.max_centres, room)))
        centres[:, : self.n_centres] = np.arange(1, self.n_centres + 1) / (self.n_centres + 1)
        counts = np.full(n_functions, self.n_centres, np.int32)
        return np.zeros_like(centres), centres, counts, float(sigma), self.normalised

    def norm(self, tables: Tables) -> NDArray[np.float64]:
        return running_norm(tables) if self.running else total_norm(tables)
