"""The simplest early exits: `Prefix`, one length for all rows, and `Margin`, one threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mddag.policy.grid import DEFAULT_CELLS
from mddag.policy.mdp import MDP
from mddag.solvers.exits import ExitCandidates, OneParameter, check_classes, inner_edges


@dataclass
class Margin(OneParameter):
    """Quit when the margin exceeds a threshold, which is tuned by Eq. (8).

    The margin is ``abs(f)`` or, for K > 1, the difference of the two best scores: the rule of
    LightGBM's prediction early stopping. One number for all steps leaves little to overfit, but the
    rule ignores that early sums are unreliable and that the last votes of a shrunken ensemble are
    too small to change a sign.

    Parameters
    ----------
    every : int, default=1
        Number of steps between two looks at the margin.

    Examples
    --------
    >>> import mddag
    >>> from mddag.solvers import Margin
    >>> mdp = mddag.MDP([[2.0, 0.1], [-1.5, 0.1], [-0.1, 1.0]], [1, 0, 1], beta=0.05)
    >>> mdp.rollout(Margin().solve(mdp))[1]
    array([1, 1, 2], dtype=int32)
    """

    # All classes have the same thresholds, so each may have as many as there are for two.
    cells_per_class: ClassVar[int | None] = DEFAULT_CELLS

    def candidates(self, mdp: MDP) -> ExitCandidates:
        # one for every edge of the grid, the largest first
        check_classes(self, mdp)
        edges, _ = inner_edges(mdp.grid)
        return ExitCandidates(mdp, np.abs(edges), np.abs(edges), self.every)


@dataclass
class Prefix(OneParameter):
    """Evaluate the first n base classifiers for every row; the simplest baseline.

    Parameters
    ----------
    every : int, default=1
        Only multiples of it are tried for n.

    Examples
    --------
    >>> import mddag
    >>> from mddag.solvers import Prefix
    >>> mdp = mddag.MDP([[2.0, 0.1], [-1.5, 0.1], [0.2, 1.0]], [1, 0, 1], beta=0.05)
    >>> mdp.rollout(Prefix().solve(mdp))[1]
    array([1, 1, 1], dtype=int32)
    """

    def candidates(self, mdp: MDP) -> ExitCandidates:
        steps = np.arange(0, mdp.n_steps, self.every, dtype=np.float64)
        return ExitCandidates(mdp, steps[:, None], steps, self.every)
