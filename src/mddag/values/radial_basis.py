"""RadialBasis: Q as a sum of Gaussian bumps, the value function of the authors' program.

Where the temporal-difference error is large and no centre is near, a centre is added; only the
weights learn. Rewards are negative losses, so that weights of 0 are as optimistic as theirs of 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag.values.value import running_norm, total_norm
from mddag.votes import Tables


@dataclass(frozen=True)
class RadialBasis:
    """`n_centres` bumps at (i + 1) / (n_centres + 1) to begin with, and more where needed.

    sigma       : width of a bump; None means min(1 / (2.2 n_centres), 0.01)
    max_centres : at most so many per step and action
    normalised  : divide by the sum of the activations
    running     : as in Table
    """

    n_centres: int = 11
    sigma: float | None = None
    max_centres: int = 1000
    normalised: bool = False
    running: bool = False

    def start(
        self, n_steps: int, n_parts: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32], float, bool]:
        if not 0 <= self.n_centres <= self.max_centres:
            raise ValueError(
                f"n_centres is {self.n_centres}; wanted 0 to max_centres = {self.max_centres}"
            )
        sigma = min(1 / (2.2 * max(self.n_centres, 1)), 0.01) if self.sigma is None else self.sigma
        n_functions = n_steps * n_parts * 3
        centres = np.zeros((n_functions, self.max_centres))
        centres[:, : self.n_centres] = np.arange(1, self.n_centres + 1) / (self.n_centres + 1)
        counts = np.full(n_functions, self.n_centres, np.int32)
        return centres, np.zeros_like(centres), counts, sigma, self.normalised

    def norm(self, tables: Tables) -> NDArray[np.float64]:
        return running_norm(tables) if self.running else total_norm(tables)
