"""Settings of exits as candidates for a target, measured on queries out of fold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from mddag._utils.output import progress
from mddag._utils.warnings import doubt
from mddag.engine.dag import Dag
from mddag.engine.dag import compile as compile_dag
from mddag.ensemble.ensemble import Ensemble
from mddag.policy.grid import Grid
from mddag.policy.mdp import Evaluation
from mddag.policy.policy import EVAL, Policy
from mddag.ranking.exits import ExitFamily, Exits, Setting
from mddag.ranking.problem import RankingProblem
from mddag.serving.result import MadeBy, MeasuredMetric, Result, finite_speed
from mddag.tuning.front import Candidate, Front, Matrix, Vector
from mddag.tuning.problem import Part
from mddag.tuning.targets import Price, Target

FOLDS = 5
FEWEST_QUERIES = 10  # a policy is measured on queries, not on documents
Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ExitCandidate(Candidate):
    """A setting of exits, measured on queries that its policies were not fitted on."""

    setting: Setting  # None for the full model
    mean_cost: float  # evaluations of a document
    order_losses: Numbers  # (n_queries,), against the full model's own order
    label_losses: Numbers | None  # the same by labels, if there are any
    by_labels: bool  # whether a bound is on the latter
    beta: float = 0.0

    def cost(self, part: Part) -> float:
        return self.mean_cost

    def lost(self, part: Part) -> Vector:
        return np.array([self.excess(part).mean()])

    def excess(self, part: Part) -> Matrix:
        losses = self.label_losses if self.by_labels else self.order_losses
        assert losses is not None
        return losses[None]


class ExitFront(Front[ExitCandidate]):
    """The settings of a family that was fitted on all queries, after the full model."""

    ordered = True

    def __init__(self, family: ExitFamily, measured: Sequence[ExitCandidate]) -> None:
        self.family = family
        n_steps, by_labels = float(len(family.order)), measured[0].by_labels
        nothing = np.zeros_like(measured[0].order_losses)
        self.candidates = [ExitCandidate(None, n_steps, nothing, nothing, by_labels), *measured]
        self.n_certifying = len(nothing)

    def at_price(self, beta: float) -> ExitCandidate:
        return min(
            self.candidates[1:], key=lambda c: float(c.order_losses.mean()) + beta * c.mean_cost
        )

    def near_budget(self, budget: float) -> None:
        """Leave the most careful setting within the budget; between two, prices interpolate."""
        known = self.candidates
        at = next((i for i, c in enumerate(known) if i and c.mean_cost <= budget), None)
        if at is None:
            return
        before, best = known[at - 1], known[at]
        if at > 1 and np.ndim(best.setting) == 0:
            share = (before.mean_cost - budget) / (before.mean_cost - best.mean_cost)
            logs = np.log([before.setting, best.setting])
            setting = math.exp(np.interp(share, [0.0, 1.0], logs))
            best = replace(best, setting=setting, mean_cost=budget)
        self.candidates = [self.full, best]

    def sequence(self, bound: float, confidence: float | None) -> list[ExitCandidate]:
        return self.candidates[1:]

    def dag(self, ensemble: Ensemble, candidate: ExitCandidate) -> Dag:
        """Return the DAG of a candidate."""
        policy = Policy.constant(EVAL, len(ensemble), Grid(np.empty(0)))
        if candidate.setting is not None:
            policy = self.family.policy(candidate.setting)
        return compile_dag(ensemble, policy, expected_evaluations=candidate.mean_cost)


def result_of(
    problem: RankingProblem, target: Target, candidate: ExitCandidate, dag: Dag, made_by: MadeBy
) -> Result:
    """Return what is known of a candidate by queries that its policies were not fitted on."""
    metrics = list[MeasuredMetric]()
    if problem.labels is not None and candidate.label_losses is not None:
        by_query = problem.metric.of_queries(problem.full, problem.labels, problem.queries)
        full = float(by_query.mean())
        sparse = full - float(candidate.label_losses.mean())
        metrics = [MeasuredMetric(repr(problem.metric), full, sparse)]
    lost, cost, n = float(candidate.order_losses.mean()), candidate.mean_cost, problem.n_steps
    beta = target.value if isinstance(target, Price) else 0.0
    speed = finite_speed(dag.expected_speedup)
    return Result(
        kind="ranker",
        target=target.name,
        value=target.value,
        made_by=made_by,
        rows="certifying" if target.certifies else "choosing",
        n_rows=len(problem.queries),
        n_classifiers=n,
        n_evaluated=cost,
        against="model" if problem.labels is None else "labels",
        evaluation=Evaluation(lost, cost, lost + beta * cost, cost),
        full_evaluation=Evaluation(0.0, float(n), beta * n, float(n)),
        metrics=tuple(metrics),
        difference=lost,
        bounds=target.measured_bounds(candidate.lost("certify").tolist()),
        confidence=target.confidence,
        speed=speed,
        speed_one=speed,
    )


def cross_fitted(
    exits: Exits,
    problem: RankingProblem,
    random: Any,
    *,
    by_labels: bool = False,
    more: RankingProblem | None = None,
    odds: bool = True,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> ExitFront:
    """Fit exits on all queries, and measure their settings on queries out of fold.

    The family of each fold is fitted on the other folds, and run with every setting on the fold.
    The family that is returned has seen all queries, so it is no worse on average. Chosen on the
    queries that it was fitted on, a setting looks too good: with 20 queries a loss of 0.002 was
    0.0067 on others. The result does not depend on `n_jobs`, processes that take a fold each.
    """
    n = len(problem.queries)
    if n < 2:
        raise ValueError(
            f"there {'is 1 query' if n else 'are no queries'} to learn from; wanted at least 2, so "
            "that a policy can be measured by queries that it was not fitted on, and some hundred "
            "for a good one"
        )
    _doubt_queries(problem)
    folds = list(KFold(min(FOLDS, n), shuffle=True, random_state=random).split(np.arange(n)))
    losses, label_losses, evaluations = np.zeros((3, len(exits.settings), n))
    with progress(type(exits).__name__, len(folds) + 1, verbose) as report:
        whole = exits.fit(problem, more=more, odds=odds)
        gains = whole.gains(problem)  # the same for all folds, so that their losses compare
        report(1, "order and readings")
        measured = Parallel(n_jobs=n_jobs, return_as="generator")(
            delayed(_measured)(exits, problem, *fold, gains, more, odds) for fold in folds
        )
        for k, found in enumerate(measured):
            of_fold = folds[k][1]
            losses[:, of_fold], label_losses[:, of_fold], evaluations[:, of_fold] = found
            report(2 + k, f"{k + 1} of {len(folds)} folds measured")
    kept = np.arange(len(exits.settings))
    if exits.settings.ndim > 1:
        kept = efficient(losses.mean(axis=1), evaluations.sum(axis=1))
    n_evaluated = evaluations.sum(axis=1) / problem.queries.n_rows
    candidates = [
        ExitCandidate(
            exits.settings[a],
            float(n_evaluated[a]),
            losses[a],
            None if problem.labels is None else label_losses[a],
            by_labels,
        )
        for a in kept.tolist()
    ]
    return ExitFront(whole, candidates)


def _doubt_queries(problem: RankingProblem) -> None:
    """Warn of few queries to choose a policy by, and of relevance labels that are all equal."""
    n, labels = len(problem.queries), problem.labels
    if n < FEWEST_QUERIES:
        doubt(
            f"the policy is chosen by {n} queries; wanted {FEWEST_QUERIES} or more, some hundred "
            "if you have them, because with so few the choice is mostly noise: give more queries"
        )
    if labels is not None and (labels == labels[0]).all():
        doubt(
            f"all {len(labels)} documents have the label {labels[0]:g}, so every order of them "
            "seems perfect and documents quit at once; give labels that differ"
        )


def _measured(
    exits: Exits,
    problem: RankingProblem,
    others: NDArray[np.intp],
    fold: NDArray[np.intp],
    gains: Numbers,
    more: RankingProblem | None,
    odds: bool,
) -> tuple[Numbers, Numbers, Numbers]:
    """Return losses, label losses and evaluations of a fold, (n_settings, n_in_fold)."""
    family = exits.fit(problem.some(others), more=more, odds=odds)
    measured, rows = problem.some(fold), problem.queries.some(fold)[0]
    blocks = family.blocks(measured)
    losses, label_losses, evaluations = np.zeros((3, len(exits.settings), len(fold)))
    for a, setting in enumerate(exits.settings):
        readings, steps = family.run(blocks, measured.queries, setting)
        losses[a] = measured.order_loss(readings, gains[rows])
        evaluations[a] = measured.queries.sums(steps.astype(float))
        if problem.labels is not None:
            label_losses[a] = measured.label_loss(readings)
    return losses, label_losses, evaluations


def efficient(losses: Numbers, costs: Numbers) -> NDArray[np.intp]:
    """Return the settings that no other beats in both, from the most expensive to the cheapest."""
    by_loss = np.lexsort((costs, losses))
    least = np.minimum.accumulate(costs[by_loss])
    best = np.append(True, costs[by_loss][1:] < least[:-1])
    kept: NDArray[np.intp] = by_loss[best]
    return kept
