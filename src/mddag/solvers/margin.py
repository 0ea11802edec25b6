"""Margin: quit when |f| (K > 1: the margin between the two best scores) exceeds one threshold.

The rule of LightGBM's prediction early stopping, with the threshold tuned by Eq. (8). One number
for all steps: little to learn, so little to overfit; it knows neither when the sum has become
reliable nor that the last votes of a shrunken ensemble can no longer turn a small margin round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag._checks import check_whole
from mddag.mdp import MDP
from mddag.parameters import Parameters
from mddag.policy import Policy
from mddag.solvers._exits import Exits, best, inner_edges
from mddag.solvers._partial_sums import top_and_margin


@dataclass
class Margin(Parameters):
    """One tuned threshold on the margin.

    every        : steps between two looks at the margin
    n_thresholds : thresholds tried: quantiles of the margins of the full scores
    """

    every: int = 1
    n_thresholds: int = 64

    def __post_init__(self) -> None:
        check_whole("every", self.every, 1)
        check_whole("n_thresholds", self.n_thresholds, 1)

    def solve(self, mdp: MDP, selection: MDP | None = None) -> Policy:
        """The best threshold by Eq. (8) on `selection`, or on the MDP itself."""
        return best(self.candidates(mdp), mdp if selection is None else selection)

    def candidates(self, mdp: MDP) -> Exits:
        """From the full ensemble to quitting on the slightest margin."""
        inner, _ = inner_edges(mdp.grid)
        margins = margins_of(mdp.votes.scores())
        thresholds = np.quantile(margins, np.linspace(0, 1, self.n_thresholds))
        return Exits(mdp, np.abs(inner), _next_edges(np.abs(inner), thresholds), self.every)


def margins_of(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """|f| for one score, else the margin between the two best, (n,)."""
    return np.abs(scores[:, 0]) if scores.shape[1] == 1 else top_and_margin(scores)[1]


def _next_edges(edges: NDArray[np.float64], thresholds: NDArray[np.float64]) -> NDArray[np.float64]:
    """The smallest edge that is not below each threshold, where there is one."""
    rising = np.unique(edges)
    at = np.unique(np.searchsorted(rising, thresholds))
    return rising[at[at < len(rising)]]
