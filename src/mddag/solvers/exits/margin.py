"""Margin: quit when |f| (K > 1: the margin between the two best scores) exceeds one threshold.

The rule of LightGBM's prediction early stopping, with the threshold tuned by Eq. (8). There is one
number for all steps, so there is little to overfit. The rule takes no account of the step: neither
that early sums are unreliable nor that the last votes of a shrunken ensemble are too small to
change a sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mddag.mdp.grid import DEFAULT_CELLS
from mddag.mdp.mdp import MDP
from mddag.solvers.exits.family import OneKnob, check_classes
from mddag.solvers.exits.nested import Exits, inner_edges


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
