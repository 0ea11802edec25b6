"""What competes: rivals of today, the members of the portfolio alone, and the default, all of them.

A rival is a family of policies with one knob (a threshold, a rate, a number of classifiers),
learned on all policy rows. Ours parts the policy rows, for learning at prices beta and for judging
all candidates; its curve is spread over those that no other beats there in loss and cost. A member
of the portfolio alone has its own candidates in one arrangement of the base classifiers: "+ order"
is ``Correlation``'s, "+ condensed" those of all sizes, else their own. Only Sarsa has beta itself
as its knob.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.quality_fixed.curves import N_POINTS, Point, spread
from benchmarks.quality_fixed.models import Problem
from benchmarks.quality_fixed.rivals import EarlyStop, winners
from mddag import MDP, Grid, Policy
from mddag._internal.row_sampling import stratified
from mddag.ordering import Correlation, Given, QWYCOrder
from mddag.solvers import QWYC, Descent, Margin, Portfolio, Prefix, Sarsa
from mddag.solvers.portfolio.portfolio import MEMBERS

BETAS = np.geomspace(1e-3, 1e-5, N_POINTS).tolist()
SELECTION = 0.3  # of the policy rows
RATES = tuple(np.geomspace(3e-4, 0.2, 40))  # of changed labels, for QWYC
EPISODES = 100_000  # a tenth of the paper's: Sarsa would take most of the time of the whole run

RIVALS = ("prefix", "margin", "pred_early_stop", "smaller model", "QWYC")
OWN_ORDER = "QWYC, own order"
OURS = "default"


class Rows:
    """The policy rows of a problem, all and in two parts, and its test rows."""

    def __init__(self, problem: Problem, **options: Any) -> None:
        grid = Grid.quantile(problem.policy.votes)
        self.policy = MDP(problem.policy.votes, problem.policy.labels, grid=grid, **options)
        chosen = stratified(problem.policy.labels, SELECTION, np.random.default_rng(problem.seed))
        self.selection = self.policy.rows(chosen)
        self.learning = self.policy.rows(np.setdiff1d(np.arange(self.policy.n_instances), chosen))
        self.test = MDP(problem.test.votes, problem.test.labels)

    def pool(self, portfolio: Portfolio, betas: Sequence[float] = BETAS) -> Any:
        """All candidates of a portfolio, judged by the selection rows."""
        return portfolio.judged(self.learning, betas, self.selection)

    def points(self, name: str, knobs: Any, policies: Sequence[Policy]) -> list[Point]:
        """The curve of policies: what they do on the test rows."""
        values = [self.test.evaluate(policy) for policy in policies]
        return [
            Point(name, float(knob), value.n_evaluated, value.loss)
            for knob, value in zip(knobs, values, strict=True)
        ]


def rivals(problem: Problem, rows: Rows) -> Iterator[list[Point]]:
    """The curves of what users have today and of the paper; the full ensemble is a point."""
    yield rows.points("full", [0.0], [rows.test.evaluate_all()])
    yield family("prefix", Prefix(), rows)
    yield family("margin", Margin(), rows)
    if problem.smaller is not None:
        yield early_stop(problem)
        yield smaller_model(problem)
    if rows.test.n_scores == 1:
        yield family("QWYC", QWYC(rates=RATES), rows)
        yield family(OWN_ORDER, QWYC(QWYCOrder(), rates=RATES), rows)
    yield rows.points("Sarsa", BETAS, sarsa(rows))


def ours(problem: Problem, rows: Rows, pool: Any) -> Iterator[list[Point]]:
    """The curves of the members of the portfolio and of the default, whose candidates these are."""
    uncondensed = rows.pool(Portfolio(None, (Given(), Correlation()), (), random_state=0))
    for name, own in (members(uncondensed) | members(pool)).items():
        yield pooled(name, own, rows)
    yield without_skip(problem)
    yield pooled(OURS, pool, rows)


def family(name: str, solver: Any, rows: Rows) -> list[Point]:
    """The curve of a family of one knob, its points spread by what they do on policy rows."""
    candidates = solver.candidates(rows.policy)
    errors, evaluations = candidates.evaluate(rows.policy)
    knobs = spread(evaluations, errors, errors[0])  # the first is the full ensemble
    return rows.points(name, knobs, [candidates[int(knob)] for knob in knobs])


def pooled(name: str, pool: Any, rows: Rows) -> list[Point]:
    """The curve of a pool: its front by what the selection rows let expect, spread like the others.

    It is what a user gets who asks for `budget=` at these evaluations.
    """
    front, losses = pool.front(), pool.losses
    chosen = front[spread(pool.costs[front], losses[front], losses[0])]
    return rows.points(name, pool.costs[chosen], [pool.candidate(int(at)) for at in chosen])


def early_stop(problem: Problem) -> list[Point]:
    """LightGBM's own rule at margins that are spread by what they do on policy rows."""
    on_policy, on_test = (EarlyStop.of(part.votes) for part in (problem.policy, problem.test))
    margins = np.unique(np.quantile(on_policy.margins, np.linspace(0, 1, 200)))
    stopped = [on_policy.stopped(margin) for margin in margins]
    errors = np.array([np.mean(winners(s) != problem.policy.labels) for s, _ in stopped])
    evaluations = np.array([rounds.mean() for _, rounds in stopped])
    points = []
    for margin in margins[spread(evaluations, errors, errors[-1])]:
        scores, rounds = on_test.stopped(margin)
        error = float(np.mean(winners(scores) != problem.test.labels))
        points.append(Point("pred_early_stop", float(margin), float(rounds.mean()), error))
    return points


def smaller_model(problem: Problem) -> list[Point]:
    models = problem.smaller
    numbers = zip(models.rates, models.rounds, models.test_error, strict=True)
    return [Point("smaller model", *map(float, point)) for point in numbers]


def sarsa(rows: Rows) -> list[Policy]:
    """The paper's solver, chosen among its snapshots by the selection rows."""
    solver = Sarsa(n_episodes=EPISODES, random_state=0)
    return [solver.solve(rows.learning.with_beta(b), rows.selection.with_beta(b)) for b in BETAS]


def members(pool: Any) -> dict[str, Any]:
    """The candidates of each member of a portfolio in each arrangement, as pools of their own."""
    entries: dict[str, list[Any]] = {}
    for entry in pool.entries[1:]:
        member, _, ordering = entry.name.rpartition(" in ")
        name = member.partition("(")[0] + (", teacher" if "'teacher'" in member else "")
        if ordering.startswith("Correlation"):
            name += " + condensed" if " of " in ordering else " + order"
        elif " regions of " in ordering:
            name += " + regions"
        entries.setdefault(name, []).append(entry)
    rivals = ("Prefix", "Margin", "QWYC")  # in their own order these have been read already
    return {name: pool.among(own) for name, own in entries.items() if name not in rivals}


def without_skip(problem: Problem) -> list[Point]:
    """Descent in the new order with learned early exits alone."""
    rows = Rows(problem, actions=("eval", "quit"))
    descents = tuple(member for member in MEMBERS if isinstance(member, Descent))
    pool = rows.pool(Portfolio(descents, (Correlation(),), (), random_state=0))
    return pooled("Descent + order, no SKIP", pool, rows)
