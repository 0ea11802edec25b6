"""Curves: error and mean feature cost of every method at every strength of its knob, per seed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.costs.price_lists import Problem
from benchmarks.costs.rivals import penalised, static_and_cascades, tuned
from benchmarks.costs.scored import SETTINGS, fitted, keep
from mddag.tuning.acquisition import Acquisition, chains_of, set_dag
from mddag.tuning.set_rows import SetRows

FIELDS = [
    "set",
    "seed",
    "method",
    "knob",
    "strength",
    "member",
    "error",
    "cost",
    "waves",
    "macro_f1",
]
STRENGTHS = np.geomspace(0.008, 4.0, 18) * 0.2  # beta in units of the full price


Row = dict[str, Any]


def measure(problem: Problem, seed: int, before: Sequence[Row] = ()) -> list[Row]:
    """All methods on one seed of a data set; penalised models are taken from `before` if there."""
    began = time.process_time()
    found, rows = fitted(problem, seed)
    trained = time.process_time() - began
    test = SetRows(found.models.sets, found.models.scores(rows, found.ensemble.bias), None)
    keep(problem.name, seed, found, test.scores)
    y_test = problem.test[1]
    table = _Table(problem.name, seed, y_test)
    full_cost = float(found.models.sets.cost[-1])
    table.add("full", 0, 0.0, "", test.codes[:, -1], np.full(len(y_test), full_cost), 1.0)
    betas = STRENGTHS / full_cost
    table.ours(found, test, betas)
    searched = time.process_time() - began - trained
    _check_dag(found, test, rows, float(betas[9]))
    for policy, suffix in ((found.taught, ""), (found.rows, ", policy rows")):
        for method, cascades in static_and_cascades(policy, chains_of(policy), seed).items():
            for k, beta in enumerate(betas.tolist()):
                table.followed(method + suffix, k, beta, "", tuned(cascades, beta), test)
    table.rows += [row for row in before if row["method"].startswith("CEGB")]
    if not before:
        found_by = enumerate(penalised(problem, test.sets.prices, SETTINGS))
        for k, (kind, strength, labels, cost) in found_by:
            table.add(f"CEGB {kind}", k, strength, "", labels, cost, 1.0)
    print(
        f"{problem.name} {seed}: {len(found.models)} models {trained:.1f} s, policies "
        f"{searched:.1f} s, all {time.process_time() - began:.1f} s of processor time",
        flush=True,
    )
    return table.rows


class _Table:
    """Rows of results of one seed."""

    def __init__(self, name: str, seed: int, y: np.ndarray) -> None:
        self.name, self.seed, self.y, self.rows = name, seed, y, list[dict[str, Any]]()

    def add(
        self, method: str, k: int, strength: float, member: str, labels: Any, cost: Any, waves: Any
    ) -> None:
        values = [
            self.name,
            self.seed,
            method,
            k,
            strength,
            member,
            100 * np.mean(labels != self.y),
            np.mean(cost),
            np.mean(waves),
            100 * macro_f1(labels, self.y),
        ]
        shown = [f"{v:.6g}" if isinstance(v, float) else v for v in values]
        self.rows.append(dict(zip(FIELDS, shown, strict=True)))

    def followed(
        self, method: str, k: int, beta: float, member: str, policy: Any, test: SetRows
    ) -> None:
        stops = policy.follow(test.sets, test.values)
        labels = test.codes[np.arange(len(test)), stops.last]
        self.add(method, k, beta, member, labels, stops.cost, _waves(stops, test))

    def ours(self, found: Acquisition, test: SetRows, betas: np.ndarray) -> None:
        """The member that policy rows choose."""
        for k, beta in enumerate(betas.tolist()):
            best = found.search.best(beta)
            self.followed("acquire", k, beta, best.member, best.policy, test)


def macro_f1(labels: np.ndarray, y: np.ndarray) -> float:
    """The mean of the classes' F1."""
    hits = [np.sum((labels == k) & (y == k)) for k in np.unique(y)]
    sizes = [np.sum(labels == k) + np.sum(y == k) for k in np.unique(y)]
    return float(np.mean([2 * h / max(s, 1) for h, s in zip(hits, sizes, strict=True)]))


def _waves(stops: Any, test: SetRows) -> np.ndarray:
    """Sets that cost more than nothing which a row has passed."""
    paid = test.sets.cost > 0
    return (stops.seen & paid).sum(axis=1)


def _check_dag(found: Acquisition, test: SetRows, rows: Any, beta: float) -> None:
    """The Dag pays what the policy over sets pays, but for rows on an edge up to rounding."""
    policy = found.search.best(beta).policy
    dag, _ = set_dag(found.models, policy, found.ensemble, found.rows)
    stops, trace = policy.follow(test.sets, test.values), dag.run(rows)
    same = np.isclose(stops.cost, trace.feature_cost)
    assert same.mean() > 0.99, f"the Dag pays otherwise on {np.sum(~same)} rows"
