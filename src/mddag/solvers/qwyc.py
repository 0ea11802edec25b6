"""QWYC: two thresholds per step under a bound on disagreement with the full ensemble.

"Quit when you can" (Wang, Gupta & You): at each step the rows still there quit at the low and at
the high end of f, as many as possible while at most a share `rate` of all rows has got another
label than by the full ensemble. The rate is tuned by Eq. (8). Labels are used for nothing else. One
score only. Thresholds lie at edges of the grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from mddag._checks import check_whole
from mddag.mdp import MDP
from mddag.ordering.qwyc import QWYCOrder, check_one_score, cuts
from mddag.parameters import Parameters
from mddag.policy import EVAL, QUIT, Policy
from mddag.solvers._partial_sums import partial_sums

RATES = (0.0, 0.001, 0.002, 0.003, 0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.2)


@dataclass
class QWYC(Parameters):
    """Two thresholds per step.

    order : the order of the base classifiers, such as QWYCOrder(); None for the one they have
    every : steps between two looks at the score
    rates : shares of the rows that may get another label, tried one after the other
    """

    order: QWYCOrder | None = None
    every: int = 1
    rates: tuple[float, ...] = RATES

    def __post_init__(self) -> None:
        check_whole("every", self.every, 1)

    def solve(self, mdp: MDP, selection: MDP | None = None) -> Policy:
        """The best rate by Eq. (8) on `selection`, or on the MDP itself."""
        selection = mdp if selection is None else selection
        candidates = self.candidates(mdp)
        losses, costs = candidates.evaluate(selection)
        return candidates[int((losses + selection.beta * costs).argmin())]

    def candidates(self, mdp: MDP) -> Bands:
        """The full ensemble, then the rates."""
        check_one_score(mdp.n_scores)
        order = np.arange(mdp.n_steps)
        if self.order is not None:
            order = self.order(mdp.votes, mdp.costs, mdp.weight)
            mdp = mdp.reordered(order)
        rates = self.rates if "quit" in mdp.actions else ()
        runs = [Run(mdp, rate, self.every) for rate in rates]
        full = mdp.votes.scores()[:, 0] > 0
        for j, scores in enumerate(partial_sums(mdp.votes)):
            if j % self.every == 0 and j < mdp.n_steps:
                wrong = (scores[:, 0] > 0) != full
                cells = mdp.grid.cells(scores)
                for run in runs:
                    run.quit(j // self.every, cells, wrong)
        return Bands(mdp, order, self.every, [run.band for run in runs])


class Run:
    """Thresholds of one rate, found while the rows walk through the steps.

    band : intp (2, n_decisions), the cells up to the first and from the second on quit
    """

    def __init__(self, mdp: MDP, rate: float, every: int) -> None:
        n_decisions = -(-mdp.n_steps // every)
        self.n_cells, self.weight = mdp.grid.n_cells, mdp.weight
        self.band = np.tile([[-1], [self.n_cells]], n_decisions)
        self.rows = np.arange(mdp.n_instances)
        self.budget = rate * mdp.weight.sum()

    def quit(self, decision: int, cells: NDArray[np.int32], wrong: NDArray[np.bool_]) -> None:
        """Let as many rows quit as the budget allows."""
        cells, wrong, weight = cells[self.rows], wrong[self.rows], self.weight[self.rows]
        there = np.bincount(cells, weight, self.n_cells)
        missed = np.bincount(cells, weight * wrong, self.n_cells)
        (low,), (high,), _ = cuts(there[None], missed[None], self.budget)
        self.band[:, decision] = low, high
        stay = (cells > low) & (cells < high)
        self.budget -= float((weight * wrong)[~stay].sum())
        self.rows = self.rows[stay]


class Bands(Sequence[Policy]):
    """Candidates that go on inside a band of cells at each step; the first is the full ensemble."""

    def __init__(
        self, mdp: MDP, order: NDArray[np.intp], every: int, bands: list[NDArray[np.intp]]
    ) -> None:
        self.grid, self.order, self.every = mdp.grid, order, every
        nobody = np.tile([[-1], [mdp.grid.n_cells]], -(-mdp.n_steps // every))
        self.bands = [nobody, *bands]

    def __len__(self) -> int:
        return len(self.bands)

    @overload
    def __getitem__(self, c: int) -> Policy: ...
    @overload
    def __getitem__(self, c: slice) -> list[Policy]: ...
    def __getitem__(self, c: int | slice) -> Policy | list[Policy]:
        if isinstance(c, slice):
            return [self[one] for one in range(*c.indices(len(self)))]
        low, high = self.bands[c][:, :, None]
        cell = np.arange(self.grid.n_cells)
        actions = np.where((cell <= low) | (cell >= high), QUIT, EVAL).astype(np.uint8)
        return Policy(actions, self.grid, self.order, self.every)

    def evaluate(self, mdp: MDP) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean loss and mean cost of every candidate on these rows, both (n_candidates,)."""
        values = [mdp.evaluate(policy) for policy in self]
        return np.array([v.loss for v in values]), np.array([v.cost for v in values])
