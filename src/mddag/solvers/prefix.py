"""Prefix: the first n base classifiers and no more, the same n for every instance.

The simplest policy, and the one to beat: best by Eq. (8) among all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mddag._checks import check_whole
from mddag.mdp import MDP
from mddag.parameters import Parameters
from mddag.policy import Policy
from mddag.solvers._exits import Exits, best


@dataclass
class Prefix(Parameters):
    """The best prefix.

    every : lengths that are tried are multiples of it
    """

    every: int = 1

    def __post_init__(self) -> None:
        check_whole("every", self.every, 1)

    def solve(self, mdp: MDP, selection: MDP | None = None) -> Policy:
        """The best prefix by Eq. (8) on `selection`, or on the MDP itself."""
        return best(self.candidates(mdp), mdp if selection is None else selection)

    def candidates(self, mdp: MDP) -> Exits:
        """All prefixes, the longest first."""
        steps = np.arange(0, mdp.n_steps, self.every, dtype=np.float64)
        return Exits(mdp, steps[:, None], steps, self.every)
