"""Sweep: one backward pass of coordinate descent over a policy's decisions, by its kernel.

From the last decision to the first, each group of cells takes the action with the smallest sum of
exact returns; native/solvers/descent.hpp says how. A loss without a native twin is called once per
decision, with the scores at which rollouts ended.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._internal.checks import checked_threads
from mddag.mdp.mdp import MDP
from mddag.mdp.policy import ACTIONS
from mddag.solvers.quit_loss import quit_loss


@dataclass(frozen=True)
class Guards:
    """What keeps a sweep from learning noise; the defaults guard against nothing.

    n_cells   : groups of cells that decide together, per top class; 0: every cell alone
    min_count : instances per group, about
    z_skip    : standard errors by which SKIP must beat the better of EVAL and QUIT
    z_quit    : standard errors by which QUIT must beat EVAL; rows that all gain alike have none, so
                that a group of one is guarded by `min_count` alone
    """

    n_cells: int = 0
    min_count: int = 1
    z_skip: float = 0.0
    z_quit: float = 0.0


class Sweep:
    """Sweeps over policies for some instances of an MDP, all by default."""

    def __init__(
        self,
        mdp: MDP,
        *,
        every: int = 1,
        actions: tuple[str, ...] | None = None,
        instances: NDArray[np.int64] | None = None,
        n_threads: int = 1,
    ) -> None:
        tables = mdp.votes.tables
        instances = np.arange(mdp.n_instances) if instances is None else instances
        eval_, skip, quit_ = (a in (mdp.actions if actions is None else actions) for a in ACTIONS)
        self.sample = (
            tables.native,
            mdp.votes.codes,
            instances.astype(np.int64),
            tables.bias,
            mdp.costs,
            mdp.weight,
            np.empty(0),  # all costs count alike
        )
        self.grid = mdp.grid.native
        # More steps than there are is all of them; the kernel could not count to any number.
        n_together = min(every, max(mdp.n_steps, 1))
        self.arguments = (mdp.beta, n_together, (eval_, skip, quit_), None)
        loss = quit_loss(mdp)
        self.loss = mdp.losses_of if callable(loss) else loss
        self.n_threads = checked_threads(n_threads)

    def __call__(self, actions: NDArray[np.uint8], guards: Guards) -> float:
        """Improve actions (n_decisions, n_cells) in place; returns Eq. (8) on these instances."""
        limits = (guards.n_cells, guards.min_count, guards.z_skip, guards.z_quit)
        return _core.descend(
            self.sample, self.grid, self.arguments, limits, self.loss, actions, self.n_threads
        )
