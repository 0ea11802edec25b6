"""Policy choice: policies learned for a knob, and the one that it takes.

What they are learned from depends on the knob: for max_disagreement the full ensemble's labels, for
max_loss its calibrated probabilities (``RowParts.soft_targets``), for a metric what that says, else
the targets given. Which one is taken: at a price the best, within a budget the best on the rows for
choosing, within a bound the cheapest that these rows, or the certifying ones, allow.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.warnings import doubt
from mddag.estimators.dag_estimator import DagEstimator
from mddag.policy.mdp import mdp_of
from mddag.solvers.preparation import arranged_for
from mddag.tuning.excess_loss import ExcessLoss, MetricLoss
from mddag.tuning.front import Candidate, CandidateSearch
from mddag.tuning.guarantee import Guarantee, certified
from mddag.tuning.prices import NodePrices
from mddag.tuning.row_parts import RowParts
from mddag.tuning.targets import measure_of


def searched(
    estimator: DagEstimator,
    solver: Any,
    parts: RowParts,
    knob: str,
    guarantee: Guarantee | None,
    metric_loss: MetricLoss | None,
    n_jobs: int | None,
    prices: NodePrices | None = None,
) -> CandidateSearch:
    """Policies learned on the rows for learning, none of them yet.

    prices : of the base classifiers; None where evaluations count
    """
    ensemble, measure = parts.ensemble, measure_of(parts.ensemble.task, knob)
    targets = _targets(parts, knob)
    excess_loss: ExcessLoss | MetricLoss = ExcessLoss(
        ensemble, measure, targets, parts.full, parts.seen, parts.weight
    )
    learned_from = targets
    if metric_loss is not None:
        excess_loss, learned_from = metric_loss, metric_loss.learned_from(parts, knob)
    elif (knob, measure) == ("max_loss", "difference"):
        price = 0.0 if guarantee is None else guarantee.price(len(parts.certifying))
        learned_from = parts.soft_targets(price)
    mdp = mdp_of(
        ensemble,
        parts.votes,
        learned_from,
        loss=estimator.loss_for(ensemble, parts.votes, learned_from, parts.weight),
        actions=estimator.actions,
        weight=parts.weight,
    )
    if prices is not None:
        mdp = mdp.with_costs(prices.means)
    elif knob == "budget":
        mdp = mdp.with_unit_costs()
    learning = arranged_for(solver, mdp.rows(parts.learning), estimator.ordering)
    return CandidateSearch(
        ensemble,
        parts.votes,
        excess_loss,
        solver,
        learning,
        learning.like(mdp.rows(parts.choosing)),
        weight=parts.weight,
        n_jobs=n_jobs,
        verbose=estimator.verbose,
        prices=prices,
    )


def chosen_for(
    search: CandidateSearch, knob: str, value: float, guarantee: Guarantee | None, parts: RowParts
) -> Candidate:
    """The candidate that the knob takes; the full ensemble where nothing else can be shown."""
    if knob == "beta":
        return search.learned(value)
    if knob == "budget":
        return _within_budget(search, value, parts.choosing)
    if guarantee is None:
        return search.within_loss(value, parts.seen, parts.choosing)
    return certified(search, guarantee, parts.seen, parts.certifying)


def _within_budget(search: CandidateSearch, budget: float, rows: NDArray[np.intp]) -> Candidate:
    """The best within the budget; where that is only to evaluate nothing, a warning says so."""
    chosen = search.within_budget(budget, rows)
    cheapest = search.cheapest(rows)
    if cheapest > budget:
        doubt(
            f"{search.solver.name} found no policy within budget={budget:g}: those that "
            f"evaluate anything {search.spend} {cheapest:.4g} {search.counted} per row or more. "
            "Returned is a policy that evaluates nothing and gives every row the same answer; give "
            "a larger budget, a smaller every or another solver"
        )
    return chosen


def _targets(parts: RowParts, knob: str) -> NDArray[Any]:
    """What a policy is to agree with: the full ensemble, or the targets given."""
    return parts.full if measure_of(parts.ensemble.task, knob) == "share" else parts.truth
