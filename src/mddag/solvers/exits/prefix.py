"""Prefix: the first n base classifiers and no more, the same n for every instance.

The simplest policy, and the one to beat: best by Eq. (8) among all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mddag.mdp.mdp import MDP
from mddag.solvers.exits.family import OneKnob
from mddag.solvers.exits.nested import Exits


@dataclass
class Prefix(OneKnob):
    """The best prefix.

    every : lengths that are tried are multiples of it
    """

    def candidates(self, mdp: MDP) -> Exits:
        """All prefixes, the longest first."""
        steps = np.arange(0, mdp.n_steps, self.every, dtype=np.float64)
        return Exits(mdp, steps[:, None], steps, self.every)
