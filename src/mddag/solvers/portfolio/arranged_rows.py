"""ArrangedRows: the rows of a portfolio in one of the arrangements of base classifiers it tries.

An arrangement is an order of the base classifiers, of all or of a few that stand for all
(condensed), with its constants and weights (``mddag.ordering``) or with leaf values of its own
(``refitted``). It is made from the
rows for learning, for probabilities of two classes from those for choosing too, and serves both.
The rows of one arrangement are kept at a time: votes are what fills memory.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.row_sampling import spaced_rows
from mddag.ensemble.routing import Routing
from mddag.ensemble.votes import Votes
from mddag.mdp.grid import Grid
from mddag.mdp.mdp import MDP
from mddag.ordering import Correlation
from mddag.ordering.arrangement import Arrangement, arranged
from mddag.ordering.condensation import Condensation
from mddag.solvers.portfolio import log_odds
from mddag.solvers.portfolio.judge import Judge
from mddag.solvers.portfolio.mixture import mixture_scores
from mddag.solvers.portfolio.reading import exit_factors
from mddag.solvers.portfolio.refitted import are_refitted, refitted, second_opinion


@dataclass(frozen=True, eq=False)
class RowSubset:
    """Some rows of an MDP, all by default; their votes are copied when needed.

    labels : of these rows, in place of those of the MDP
    """

    whole: MDP
    index: NDArray[np.intp] | None = None
    labels: NDArray[Any] | None = None

    def __len__(self) -> int:
        return self.whole.n_instances if self.index is None else len(self.index)

    def at_most(self, n_rows: int | None) -> RowSubset:
        """These rows, or so many of them, evenly spaced."""
        if n_rows is None or len(self) <= n_rows:
            return self
        some = spaced_rows(len(self), n_rows)
        labels = None if self.labels is None else self.labels[some]
        return replace(self, index=some if self.index is None else self.index[some], labels=labels)

    def mdp(self) -> MDP:
        """The MDP of these rows alone."""
        rows = self.whole if self.index is None else self.whole.rows(self.index)
        return rows if self.labels is None else rows.with_labels(self.labels)


@dataclass(frozen=True, eq=False)
class ArrangementRule:
    """How an arrangement is made: an ordering, of all base classifiers or of `size` of them."""

    ordering: Any
    size: int | None = None

    def __repr__(self) -> str:
        return f"{self.ordering!r}" if self.size is None else f"{self.ordering!r} of {self.size}"


@dataclass(frozen=True, eq=False)
class RoutedRule(ArrangementRule):
    """An arrangement by regions that was made beforehand, from rows without labels."""

    routing: Routing | None = None

    @classmethod
    def of(cls, routing: Routing) -> RoutedRule:
        return cls(Correlation(), routing.n_steps, routing)

    def __repr__(self) -> str:
        assert self.routing is not None
        return f"{self.routing.n_regions} regions of {self.size}"


@dataclass(frozen=True, eq=False)
class RefittedRule(ArrangementRule):
    """A condensed arrangement whose leaf values are fitted anew to the rows for learning."""

    def __repr__(self) -> str:
        return f"{super().__repr__()}, refitted"


@dataclass(frozen=True, eq=False)
class ArrangedRows:
    """The rows for learning in one arrangement, and the judge, which has the rows for choosing."""

    name: str
    arrangement: Arrangement | Routing
    learning: MDP
    judge: Judge


class RowsByArrangement:
    """The rows in each arrangement, made when first needed."""

    def __init__(self, learning: RowSubset, selection: RowSubset) -> None:
        self.learning, self.selection = learning, selection
        self.by_log_odds = log_odds.applies_to(learning.whole)
        self.full = selection.mdp().votes.scores()
        self.opinion: NDArray[np.float64] | None = None
        if are_refitted(learning.whole, selection.whole):
            self.opinion = second_opinion(learning.mdp(), selection.mdp().votes)
        self.made: tuple[ArrangementRule, ArrangedRows] | None = None
        self.condensation: Condensation | None = None

    def of(self, rule: ArrangementRule) -> ArrangedRows:
        """The rows in the arrangement of one rule."""
        if self.made is None or self.made[0] is not rule:
            self.made = None  # they come one after the other; two would cost memory
            self.made = rule, self._arranged(rule)
        return self.made[1]

    def _arranged(self, rule: ArrangementRule) -> ArrangedRows:
        arrangement: Arrangement | Routing
        if isinstance(rule, RoutedRule):
            assert rule.routing is not None
            arrangement = rule.routing
        else:
            arrangement = self._arrangement(rule, self._to_arrange())
        by_fold: Votes | None = None
        if isinstance(rule, RefittedRule):
            assert isinstance(arrangement, Arrangement)
            arrangement, by_fold = refitted(arrangement, self.learning.mdp())
        mdp = self.learning.mdp().arranged(arrangement)  # after it, or copies would add up
        if by_fold is not None:
            mdp.votes = by_fold
        grid = Grid.quantile(mdp.votes, weight=mdp.weight)
        mdp = mdp.on_grid(grid)
        selection = self.selection.mdp().arranged(arrangement, grid)
        if mdp.loss.of_probabilities:
            factors = exit_factors(mdp)
            mdp, selection = mdp.read_by(factors), selection.read_by(factors)
        return ArrangedRows(repr(rule), arrangement, mdp, Judge(selection, self.full, self.opinion))

    def _to_arrange(self) -> MDP:
        """The rows that arrangements are made from."""
        if not self.by_log_odds:
            return self.learning.mdp()
        return log_odds.joined_rows(self.learning.mdp(), self.selection.mdp())

    def _arrangement(self, rule: ArrangementRule, mdp: MDP) -> Arrangement:
        if rule.size is None:
            return arranged(rule.ordering, mdp.votes, mdp.costs, mdp.weight)
        if self.condensation is None or rule.size > len(self.condensation.chosen):
            condense = log_odds.condensed if self.by_log_odds else _condensed
            self.condensation = condense(mdp, rule.size)
        condensed = self.condensation.arrangement(rule.size)
        votes, costs = condensed.votes(mdp.votes), mdp.costs[condensed.kept]
        return condensed.then(arranged(rule.ordering, votes, costs, mdp.weight))


def _condensed(mdp: MDP, most: int) -> Condensation:
    sample = mdp.votes, most, mdp.costs, mdp.weight
    if mdp.of_numbers:
        return Condensation.of(*sample, focus=0.0)
    return Condensation.of(*sample, wanted=mixture_scores(mdp) if mdp.labels.ndim == 1 else None)
