"""Problems: the same rows in every arrangement that a portfolio tries.

An arrangement is learned on the rows for learning (for probabilities of two classes on those for
choosing too) and serves both. One problem is kept at a time: votes are what fills memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.losses import Logistic
from mddag.mdp.grid import Grid
from mddag.mdp.mdp import MDP
from mddag.ordering.arrangement import Arrangement, arranged
from mddag.ordering.condensation import Condensation
from mddag.solvers.portfolio import log_odds as _log_odds
from mddag.solvers.portfolio.judge import Judge
from mddag.solvers.portfolio.mixture import curbed
from mddag.solvers.portfolio.pool import Ordered
from mddag.solvers.portfolio.reading import exit_factors


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows of an MDP, taken when asked for: votes are what fills memory."""

    mdp: MDP
    index: NDArray[np.intp] | None = None

    def taken(self) -> MDP:
        return self.mdp if self.index is None else self.mdp.rows(self.index)


@dataclass(frozen=True, eq=False)
class Way:
    """An order of the base classifiers, of all or of those that stand for them."""

    ordering: Any
    size: int | None = None

    def __repr__(self) -> str:
        return f"{self.ordering!r}" if self.size is None else f"{self.ordering!r} of {self.size}"


class Problems:
    """The problem in each arrangement, made when first asked for."""

    def __init__(self, learning: Part, selection: Part) -> None:
        self.learning, self.selection = learning, selection
        self.by_log_odds = _log_odds.concerns(learning.mdp)
        self.full = selection.taken().votes.scores()
        self.made: tuple[Way, Ordered] | None = None
        self.condensation: Condensation | None = None

    def of(self, way: Way) -> Ordered:
        if self.made is None or self.made[0] is not way:
            self.made = None  # they come one after the other; two would cost memory
            self.made = way, self._ordered(way)
        return self.made[1]

    def _ordered(self, way: Way) -> Ordered:
        mdp = self.learning.taken()
        arrangement = self._arrangement(way, self._to_arrange(mdp))
        mdp = mdp.arranged(arrangement)
        grid = Grid.quantile(mdp.votes, weight=mdp.weight)
        mdp = mdp.on_grid(grid)
        selection = self.selection.taken().arranged(arrangement, grid)
        if isinstance(mdp.loss, Logistic):
            factors = exit_factors(mdp)
            mdp, selection = mdp.read_by(factors), selection.read_by(factors)
        return Ordered(repr(way), arrangement, mdp, Judge(selection, self.full))

    def _to_arrange(self, learning: MDP) -> MDP:
        """The rows that arrangements are made from."""
        if not self.by_log_odds:
            return learning
        return _log_odds.together(learning, self.selection.taken())

    def _arrangement(self, way: Way, mdp: MDP) -> Arrangement:
        if way.size is None:
            return arranged(way.ordering, mdp.votes, mdp.costs, mdp.weight)
        if self.condensation is None or way.size > len(self.condensation.chosen):
            condense = _log_odds.condensed if self.by_log_odds else _condensed
            self.condensation = condense(mdp, way.size)
        condensed = self.condensation.arrangement(way.size)
        votes, costs = condensed.votes(mdp.votes), mdp.costs[condensed.kept]
        return condensed.then(arranged(way.ordering, votes, costs, mdp.weight))


def _condensed(mdp: MDP, most: int) -> Condensation:
    sample = mdp.votes, most, mdp.costs, mdp.weight
    if mdp.of_numbers:
        return Condensation.of(*sample, focus=0.0)
    return Condensation.of(*sample, wanted=curbed(mdp) if mdp.labels.ndim == 1 else None)
