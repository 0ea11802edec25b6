"""The simplest early exits: Prefix, the same length for every row, and Margin, one threshold.

Margin quits when |f| (K > 1: the margin between the two best scores) exceeds a threshold: the rule
of LightGBM's prediction early stopping, tuned by Eq. (8). There is one number for all steps, so
there is little to overfit. The rule takes no account of the step: neither that early sums are
unreliable nor that the last votes of a shrunken ensemble are too small to change a sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mddag.policy.grid import DEFAULT_CELLS
from mddag.policy.mdp import MDP
from mddag.solvers.exits import Exits, OneKnob, check_classes, inner_edges


@dataclass
class Margin(OneKnob):
    """One tuned threshold on the margin.

    every : steps between two looks at the margin
    """

    # All classes have the same thresholds, so each may have as many as there are for two.
    cells_per_class: ClassVar[int | None] = DEFAULT_CELLS

    def candidates(self, mdp: MDP) -> Exits:
        """A threshold at every edge of the grid, the largest first."""
        check_classes(self, mdp)
        edges, _ = inner_edges(mdp.grid)
        return Exits(mdp, np.abs(edges), np.abs(edges), self.every)


@dataclass
class Prefix(OneKnob):
    """The best prefix by Eq. (8): the simplest policy, and the one to beat.

    every : lengths that are tried are multiples of it
    """

    def candidates(self, mdp: MDP) -> Exits:
        """All prefixes, the longest first."""
        steps = np.arange(0, mdp.n_steps, self.every, dtype=np.float64)
        return Exits(mdp, steps[:, None], steps, self.every)
