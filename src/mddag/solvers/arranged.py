"""Arranged: an MDP made ready for a solver: its base classifiers in order, on a grid of cells.

Order, levels and grid are made from the rows for learning alone. Other rows, such as those for
choosing, take the same ones (``like``), and a policy that was learned here is brought back to base
classifiers as the source ensemble has them (``for_source``). A solver that arranges by itself gets
the MDP as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mddag.mdp.grid import Grid
from mddag.mdp.mdp import MDP
from mddag.mdp.policy import Policy
from mddag.ordering import Correlation, Given
from mddag.ordering.arrangement import Arrangement, arranged
from mddag.solvers.solver import Solver

GRIDS = ("quantile", "uniform")


@dataclass(frozen=True, eq=False)
class Arranged:
    """An MDP in an arrangement of the source's base classifiers."""

    mdp: MDP
    arrangement: Arrangement

    def like(self, other: MDP) -> MDP:
        """Other rows of the source in this order, on this grid."""
        return other.arranged(self.arrangement, self.mdp.grid)

    def for_source(self, policy: Policy) -> Policy:
        """A policy learned in this arrangement, for base classifiers as the source has them."""
        return policy.on_fewest_cells().after(self.arrangement)


def arranged_for(
    solver: Solver, mdp: MDP, ordering: Any = None, grid: str = "quantile"
) -> Arranged:
    """The MDP with base classifiers in the order that decides, on one of GRIDS.

    ordering : None for Correlation(), whose levels are made for signs; for numbers, which boosting
               puts in order by itself, for Given()
    """
    if solver.arranges:
        return Arranged(mdp, Arrangement(np.arange(mdp.n_steps)))
    if ordering is None:
        ordering = Given() if mdp.of_numbers else Correlation()
    levels = solver.levels(mdp.n_scores)
    arrangement = arranged(ordering, mdp.votes, mdp.costs, mdp.weight, levels=levels)
    mdp = mdp.arranged(arrangement)
    n_cells = solver.cells_per_class
    if grid == "uniform":
        return Arranged(mdp.on_grid(Grid.uniform(mdp.votes, n_cells)), arrangement)
    cells = Grid.quantile(mdp.votes, n_cells, weight=mdp.weight)
    return Arranged(mdp.on_grid(cells), arrangement)
