"""Stopping: the optimal early exits at one price, by backward induction.

Without SKIP every row passes the same sums f^(0) … f^(N), so the value of going on is known from
the end: V_N = L(f^(N)), and V_j = L_j(f^(j)) where QUIT is better on average over the rows that
decide together, else V_{j+1} + beta cost_j. L_j may depend on the step (``MDP.read_by``); for K > 1
the state is the margin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.checks import Parameters, check_one_of, check_whole
from mddag.ensemble.votes import partial_sums
from mddag.policy.mdp import MDP
from mddag.policy.policy import EVAL, QUIT, Policy, trusted_policy
from mddag.solvers.solver import Solver, check_samples

SHAPES = ("cells", "thresholds")
MIN_COUNT = 30  # rows per group, about
MAX_ROWS = 20_000  # that optima are found on
KEPT_EVERY = 24  # decisions between two whose sums are kept, at 8 bytes instead of 6 for the others
Vector = NDArray[np.float64]
Places = NDArray[np.unsignedinteger[Any]]


@dataclass
class Stopping(Parameters, Solver):
    """Find the best early exits of one shape by backward induction.

    Parameters
    ----------
    shape : {"cells", "thresholds"}, default="cells"
        Let groups of cells decide alone, or use a low and a high threshold per step.
    n_cells : int, default=16
        Number of groups of cells at a step.
    every : int, default=1
        Number of steps that one decision covers.

    Examples
    --------
    >>> import mddag
    >>> from mddag.losses import Logistic
    >>> from mddag.solvers import Stopping
    >>> votes = [[4.0, 0.1], [-3.5, 0.1], [-0.1, 2.0]]
    >>> mdp = mddag.MDP(votes, [1, 0, 1], loss=Logistic(), beta=0.05)
    >>> mdp.rollout(Stopping(shape="thresholds").solve(mdp))[1]
    array([1, 1, 2], dtype=int32)
    """

    shape: str = "cells"
    n_cells: int = 16
    every: int = 1

    def solve(self, mdp: MDP, selection: MDP | None = None) -> Policy:
        check_samples(mdp, selection)
        return self.solve_path(mdp, [mdp.beta], selection)[0]

    def solve_path(
        self, mdp: MDP, betas: Sequence[float], selection: MDP | None = None
    ) -> list[Policy]:
        self.check()  # one walk through the sums serves all prices
        check_samples(mdp, selection)
        full, chooser = mdp.evaluate_all(), mdp if selection is None else selection
        full.require(chooser.n_steps, chooser.n_scores)
        if "quit" not in mdp.actions:
            return [full] * len(betas)
        by_full = chooser.evaluate(full)
        found = []
        for beta, policy in zip(betas, self._policies(mdp, betas), strict=True):
            value = chooser.with_beta(beta).evaluate(policy).objective
            found.append(policy if value < by_full.loss + beta * by_full.cost else full)
        return found

    def _policies(self, mdp: MDP, betas: Sequence[float]) -> list[Policy]:
        passage = Passage(mdp, self.every)
        quits = np.empty((len(betas), passage.n_decisions, passage.n_places), bool)
        values = [passage.at_end.astype(np.float64) for _ in betas]
        for d, places, loss in passage.backwards():
            for b, beta in enumerate(betas):
                value = values[b] + beta * passage.prices[d]
                gains = sums(places, passage.weight * (value - loss), passage.n_places)
                quits[b, d] = self._quits(gains, places)
                values[b] = np.where(quits[b, d][places], loss, value)
        actions = np.where(np.tile(quits, mdp.n_scores), QUIT, EVAL).astype(np.uint8)
        return [trusted_policy(a, mdp.grid, np.arange(mdp.n_steps), self.every) for a in actions]

    def _quits(self, gains: Vector, places: Places) -> NDArray[np.bool_]:
        if self.shape == "thresholds":
            return beyond_thresholds(gains)
        n_groups = max(min(self.n_cells, len(places) // MIN_COUNT), 1)
        return in_groups(gains, np.bincount(places, minlength=len(gains)), n_groups)

    def check(self) -> None:
        check_one_of("shape", self.shape, SHAPES)
        check_whole("n_cells", self.n_cells, 1)
        check_whole("every", self.every, 1)


class Passage:
    """Where rows are before each decision, and what they would lose by quitting there.

    Losses at all decisions would take many times the memory of votes. So the sums are kept at some
    decisions, and those between are added up again, to the same bits, on the way back. `rows` (n,)
    are at most MAX_ROWS, `at_end` (n,) the losses of the full ensemble, `prices` (n_decisions,) the
    cost of what a decision covers.
    """

    def __init__(self, mdp: MDP, every: int) -> None:
        self.mdp, self.rows = mdp, mdp.counting(MAX_ROWS)
        self.weight = mdp.weight[self.rows]
        self.n_places = len(mdp.grid.edges) + 1
        self.every, self.n_decisions = every, -(-mdp.n_steps // every)
        self.prices = np.add.reduceat(mdp.costs, np.arange(0, mdp.n_steps, every))
        self.kept: dict[int, NDArray[np.float64]] = {}
        for j, scores in enumerate(partial_sums(mdp.votes, rows=self.rows)):
            if j % (KEPT_EVERY * every) == 0 and j < mdp.n_steps:
                self.kept[j] = scores.copy()
            if j == mdp.n_steps:
                self.at_end = self._losses(scores, j)

    def backwards(self) -> Iterator[tuple[int, Places, NDArray[np.float32]]]:
        """Yield decisions from the last, with places (n,) and losses of quitting (n,)."""
        for start in sorted(self.kept, reverse=True):
            first = start // self.every
            for d, found in reversed(list(enumerate(self._block(start), first))):
                yield d, *found

    def _block(self, start: int) -> Iterator[tuple[Places, NDArray[np.float32]]]:
        """Yield places and losses of the decisions from one whose sums are kept to the next."""
        mdp, end = self.mdp, min(start + KEPT_EVERY * self.every, self.mdp.n_steps)
        smallest = np.min_scalar_type(self.n_places - 1)
        sums_from = partial_sums(mdp.votes, start, self.kept[start], self.rows)
        for j, scores in zip(range(start, end), sums_from, strict=False):
            if j % self.every == 0:
                places = (mdp.grid.cells(scores) % self.n_places).astype(smallest)
                yield places, self._losses(scores, j)

    def _losses(self, scores: NDArray[np.float64], j: int) -> NDArray[np.float32]:
        return self.mdp.losses(scores, self.rows, j).astype(np.float32)


def sums(places: NDArray[np.integer[Any]], numbers: Vector, n_places: int) -> Vector:
    """Sum the numbers of each place, (n_places,)."""
    return np.bincount(places, numbers, n_places).astype(np.float64, copy=False)


def in_groups(gains: Vector, counts: NDArray[np.intp], n_groups: int) -> NDArray[np.bool_]:
    """Quit where the gains of a group of neighbors sum to 0 or more; groups hold equal counts."""
    before = np.cumsum(counts) - counts
    group = before * n_groups // max(int(counts.sum()), 1)
    group = np.minimum(group, n_groups - 1)
    quits: NDArray[np.bool_] = (sums(group, gains, n_groups) >= 0)[group]
    return quits


def beyond_thresholds(gains: Vector) -> NDArray[np.bool_]:
    """Quit outside of the one stretch of cells with the smallest sum of gains; it may be empty."""
    below = np.concatenate([[0.0], np.cumsum(gains)])
    high = int((np.maximum.accumulate(below) - below).argmax())
    low = int(below[: high + 1].argmax())
    place = np.arange(len(gains))
    outside: NDArray[np.bool_] = (place < low) | (place >= high)
    return outside
