"""Rows of a portfolio in each of the arrangements of base classifiers that it tries.

An arrangement is an order of the base classifiers, of all or of a few that stand for all, with
constants and weights (``mddag.policy``) or refitted leaf values (``refitting``). The rows of only
one arrangement are kept at a time: votes fill memory.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.arrays import mass, spaced_rows
from mddag.ensemble.votes import Votes
from mddag.policy.arrangement import MAX_ROWS, Arrangement, arranged
from mddag.policy.condensation import Condensation
from mddag.policy.grid import Grid
from mddag.policy.mdp import MDP
from mddag.solvers.portfolio.candidates import ArrangedRows, LossEstimator
from mddag.solvers.portfolio.log_loss import (
    applies_to,
    are_coded_alike,
    condensed,
    exit_factors,
    joined_rows,
    mixture_scores,
)
from mddag.solvers.portfolio.refitting import are_refitted, refitted, refitted_scores


@dataclass(frozen=True, eq=False)
class RowSubset:
    """Some rows of an MDP, all by default; their votes are copied on demand.

    `labels` replace those of the MDP.
    """

    whole: MDP
    index: NDArray[np.intp] | None = None
    labels: NDArray[Any] | None = None

    def __len__(self) -> int:
        return self.whole.n_rows if self.index is None else len(self.index)

    def at_most(self, n_rows: int | None) -> RowSubset:
        """Return at most `n_rows` of them, evenly spaced."""
        if n_rows is None or len(self) <= n_rows:
            return self
        return self.taken(spaced_rows(len(self), n_rows))

    def taken(self, some: NDArray[np.intp]) -> RowSubset:
        """Select some of these rows."""
        labels = None if self.labels is None else self.labels[some]
        return replace(self, index=some if self.index is None else self.index[some], labels=labels)

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weights of these rows, (n,)."""
        return self.whole.weight if self.index is None else self.whole.weight[self.index]

    def mdp(self) -> MDP:
        """Return the MDP of these rows alone."""
        rows = self.whole if self.index is None else self.whole.rows(self.index)
        return rows if self.labels is None else rows.with_labels(self.labels)


@dataclass(frozen=True, eq=False)
class ArrangementRule:
    """How an arrangement is made: an ordering of all base classifiers or of `size` of them."""

    ordering: Any
    size: int | None = None

    def __repr__(self) -> str:
        return f"{self.ordering!r}" if self.size is None else f"{self.ordering!r} of {self.size}"


@dataclass(frozen=True, eq=False)
class RefittedRule(ArrangementRule):
    """A condensed arrangement whose leaf values are refitted to the rows for learning."""

    def __repr__(self) -> str:
        return f"{super().__repr__()}, refitted"


class RowsByArrangement:
    """The rows in each arrangement, made on demand."""

    def __init__(self, learning: RowSubset, selection: RowSubset, *, n_jobs: int = 1) -> None:
        self.learning, self.selection, self.n_jobs = learning, selection, n_jobs
        self.by_log_odds = applies_to(learning.whole)
        self.joins = self.by_log_odds and are_coded_alike(
            learning.whole.votes, selection.whole.votes
        )
        self.full = selection.mdp().votes.scores()
        self.soft_scores: NDArray[np.float64] | None = None
        if are_refitted(learning.whole, selection.whole):
            self.soft_scores = refitted_scores(learning.mdp(), selection.mdp().votes)
        self.made: tuple[ArrangementRule, ArrangedRows] | None = None
        self.condensation: Condensation | None = None

    def of(self, rule: ArrangementRule) -> ArrangedRows:
        """Return the rows in the arrangement of one rule."""
        if self.made is None or self.made[0] is not rule:
            self.made = None  # they come one after the other; two would cost memory
            self.made = rule, self._arranged(rule)
        return self.made[1]

    def _arranged(self, rule: ArrangementRule) -> ArrangedRows:
        arrangement = self._arrangement(rule)
        by_fold: Votes | None = None
        if isinstance(rule, RefittedRule):
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
        estimator = LossEstimator(selection, self.full, self.soft_scores, n_jobs=self.n_jobs)
        return ArrangedRows(repr(rule), arrangement, mdp, estimator)

    def _to_arrange(self, ordering: Any) -> tuple[MDP, NDArray[np.intp]]:
        """Return the rows that arrangements are made from, and their numbers.

        More rows than these are not used, and would be copied.
        """
        most = max(MAX_ROWS, getattr(ordering, "max_rows", 0)) // self.learning.whole.n_scores
        n_learning = len(self.learning)
        n = n_learning + len(self.selection) if self.joins else n_learning
        rows = spaced_rows(n, max(most, 1))
        learning = self.learning.taken(rows[rows < n_learning]).mdp()
        if not self.joins:
            return learning, rows
        selection = self.selection.taken(rows[rows >= n_learning] - n_learning)
        return joined_rows(learning, selection.mdp()), rows

    def _arrangement(self, rule: ArrangementRule) -> Arrangement:
        wanted = None
        condenses = rule.size is not None and not self._has_condensed(rule.size)
        if condenses and not self.by_log_odds:
            wanted = self._mixture()
        mdp, rows = self._to_arrange(rule.ordering)
        if rule.size is None:
            return arranged(rule.ordering, mdp.votes, mdp.costs, mdp.weight)
        if condenses:
            self.condensation = self._condensed(
                mdp, rule.size, wanted if wanted is None else wanted[rows]
            )
        assert self.condensation is not None
        condensed = self.condensation.arrangement(rule.size)
        votes, costs = condensed.votes(mdp.votes), mdp.costs[condensed.kept]
        return condensed.then(arranged(rule.ordering, votes, costs, mdp.weight))

    def _has_condensed(self, size: int) -> bool:
        return self.condensation is not None and size <= len(self.condensation.chosen)

    def _mixture(self) -> NDArray[np.float64] | None:
        """Return what a condensation follows on all rows for learning; None for the full score."""
        mdp = self.learning.mdp()
        return mixture_scores(mdp) if mdp.labels.ndim == 1 and not mdp.of_numbers else None

    def _condensed(self, mdp: MDP, most: int, wanted: NDArray[np.float64] | None) -> Condensation:
        if self.by_log_odds:
            return condensed(mdp, most, self._n_equal_rows())
        focus = 0.0 if mdp.of_numbers else 1.0
        return Condensation.of(mdp.votes, most, mdp.costs, mdp.weight, focus, wanted=wanted)

    def _n_equal_rows(self) -> float:
        """Return the effective number of rows to arrange if none were left out."""
        parts = (self.learning, self.selection) if self.joins else (self.learning,)
        return float(mass(np.concatenate([part.weight for part in parts])).sum())
