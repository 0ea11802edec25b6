"""Prefix: the first n base classifiers and no more, the same n for every instance.

The simplest policy, and the one to beat: best by Eq. (8) among all N + 1 of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mddag.mdp import MDP
from mddag.parameters import Parameters
from mddag.policy import Policy
from mddag.solvers._exits import Exits, best


@dataclass
class Prefix(Parameters):
    """The best prefix; it has no parameters."""

    def solve(self, mdp: MDP, selection: MDP | None = None) -> Policy:
        """The best prefix by Eq. (8) on `selection`, or on the MDP itself."""
        return best(self.candidates(mdp), mdp if selection is None else selection)

    def candidates(self, mdp: MDP) -> Exits:
        """All prefixes, the longest first."""
        steps = np.arange(mdp.n_steps, dtype=np.float64)
        return Exits(mdp, steps[:, None], steps)
