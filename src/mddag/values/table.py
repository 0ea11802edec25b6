"""Table: Q in equal bins of the state; the simplest value function, and the fastest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag.values.value import running_norm, total_norm
from mddag.votes import Tables


@dataclass(frozen=True)
class Table:
    """`n_bins` equal bins of the state.

    running : measure f against what the steps so far can have added (True), or against the sum of
              all alphas as the paper's footnote does (False), which needs some hundred bins
    """

    n_bins: int = 11
    running: bool = True

    def start(self, n_steps: int, n_parts: int) -> tuple[NDArray[np.float64], int]:
        if self.n_bins < 1:
            raise ValueError(f"n_bins is {self.n_bins}; a table needs at least 1 bin")
        return np.zeros(n_steps * n_parts * self.n_bins * 3), self.n_bins

    def norm(self, tables: Tables) -> NDArray[np.float64]:
        return running_norm(tables) if self.running else total_norm(tables)
