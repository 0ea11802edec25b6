"""Table: Q in equal bins of the state; the simplest value function, and the fastest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_one_of, check_whole
from mddag._internal.parameters import Parameters
from mddag.ensemble.votes import Tables
from mddag.mdp.policy import ACTIONS
from mddag.solvers.td.values.value import running_norm, total_norm


@dataclass
class Table(Parameters):
    """`n_bins` equal bins of the state.

    running : measure f against what the steps so far can have added (True), or against the sum of
              all alphas as the paper's footnote does (False), which needs some hundred bins
    """

    n_bins: int = 11
    running: bool = True

    def __post_init__(self) -> None:
        check_whole("n_bins", self.n_bins, 1)
        check_one_of("running", self.running, (True, False))

    def start(self, n_steps: int, n_parts: int) -> tuple[NDArray[np.float64], int]:
        """See `Value.start`: q (n_steps x n_parts x n_bins x 3, flat), n_bins."""
        return np.zeros(n_steps * n_parts * self.n_bins * len(ACTIONS)), self.n_bins

    def norm(self, tables: Tables) -> NDArray[np.float64]:
        return running_norm(tables) if self.running else total_norm(tables)
