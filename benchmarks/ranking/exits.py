"""Trees per document at a given teacher loss: five folds, all members on one order and readings.

Order and readings are fitted on training and validation queries, gains on validation queries.
Settings with several numbers are chosen on validation queries. Curves are over all test queries; the
trees at a loss are interpolated between settings, in logarithms. LEAR is there twice: with its
classifiers free of cost, and each of their trees counted as one of the ranker's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.ranking.folds import PARTS, RATES, Part, documents, lambda_mart, problem
from benchmarks.ranking.lear import TREES, Lear
from mddag.metrics import LetorNDCG, MeanNDCG
from mddag.metrics.ranking import GainMetric
from mddag.solvers.ranking import (
    CapacityExits,
    Exits,
    PrefixExits,
    ProximityExits,
    QueryExits,
    RankExits,
    ScoreExits,
    UrgencyExits,
)
from mddag.solvers.ranking.cross_fitting import front
from mddag.solvers.ranking.exit_family import ExitFamily
from mddag.solvers.ranking.problem import RankingProblem

WANTED = (0.002, 0.005, 0.01)
FIELDS = ("data", "metric", "exits", *(f"trees at {wanted:g}" for wanted in WANTED))
MEMBERS: tuple[type[Exits], ...] = (
    UrgencyExits,
    ProximityExits,
    RankExits,
    CapacityExits,
    ScoreExits,
    QueryExits,
    PrefixExits,
)
LEAR = {"LEAR, classifier free": 0.0, "LEAR, classifier counted": float(TREES)}
FINE = np.geomspace(2e-4, 0.05, 40)  # losses at which pairs of numbers are chosen
Runs = list[tuple[np.ndarray, np.ndarray]]  # losses of queries and steps of documents, by setting


def measure(folds: tuple[int, ...] = (1, 2, 3, 4, 5)) -> Iterator[dict[str, Any]]:
    """A row for each data set, metric and member."""
    for data in RATES:
        for metric in (LetorNDCG(10), MeanNDCG()):
            yield from compared(data, metric, folds)


def compared(data: str, metric: GainMetric, folds: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    curves: dict[str, list[Runs]] = {}
    for fold in folds:
        parts = documents(data, fold)
        ensemble = lambda_mart(f"{data}_{fold}", parts["train"], RATES[data])
        problems = {name: problem(ensemble, parts[name], metric) for name in PARTS}
        for name, found in tested(parts, problems):
            curves.setdefault(name, []).append(found)
    for name, by_fold in curves.items():
        lost, trees = (averaged(by_fold, which) for which in (0, 1))
        order = np.argsort(lost)
        at = np.interp(np.log(WANTED), np.log(lost[order]), np.log(trees[order]))
        row = {"data": data, "metric": repr(metric), "exits": name}
        yield row | dict(zip(FIELDS[3:], np.exp(at).round(1).tolist(), strict=True))


def tested(
    parts: dict[str, Part], problems: dict[str, RankingProblem]
) -> Iterator[tuple[str, Runs]]:
    """The runs of every member and of LEAR on the test queries of a fold."""
    train, vali, test = (problems[name] for name in PARTS)
    fitted = UrgencyExits().fit(vali, more=train)
    for member in MEMBERS:
        family = member().family(fitted.state.readings, fitted.order, vali.metric)
        yield member.__name__, runs(family, settings(family, member.knobs, vali), test)
    lear = Lear.fit(fitted, parts["train"][0], train)
    seen = {name: lear.seen(parts[name][0], problems[name]) for name in ("vali", "test")}
    for name, price in LEAR.items():
        tried = lear.settings()
        best = chosen(list(lear.runs(seen["vali"], tried, vali, price)))
        yield name, list(lear.runs(seen["test"], [tried[at] for at in best], test, price))


def settings(family: ExitFamily, knobs: np.ndarray, vali: RankingProblem) -> np.ndarray:
    """The knobs; of pairs the cheapest on validation queries at each of FINE."""
    return knobs if knobs.ndim == 1 else knobs[chosen(runs(family, knobs, vali))]


def chosen(found: Runs) -> np.ndarray:
    """The places of the cheapest runs at each of FINE."""
    lost, trees = (np.array([r[which].mean() for r in found]) for which in (0, 1))
    best = front(lost, trees)
    at = np.maximum(np.searchsorted(lost[best], FINE, side="right") - 1, 0)
    return best[at]


def runs(family: ExitFamily, knobs: np.ndarray, judged: RankingProblem) -> Runs:
    """Losses of queries and steps of documents at each setting."""
    blocks, gains = family.blocks(judged), family.gains(judged)
    found = []
    for knob in knobs:
        readings, steps = family.run(blocks, judged.queries, knob)
        found.append((judged.teacher_loss(readings, gains), steps))
    return found


def averaged(by_fold: list[Runs], which: int) -> np.ndarray:
    """Means over the queries, or documents, of all folds, by setting."""
    together = [np.concatenate([run[which] for run in same]) for same in zip(*by_fold, strict=True)]
    return np.array([max(values.mean(), 1e-9) for values in together])
