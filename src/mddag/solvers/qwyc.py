"""QWYC: two thresholds per step under a bound on disagreement with the full ensemble."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag import _core
from mddag._utils.checks import Parameters, as_floats, check_whole
from mddag.ensemble.votes import partial_sums
from mddag.policy.grid import Grid
from mddag.policy.mdp import MDP
from mddag.policy.policy import EVAL, QUIT, Policy, trusted_policy
from mddag.solvers.exits import check_classes
from mddag.solvers.solver import Candidates, Family

RATES = (0.0, 0.001, 0.002, 0.003, 0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.2)
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of the budget for the lower end; the upper has the rest

Matrix = NDArray[np.float64]


@dataclass
class QWYC(Parameters, Family):
    """Quit below a low or above a high threshold of the step ("Quit when you can").

    At each step as many rows as possible quit at both ends of f, while at most a share `rate` of
    all rows gets another label than by the full ensemble (Wang, Gupta & You). The rate is tuned by
    Eq. (8), which is the one use of labels. Binary problems with one score only.

    Parameters
    ----------
    every : int, default=1
        Number of steps between two looks at the score.
    rates : tuple of float
        Shares of the rows that may get another label, from 0 to 1, to choose from.

    Examples
    --------
    >>> import mddag
    >>> from mddag.solvers import QWYC
    >>> mdp = mddag.MDP([[2.0, 0.1], [-1.5, 0.1], [-0.1, 1.0]], [1, 0, 1], beta=0.05)
    >>> mdp.rollout(QWYC(rates=(0.0, 0.5)).solve(mdp))[1]
    array([1, 1, 2], dtype=int32)
    """

    every: int = 1
    rates: tuple[float, ...] = RATES

    def __post_init__(self) -> None:
        check_whole("every", self.every, 1)
        rates = as_floats("rates", self.rates, "shares of the rows, in [0, 1]")
        if rates.ndim != 1 or not len(rates) or not ((rates >= 0) & (rates <= 1)).all():
            raise ValueError(f"rates are {self.rates}; wanted shares of the rows, in [0, 1]")

    def candidates(self, mdp: MDP) -> Bands:
        check_classes(self, mdp)
        if mdp.n_scores != 1:
            raise ValueError(
                f"votes have {mdp.n_scores} scores; QWYC has a low and a high end of one score: "
                "use Residual or Margin"
            )
        rates = self.rates if "quit" in mdp.actions else ()
        walk = BandWalk(mdp, np.array(rates, np.float64), -(-mdp.n_steps // self.every))
        full = mdp.votes.scores()[:, 0] > 0
        for j, scores in enumerate(partial_sums(mdp.votes)):
            if j % self.every == 0 and j < mdp.n_steps and len(rates):
                wrong = (scores[:, 0] > 0) != full
                walk.quit(j // self.every, mdp.grid.cells(scores), wrong)
        return Bands(mdp.grid, walk.bands, np.arange(mdp.n_steps), self.every)


class BandWalk:
    """Rows on their way through the steps, once for each rate.

    `bands` is intp (n_rates, 2, n_decisions): cells up to the first and from the second on quit.
    """

    def __init__(self, mdp: MDP, rates: NDArray[np.float64], n_decisions: int) -> None:
        self.n_cells, self.weight = mdp.grid.n_cells, mdp.weight
        self.equal = bool((mdp.weight == 1).all())  # counting is faster than weighing
        self.bands = np.empty((len(rates), 2, n_decisions), np.intp)
        self.rows = [np.arange(mdp.n_rows) for _ in rates]
        self.budgets = rates * mdp.weight.sum()

    def quit(self, decision: int, cells: NDArray[np.int32], wrong: NDArray[np.bool_]) -> None:
        """Let as many rows quit as the budget of each rate allows."""
        sides = cells + self.n_cells * wrong
        found = np.stack([self._histogram(sides[rows], rows) for rows in self.rows], axis=1)
        right, lost = found
        low, high, quit_weight = cuts(right + lost, lost, self.budgets)
        self.bands[:, 0, decision], self.bands[:, 1, decision] = low, high
        for c in np.flatnonzero(quit_weight):
            quits = np.ones(self.n_cells, np.bool_)
            quits[low[c] + 1 : high[c]] = False
            self.budgets[c] -= np.where(quits, lost[c], 0.0).sum()
            self.rows[c] = self.rows[c][~quits[cells[self.rows[c]]]]

    def _histogram(self, sides: NDArray[np.intp], rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the weight of rows that quitting gets right and wrong, by cell, (2, n_cells)."""
        weight = None if self.equal else self.weight[rows]
        return np.bincount(sides, weight, 2 * self.n_cells).reshape(2, -1).astype(np.float64)


class Bands(Candidates):
    """Candidates that go on inside a band of cells at each step; the first is the full ensemble."""

    def __init__(
        self, grid: Grid, bands: NDArray[np.intp], order: NDArray[np.intp], every: int
    ) -> None:
        self.grid, self.order, self.every = grid, order, every
        nowhere = np.tile([[-1], [grid.n_cells]], -(-len(order) // every))
        self.bands = [nowhere, *bands]

    def __len__(self) -> int:
        return len(self.bands)

    def policy(self, c: int) -> Policy:
        low, high = self.bands[c][:, :, None]
        cell = np.arange(self.grid.n_cells)
        actions = np.where((cell <= low) | (cell >= high), QUIT, EVAL).astype(np.uint8)
        return trusted_policy(actions, self.grid, self.order, self.every)

    def evaluate_by(self, mdps: Sequence[MDP]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        losses, costs = np.empty((len(mdps), len(self))), np.empty(len(self))
        for c, policy in enumerate(self):
            scores, n_evaluated, cost = mdps[0].rollout(policy)
            costs[c] = np.average(cost, weights=mdps[0].weight)
            for by, mdp in zip(losses, mdps, strict=True):
                lost = mdp.losses(scores, slice(None), n_evaluated)
                by[c] = np.average(lost, weights=mdp.weight)
        return losses, costs


def cuts(
    there: Matrix, wrong: Matrix, budget: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the cuts at which the most rows quit at both ends of the cells, and their weight.

    Cells up to low and from high on quit. `there` and `wrong` (m, n_cells) are the weight of the
    rows in each cell and of those that quitting gets wrong, `budget` the largest weight that may be
    wrong. Both cuts end at cells that hold rows: nothing is known of what lies between. Computed by
    native/exits/quit_cuts.hpp.
    """
    m = len(there)
    low, high, quit_weight = np.empty(m, np.int64), np.empty(m, np.int64), np.empty(m)
    budgets = np.full(m, budget, np.float64)
    _core.quit_cuts(there, wrong, budgets, np.array(SHARES), low, high, quit_weight)
    return low, high, quit_weight
