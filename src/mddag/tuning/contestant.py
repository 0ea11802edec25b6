"""Contestant: a model of one shape, with the candidates that it sends to the common front.

All contestants have the same rows and the same targets, and the same judge's reference: the scores
of the tuned full model. Simple rules, which are not learned, are judged by the rows for learning
and for choosing, learned policies by the latter alone. Costs are in the unit of the objective.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from mddag._internal.weights import part
from mddag.mdp.grid import Grid
from mddag.mdp.mdp import MDP
from mddag.mdp.policy import Policy
from mddag.mdp.policy_rows import mdp_of
from mddag.solvers import Solver
from mddag.solvers.front import spaced_front
from mddag.solvers.portfolio.candidates import Judge, Judgements
from mddag.tuning.candidates import BETAS
from mddag.tuning.prices import Prices, RowCosts
from mddag.tuning.row_parts import RowParts
from mddag.tuning.shape_models import ShapeModel
from mddag.tuning.simple_rules import simple_rules

SPACING = 1.05  # between the costs of candidates that a contestant sends
By = Literal["seen", "choosing"]  # the rows that judge a candidate


class Indexed(Protocol):
    def __getitem__(self, c: int, /) -> Policy: ...


@dataclass(frozen=True, eq=False)
class Entry:
    """Candidates of a contestant, judged by some of its rows."""

    contestant: Contestant
    policies: Indexed
    judgements: Judgements
    by: By


@dataclass(eq=False)
class Contestant:
    """A model among others.

    targets : (n,), what policies are to agree with, of all rows
    full    : (n, K), scores of the reference on these rows
    prices  : of the base classifiers; None where evaluations count
    """

    model: ShapeModel
    targets: NDArray[Any]
    full: NDArray[np.float64]
    prices: Prices | None
    every: int = 1
    parts: RowParts = field(init=False)
    _row_costs: RowCosts | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.parts = self.model.parts

    def mdp(self) -> MDP:
        """All rows."""
        mdp = mdp_of(self.parts.ensemble, self.parts.votes, self.targets, weight=self.parts.weight)
        costs = np.ones(mdp.n_steps) if self.prices is None else self.prices.means
        return mdp.with_costs(costs)

    def judge(self, by: By, mdp: MDP | None = None) -> Judge:
        """Of policies, by some of the rows.

        mdp : of all rows, on another grid
        """
        rows = self._rows(by)
        mdp = self.mdp() if mdp is None else mdp
        return Judge(mdp.rows(rows), self.full[rows])

    def _rows(self, by: By) -> NDArray[np.intp]:
        return self.parts.seen if by == "seen" else self.parts.choosing

    def mean_cost(self, rows: NDArray[np.intp]) -> float:
        """Of the whole ensemble on some of the rows."""
        if self.prices is None:
            return float(self.parts.ensemble.n_classifiers)
        costs = self.row_costs.everything()[rows]
        return float(np.average(costs, weights=part(self.parts.weight, rows)))

    def quality(self) -> float:
        """Error (regressors: R2) of the whole ensemble on the rows for choosing."""
        parts, rows = self.parts, self.parts.choosing
        weight = part(parts.weight, rows)
        found = parts.ensemble.task.quality(parts.full[rows], parts.truth[rows], weight)
        return float("nan") if found is None else float(found)

    @property
    def row_costs(self) -> RowCosts:
        """What counts the costs of all rows."""
        assert self.prices is not None
        if self._row_costs is None or self._row_costs.votes is not self.parts.votes:
            self._row_costs = self.prices.on(self.parts.votes)
        return self._row_costs

    def simple(self) -> list[Entry]:
        """Prefixes, and margin rules of the whole and of prefixes, in the order of boosting."""
        mdp = self.mdp()
        learning = mdp.rows(self.parts.learning)
        learning = learning.on_grid(Grid.quantile(learning.votes, weight=learning.weight))
        judge = self.judge("seen", mdp.on_grid(learning.grid))
        rules = simple_rules(learning, self.every)
        return [self._some(family, judge.of_candidates(family)) for family in rules]

    def _some(self, candidates: Indexed, judgements: Judgements) -> Entry:
        """Candidates of a family that differ in cost, counted."""
        kept: list[int] = []
        for at in np.argsort(-judgements.costs, kind="stable").tolist():
            cost, last = judgements.costs[at], judgements.costs[kept[-1]] if kept else np.inf
            if cost < last and cost * SPACING <= last:
                kept.append(at)
        policies = [candidates[at].on_fewest_cells() for at in kept]
        return self._counted(policies, judgements.taken(kept), "seen")

    def _counted(self, policies: Sequence[Policy], judgements: Judgements, by: By) -> Entry:
        """With the exact cost of each policy on the rows that judge: rows that stay longest may
        visit deeper leaves than the mean row, by whose nodes base classifiers are priced."""
        if self.prices is not None:
            rows = self._rows(by)
            counted = self.prices.on(self.parts.votes.rows(rows))
            weight = part(self.parts.weight, rows)
            costs = np.array([np.average(counted.under(p), weights=weight) for p in policies])
            judgements = replace(judgements, costs=costs)
        return Entry(self, policies, judgements, by)

    def solved(self, solver: Solver) -> Entry:
        """The front of what a solver finds that judges its candidates itself."""
        mdp = self.mdp()
        learning, choosing = (mdp.rows(r) for r in (self.parts.learning, self.parts.choosing))
        betas = [beta * mdp.unit for beta in BETAS]
        found = solver.judged(learning.with_beta(betas[0]), betas, choosing.with_beta(betas[0]))
        assert found is not None
        front = spaced_front(found.losses, found.costs, SPACING)
        policies = [found.candidate(at) for _, at in front]
        judge = self.judge("choosing", mdp)
        judged = Judgements.joined([judge.of_policy(policy) for policy in policies])
        return self._counted(policies, judged, "choosing")
