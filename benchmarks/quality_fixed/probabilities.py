"""What becomes of probabilities: log-loss on test rows beside the full ensemble's.

Two questions, for LightGBM alone. Where the default policy is 0.2 points above the full error, how
much log-loss does it add, and how much does ``pred_early_stop`` add that agrees with the full
ensemble on as many labels? And how many evaluations does a policy learned with the logistic loss
need to be within 2 % of the full log-loss, beside a prefix of the new order?

Policies and prefixes are calibrated by exit, to the full ensemble's opinion of the policy rows. It
is itself calibrated by one factor there, which makes it harder to come near; ``pred_early_stop``
answers as LightGBM does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from benchmarks.quality_fixed.curves import N_POINTS, TOLERANCES
from benchmarks.quality_fixed.methods import Rows
from benchmarks.quality_fixed.models import Problem, Sample
from benchmarks.quality_fixed.rivals import EarlyStop, winners
from mddag import MDP, Grid, Policy, Votes
from mddag.calibration.by_exit import class_calibration
from mddag.calibration.calibration import probabilities as softened
from mddag.calibration.platt import fit_factor, opinion
from mddag.losses import Logistic
from mddag.ordering import Correlation
from mddag.ordering.arrangement import arranged
from mddag.solvers import Portfolio

NEAR = 1.02
PRICES = np.geomspace(3e-3, 1e-6, 2 * N_POINTS).tolist()
N_LENGTHS = 4 * N_POINTS  # points of either curve
LOGISTIC = Portfolio(orderings=(Correlation(),), random_state=0)


def probabilities(problem: Problem, policies: list[Policy]) -> dict[str, Any]:
    """Both answers, given the policies of the default."""
    if problem.ensemble != "LightGBM":
        return {}
    full = Full(problem)
    return {
        "full_log_loss": full.log_loss,
        **beside_early_stop(problem, policies, full),
        **beside_prefix(problem, full),
    }


class Full:
    """The full ensemble: its labels, its factor by the policy rows, its log-loss on test rows."""

    def __init__(self, problem: Problem) -> None:
        policy, scores = problem.policy, problem.test.votes.scores()
        self.factor = fit_factor(policy.votes.scores(), policy.labels)
        self.winners = winners(scores)
        self.error = float(np.mean(self.winners != problem.test.labels))
        self.log_loss = log_loss(softened(scores, self.factor), problem.test.labels)


def beside_early_stop(problem: Problem, policies: list[Policy], full: Full) -> dict[str, Any]:
    """The log-loss of the default at 0.2 points, and of the early stop that agrees as often."""
    test = MDP(problem.test.votes, problem.test.labels)
    values = [(test.evaluate(policy), policy) for policy in policies]
    within = [(v.n_evaluated, p) for v, p in values if v.loss <= full.error + TOLERANCES[0]]
    policy = min(within, key=lambda pair: pair[0])[1] if within else test.evaluate_all()
    scores, _ = walked(problem.test, policy)
    agreement = np.mean(winners(scores) == full.winners)
    margin = agreeing_margin(EarlyStop.of(problem.test.votes), full.winners, agreement)
    return {
        "agreement": float(agreement),
        "log_loss": calibrated_log_loss(problem, policy),
        "early_stop_log_loss": log_loss(softened(margin, 1.0), problem.test.labels),
    }


def agreeing_margin(rule: EarlyStop, labels: np.ndarray, agreement: float) -> np.ndarray:
    """The scores of the earliest stop that agrees with the labels at least as often."""
    for margin in np.quantile(rule.margins, np.linspace(0, 1, 400)):
        scores, _ = rule.stopped(margin)
        if np.mean(winners(scores) == labels) >= agreement:
            return scores
    return rule.scores[-1]


def beside_prefix(problem: Problem, full: Full) -> dict[str, Any]:
    """Evaluations within 2 % of the full log-loss: the logistic policy's and the prefix's."""
    rows = Rows(problem, loss=Logistic(full.factor))
    pool = rows.pool(LOGISTIC, PRICES)
    front, costs = pool.front(), pool.costs
    wanted = np.geomspace(max(costs[front].min(), 1.0), costs[front].max(), N_LENGTHS)
    chosen = {int(front[np.abs(costs[front] - cost).argmin()]) for cost in wanted}
    votes = problem.policy.votes
    new = arranged(Correlation(), votes)
    n_steps, grid = len(new.order), Grid.quantile(votes)
    lengths = np.unique(np.geomspace(1, n_steps, N_LENGTHS).round().astype(int))
    prefixes = [Policy.prefix(int(n), n_steps, grid).after(new) for n in lengths]
    return {
        "evaluations": fewest_near(problem, map(pool.candidate, sorted(chosen)), full),
        "prefix_evaluations": fewest_near(problem, prefixes, full),
    }


def fewest_near(problem: Problem, policies: Iterable[Policy], full: Full) -> float:
    """The fewest evaluations with a log-loss within 2 % of the full one; N if there are none."""
    test = MDP(problem.test.votes, problem.test.labels)
    by_cost = sorted(((test.evaluate(p).n_evaluated, i, p) for i, p in enumerate(policies)))
    for n_evaluated, _, policy in by_cost:
        if calibrated_log_loss(problem, policy) <= NEAR * full.log_loss:
            return n_evaluated
    return float(test.n_steps)


def calibrated_log_loss(problem: Problem, policy: Policy) -> float:
    """The log-loss on test rows, calibrated by exit on the policy rows."""
    targets = opinion(problem.policy.votes.scores(), problem.policy.labels)
    calibration = class_calibration(*walked(problem.policy, policy), targets, policy.n_steps)
    return log_loss(calibration.probabilities(*walked(problem.test, policy)), problem.test.labels)


def walked(sample: Sample, policy: Policy) -> tuple[np.ndarray, np.ndarray]:
    """Scores (n, K) and exit steps (n,) of a policy: one more than the last step evaluated."""
    votes = Votes(sample.votes.codes, policy.tables(sample.votes.tables)).reordered(policy.order)
    exits = np.zeros(len(votes), int)
    tables = votes.tables
    scores = np.tile(tables.bias, (len(votes), 1))
    at = policy.leads_to(0, policy.grid.cells(scores))
    for j in range(policy.n_steps):
        rows = np.flatnonzero(at == j)
        for t in range(tables.rounds[j], tables.rounds[j + 1]):
            scores[rows] += tables.table(t)[votes.codes[rows, t]]
        exits[rows] = j + 1
        at[rows] = policy.leads_to(j + 1, policy.grid.cells(scores[rows]))
    return scores, exits


def log_loss(chances: np.ndarray, labels: np.ndarray) -> float:
    own = chances[np.arange(len(labels)), labels]
    return float(-np.log(np.maximum(own, 1e-15)).mean())
