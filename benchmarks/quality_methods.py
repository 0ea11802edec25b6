"""What competes: rivals of today, the solvers alone, and the default.

A family of policies with one knob (a threshold, a rate, a number of classifiers) is learned on all
policy rows. A solver gets a price beta as its knob and the policy rows in two parts, for learning
and for choosing. Names say which order of the base classifiers a method works in: "+ order" is
``Correlation``'s, made from the votes on the policy rows; else it is the ensemble's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from quality_curves import N_POINTS, Point, spread
from quality_models import Problem
from quality_rivals import EarlyStop, winners

from mddag import MDP, Grid, Policy
from mddag.holdout import stratified
from mddag.ordering import Correlation, QWYCOrder
from mddag.solvers import QWYC, Descent, Margin, Portfolio, Prefix, Residual, Sarsa

BETAS = np.geomspace(1e-3, 3e-6, N_POINTS)
SELECTION = 0.3  # of the policy rows
RATES = tuple(np.geomspace(3e-4, 0.2, 60))  # of changed labels, for QWYC
EPISODES = 100_000  # a tenth of the paper's, which would take most of the time of the whole run

RIVALS = ("prefix", "margin", "pred_early_stop", "QWYC", "smaller model")
OWN_ORDER = "QWYC, own order"
OURS = "default"
DESCENT = Descent(n_starts=4, n_sweeps=4, random_state=0)


def curves(problem: Problem, ours: list[Policy]) -> Iterator[list[Point]]:
    """The curve of every method, given the default's policies; the full ensemble is one point."""
    rows = Rows(problem)
    yield [rows.full]
    yield rows.family("prefix", Prefix())
    yield rows.family("margin", Margin())
    if problem.ensemble == "LightGBM":
        yield early_stop(problem)
        yield smaller_model(problem)
    if rows.policy.n_scores == 1:
        yield rows.family("QWYC", QWYC(rates=RATES))
        yield rows.family(OWN_ORDER, QWYC(QWYCOrder(), rates=RATES))
    yield rows.solver("Sarsa", Sarsa(n_episodes=EPISODES, random_state=0), path)
    yield rows.family("Residual", Residual())
    yield rows.solver("Descent", DESCENT, pooled)
    order = Correlation()(rows.policy.votes)
    ordered = Rows(problem, order)
    yield ordered.family("prefix + order", Prefix())
    yield ordered.family("margin + order", Margin())
    if rows.policy.n_scores == 1:
        yield ordered.family("QWYC + order", QWYC(rates=RATES))
    yield ordered.family("Residual + order", Residual())
    yield ordered.solver("Descent + order", DESCENT, pooled)
    no_skip = Rows(problem, order, actions=("eval", "quit"))
    yield no_skip.solver("Descent + order, no SKIP", DESCENT, pooled)
    yield rows.points(OURS, BETAS, ours)


class Rows:
    """The rows of a problem with the base classifiers in some order, and some of the actions."""

    def __init__(self, problem: Problem, order: np.ndarray | None = None, **options: Any) -> None:
        votes = problem.policy.votes
        self.order = np.arange(votes.tables.n_classifiers) if order is None else order
        grid = Grid.quantile(votes.reordered(self.order))
        chosen = stratified(problem.policy.labels, SELECTION, np.random.default_rng(problem.seed))
        learned = np.setdiff1d(np.arange(len(votes)), chosen)
        self.policy, self.learning, self.selection = (
            sample.mdp(**options).reordered(self.order, grid)
            for sample in (problem.policy, *map(problem.policy.rows, (learned, chosen)))
        )
        self.test = problem.test.mdp()

    @property
    def full(self) -> Point:
        value = self.test.evaluate(self.test.evaluate_all())
        return Point("full", 0.0, value.n_evaluated, value.loss)

    def family(self, name: str, solver: Any) -> list[Point]:
        """The curve of a family of one knob, its points spread by what they do on policy rows."""
        candidates = solver.candidates(self.policy)
        errors, evaluations = candidates.evaluate(self.policy)
        knobs = spread(evaluations, errors, errors[0])  # the first is the full ensemble
        return self.points(name, knobs, [candidates[int(knob)] for knob in knobs])

    def solver(self, name: str, solver: Any, path: Any) -> list[Point]:
        """The curve of a solver, one policy per price beta."""
        return self.points(name, BETAS, path(solver, self.learning, self.selection, BETAS))

    def points(self, name: str, knobs: Any, policies: list[Policy]) -> list[Point]:
        """What the policies do on the test rows."""
        values = [self.test.evaluate(policy.after(self.order)) for policy in policies]
        return [
            Point(name, float(knob), value.n_evaluated, value.loss)
            for knob, value in zip(knobs, values, strict=True)
        ]


def default_path(rows: Rows, betas: np.ndarray) -> list[Policy]:
    """What a user gets who names no solver; the portfolio finds an order by itself."""
    return path(Portfolio(random_state=0), rows.learning, rows.selection, betas)


def path(solver: Any, learning: MDP, selection: MDP, betas: np.ndarray) -> list[Policy]:
    """A policy for each price, at once where the solver can do that."""
    if hasattr(solver, "solve_path"):
        return list(solver.solve_path(learning, betas, selection))
    return [solver.solve(learning.with_beta(b), selection.with_beta(b)) for b in betas]


def pooled(solver: Any, learning: MDP, selection: MDP, betas: np.ndarray) -> list[Policy]:
    """A policy for each price among all that the solver comes by at every third of them.

    What a policy loses and costs does not depend on beta, so the selection rows judge each once.
    """
    pool = [learning.evaluate_all()]
    for beta in betas[::3]:
        pool += solver.candidates(learning.with_beta(beta))
    values = [selection.evaluate(policy) for policy in pool]
    losses, costs = (np.array([getattr(v, part) for v in values]) for part in ("loss", "cost"))
    return [pool[(losses + beta * costs).argmin()] for beta in betas]


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
