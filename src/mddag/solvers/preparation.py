"""What solvers share: rows in an order and on a grid, soft targets, losses as kernels take them.

`arranged_for` puts the base classifiers of an MDP in order and makes its grid of cells, both from
the rows for learning alone. `with_soft_targets` puts calibrated probabilities of the full model in
place of labels. `quit_loss` is what QUIT pays: numbers for a loss with a native twin (native/mdp/
loss.hpp), else a callback, which costs microseconds where a twin costs nanoseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag.policy.arrangement import Arrangement, arranged, by_lines, by_log_odds
from mddag.policy.calibration import fit_factor, probabilities
from mddag.policy.grid import Grid
from mddag.policy.mdp import MDP
from mddag.policy.ordering import Correlation, Given
from mddag.policy.policy import Policy
from mddag.solvers.solver import Solver


def quit_loss(mdp: MDP) -> _core.Loss | Callable[[NDArray[np.float64], int], float]:
    """Return the loss of an MDP with its labels."""
    twin = mdp.loss.native(max(mdp.n_scores, 2))
    if twin is None:
        return lambda scores, i: float(mdp.losses(scores, np.array([i]))[0])
    classes, values, shares = np.empty(0, np.int64), np.empty(0), np.empty(0)
    if mdp.labels.ndim == 2:
        shares = np.ascontiguousarray(mdp.labels).ravel()
    elif mdp.labels.dtype.kind == "f":
        values = mdp.labels
    else:
        classes = mdp.labels.astype(np.int64)
    kind, scale, table = twin
    return kind, float(scale), table, classes, values, shares  # numpy's scalars are not the core's


def with_soft_targets(mdp: MDP, scores: NDArray[np.float64] | None = None) -> MDP:
    """Return the MDP with calibrated probabilities of the full ensemble in place of its labels.

    A class label is one draw from a distribution; the probabilities estimate the whole of it, so
    they are less noisy, but they repeat the errors of the full ensemble. Soft targets cost the
    kernels nothing. For regression the target is what the full score predicts.

    scores : of the full ensemble, (n, K); those of the MDP's own votes by default
    """
    scores = mdp.votes.scores() if scores is None else scores
    if mdp.of_numbers:
        return mdp.with_labels(mdp.loss.predictions(scores)[:, 0])
    shares = mdp.labels if mdp.labels.ndim == 2 else np.eye(max(mdp.n_scores, 2))[mdp.labels]
    # a row counts once per class, by its share of it
    mass = mdp.mass
    row, label = np.nonzero(shares * mass[:, None])
    factor = fit_factor(scores[row], label, shares[row, label] * mass[row])
    return mdp.with_labels(probabilities(scores, factor))


GRIDS = ("quantile", "uniform")


@dataclass(frozen=True, eq=False)
class Arranged:
    """An MDP in an arrangement of the source's base classifiers.

    Other rows, such as those for choosing, take the same order and grid (`like`), and a policy that
    was learned here is brought back to base classifiers as the source has them (`for_source`).
    """

    mdp: MDP
    arrangement: Arrangement | None = None  # of a solver that arranges by itself

    def like(self, other: MDP) -> MDP:
        """Other rows of the source in this order, on this grid."""
        if self.arrangement is None:
            return other
        return other.arranged(self.arrangement, self.mdp.grid)

    def for_source(self, policy: Policy) -> Policy:
        """Return a policy learned here, for base classifiers as the source has them."""
        policy = policy.on_fewest_cells()
        return policy if self.arrangement is None else policy.after(self.arrangement)


def arranged_for(
    solver: Solver, mdp: MDP, ordering: Any = None, grid: str = "quantile"
) -> Arranged:
    """Return the MDP with base classifiers in the order that decides, on one of GRIDS.

    ordering : None for Correlation(), whose levels are made for signs; for numbers, which boosting
               puts in order by itself, for Given()
    """
    if solver.arranges:
        return Arranged(mdp)
    if ordering is None:
        ordering = Given() if mdp.of_numbers else Correlation()
    levels = by_lines if mdp.n_scores == 1 or solver.linear_levels else by_log_odds
    arrangement = arranged(ordering, mdp.votes, mdp.costs, mdp.weight, levels=levels)
    mdp = mdp.arranged(arrangement)
    n_cells = solver.cells_per_class
    if grid == "uniform":
        return Arranged(mdp.on_grid(Grid.uniform(mdp.votes, n_cells)), arrangement)
    cells = Grid.quantile(mdp.votes, n_cells, weight=mdp.weight)
    return Arranged(mdp.on_grid(cells), arrangement)
