"""Early exits: policies without SKIP, in which a row evaluates base classifiers until it quits.

A row that quits at step j in a cell at one threshold quits there at every lower one, so all
candidates of a rule are one table of confidences, and one walk through the sums f^(0) … f^(N) gives
the loss and the cost of each. A loss that counts wrong decisions is walked natively
(native/exits/walk.hpp), to the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.checks import Parameters, check_whole
from mddag.ensemble.votes import partial_sums
from mddag.policy.grid import Grid
from mddag.policy.mdp import MDP
from mddag.policy.policy import EVAL, QUIT, Policy, trusted_policy
from mddag.solvers.preparation import quit_loss
from mddag.solvers.solver import Candidates, Family


@dataclass
class OneParameter(Parameters, Family):
    """A rule for quitting with one parameter, which is tuned by Eq. (8)."""

    every: int = 1

    def __post_init__(self) -> None:
        check_whole("every", self.every, 1)


def check_classes(rule: Any, mdp: MDP) -> None:
    """Raise ValueError for regression, which has no winning class."""
    if mdp.of_numbers:
        raise ValueError(
            f"{rule!r} quits where the winning class is sure, but labels are numbers; wanted "
            "Prefix(), Descent() or Portfolio()"
        )


class ExitCandidates(Candidates):
    """Candidates of one rule, from the full ensemble to the boldest.

    Candidate c quits where ``confidence >= thresholds[c]``; confidences broadcast to (n_decisions,
    n_cells), and thresholds (n_candidates,) may come in any order.
    """

    def __init__(
        self,
        mdp: MDP,
        confidence: NDArray[np.float64],
        thresholds: NDArray[np.float64],
        every: int = 1,
    ) -> None:
        self.grid, self.every, self.n_steps = mdp.grid, every, mdp.n_steps
        rising = np.unique(thresholds) if "quit" in mdp.actions else np.empty(0)
        # the first candidate that quits there; len(rising) + 1 where none does
        quiet = np.searchsorted(rising, np.atleast_2d(confidence), side="right")
        smallest = np.min_scalar_type(len(rising) + 1)  # many families are kept
        self.levels = np.subtract(smallest.type(len(rising) + 1), quiet.astype(smallest))
        self.shape = (-(-mdp.n_steps // every), mdp.grid.n_cells)
        self.thresholds = np.concatenate([[np.inf], rising[::-1]])

    def __len__(self) -> int:
        return len(self.thresholds)

    def policy(self, c: int) -> Policy:
        actions = np.where(self.levels <= c, QUIT, EVAL).astype(np.uint8)
        actions = np.ascontiguousarray(np.broadcast_to(actions, self.shape))
        return trusted_policy(actions, self.grid, np.arange(self.n_steps), self.every)

    def evaluate_by(self, mdps: Sequence[MDP]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        mdp = mdps[0]
        self[0].require(mdp.n_steps, mdp.n_scores)
        spent = np.concatenate([[0.0], np.cumsum(mdp.costs)])
        twins = [quit_loss(by) for by in mdps if _counts_decisions(by)]
        native = [twin for twin in twins if not callable(twin)]
        fits = len(native) == len(mdps)
        jumps = self._walk(mdp, spent, native) if fits else self._walk_by_calls(mdps, spent)
        *losses, costs = np.cumsum(jumps, axis=1)[:, :-1] / mdp.weight.sum()
        return np.array(losses), costs

    def _walk(
        self, mdp: MDP, spent: NDArray[np.float64], losses: list[_core.Loss]
    ) -> NDArray[np.float64]:
        """Return what further candidates pay, by each loss and in costs, (n_losses + 1, n + 1).

        Candidate c pays the sum of the first c + 1 numbers.
        """
        tables = mdp.votes.tables
        sample = tables.native, mdp.votes.codes, tables.bias, mdp.weight, spent
        jumps = np.zeros((len(losses) + 1, len(self) + 1))
        every = min(self.every, max(self.n_steps, 1))
        exits = self.levels.astype(np.int32), len(self), every
        _core.walk_exits(sample, self.grid.native, exits, losses, jumps)
        return jumps

    def _walk_by_calls(
        self, mdps: Sequence[MDP], spent: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the same for any losses."""
        mdp, jumps = mdps[0], np.zeros((len(mdps) + 1, len(self) + 1))
        running = np.full(mdp.n_rows, len(self))  # candidates below it have not quit the row
        for j, rows, levels, scores in self._exits(mdp, running):
            weight = mdp.weight[rows]
            paid = [weight * by.losses(scores, rows, j) for by in mdps]
            # candidates levels .. running - 1 pay: a jump up at the one end, down at the other
            for sums, amount in zip(jumps, [*paid, weight * spent[j]], strict=True):
                sums += np.bincount(levels, amount, len(sums))
                sums -= np.bincount(running[rows], amount, len(sums))
            running[rows] = levels
        return jumps

    def _exits(
        self, mdp: MDP, running: NDArray[np.intp]
    ) -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]]:
        """Yield step, rows that further candidates quit there, which ones, and their scores."""
        table = np.broadcast_to(self.levels, self.shape)
        for j, scores in enumerate(partial_sums(mdp.votes)):
            if j == self.n_steps:
                levels = np.zeros(mdp.n_rows, np.intp)
            elif j % self.every == 0:
                levels = table[j // self.every][self.grid.cells(scores)]
            else:
                continue
            rows = np.flatnonzero(levels < running)
            if len(rows):
                yield j, rows, levels[rows], scores[rows]


def _counts_decisions(mdp: MDP) -> bool:
    """Return whether losses are those of decisions; others the kernel would round differently."""
    return mdp.loss.prices(max(mdp.n_scores, 2)) is not None and mdp.factors is None


def inner_edges(grid: Grid) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the edge of each cell nearest to a tie, and the sign of its scores, both (n_cells,).

    What holds at that edge and for all scores beyond it holds in the whole cell. The sign is 0
    where a cell has scores of both signs. Margins (K > 1) are never negative, and their sign is 1.
    """
    edges = grid.edges
    if grid.n_scores > 1:
        return np.tile(np.maximum(np.append(0.0, edges), 0.0), grid.n_scores), np.ones(grid.n_cells)
    sign = (np.append(-np.inf, edges) >= 0).astype(float) - (np.append(edges, np.inf) <= 0)
    inner = np.where(
        sign > 0, np.append(0.0, edges), np.where(sign < 0, np.append(edges, 0.0), 0.0)
    )
    return inner, sign
