"""Trees per document at a given loss against the full order, on one order and readings.

Order and readings are fitted on training and validation queries, gains on validation queries.
Settings with several numbers are chosen on validation queries. Curves are over all test queries;
the trees at a loss are interpolated between settings, in logarithms. LEAR is there twice: with its
classifiers free of cost, and with each of their trees counted as one of the ranker's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.ranking.baselines import (
    CapacityExits,
    PrefixExits,
    QueryExits,
    RankExits,
    ScoreExits,
)
from benchmarks.ranking.folds import PARTS, RATES, Part, documents, lambda_mart, problem
from benchmarks.ranking.lear import TREES, Lear
from mddag.metrics import LetorNDCG, MeanNDCG
from mddag.metrics.ranking import GainMetric
from mddag.ranking import Exits, ProximityExits, UrgencyExits
from mddag.ranking.exits import ExitFamily, family_of
from mddag.ranking.front import efficient
from mddag.ranking.problem import RankingProblem

WANTED = (0.002, 0.005, 0.01)
FIELDS = ("data", "metric", "exits", *(f"trees at {wanted:g}" for wanted in WANTED))
MEMBERS: dict[str, type[Exits]] = {
    member.__name__: member
    for member in (
        UrgencyExits,
        ProximityExits,
        RankExits,
        CapacityExits,
        ScoreExits,
        QueryExits,
        PrefixExits,
    )
}
LEAR = {"LEAR, classifier free": 0.0, "LEAR, classifier counted": float(TREES)}
FINE = np.geomspace(2e-4, 0.05, 40)  # losses at which pairs of numbers are chosen
NAMES = (*MEMBERS, *LEAR)
Left = list[tuple[np.ndarray, np.ndarray]]  # readings and steps of documents, by setting
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
        fitted, test = (
            UrgencyExits().fit(problems["vali"], more=problems["train"]),
            problems["test"],
        )
        gains = fitted.gains(test)
        for name in NAMES:
            found = tested(name, fitted, parts, problems)
            lost = [(test.order_loss(readings, gains), steps) for readings, steps in found]
            curves.setdefault(name, []).append(lost)
    for name, by_fold in curves.items():
        lost, trees = (averaged(by_fold, which) for which in (0, 1))
        order = np.argsort(lost)
        at = np.interp(np.log(WANTED), np.log(lost[order]), np.log(trees[order]))
        row = {"data": data, "metric": repr(metric), "exits": name}
        yield row | dict(zip(FIELDS[3:], np.exp(at).round(1).tolist(), strict=True))


def tested(
    name: str,
    fitted: ExitFamily,
    parts: dict[str, Part],
    problems: dict[str, RankingProblem],
) -> Left:
    """What test documents do by a member or LEAR, with the order and readings of one family."""
    vali, test = problems["vali"], problems["test"]
    if name in LEAR:
        return tested_lear(fitted, parts, problems, LEAR[name])
    member = MEMBERS[name]
    family = family_of(member(), fitted.state.readings, fitted.order, vali.metric)
    blocks = family.blocks(test)
    tried = settings(family, member.settings, vali)
    return [family.run(blocks, test.queries, setting) for setting in tried]


def tested_lear(
    fitted: ExitFamily,
    parts: dict[str, Part],
    problems: dict[str, RankingProblem],
    price: float,
) -> Left:
    """The same for LEAR; a call of a classifier costs `price` steps."""
    lear = Lear.fit(fitted, parts["train"][0], problems["train"])
    vali, test = (lear.seen(parts[name][0], problems[name]) for name in ("vali", "test"))
    tried, gains = lear.settings(), fitted.gains(problems["vali"])
    found = []
    for setting in tried:
        readings, steps, calls = lear.run(vali, setting)
        lost = problems["vali"].order_loss(readings, gains)
        found.append((lost, steps + price * calls))
    best = (lear.run(test, tried[at]) for at in chosen(found))
    return [(readings, steps + price * calls) for readings, steps, calls in best]


def settings(family: ExitFamily, given: np.ndarray, vali: RankingProblem) -> np.ndarray:
    """The settings; of pairs the cheapest on validation queries at each of FINE."""
    return given if given.ndim == 1 else given[chosen(runs(family, given, vali))]


def chosen(found: Runs) -> np.ndarray:
    """The places of the cheapest runs at each of FINE."""
    lost, trees = (np.array([r[which].mean() for r in found]) for which in (0, 1))
    best = efficient(lost, trees)
    at = np.maximum(np.searchsorted(lost[best], FINE, side="right") - 1, 0)
    return best[at]


def runs(family: ExitFamily, given: np.ndarray, judged: RankingProblem) -> Runs:
    """Losses of queries and steps of documents at each setting."""
    blocks, gains = family.blocks(judged), family.gains(judged)
    found = []
    for setting in given:
        readings, steps = family.run(blocks, judged.queries, setting)
        found.append((judged.order_loss(readings, gains), steps))
    return found


def averaged(by_fold: list[Runs], which: int) -> np.ndarray:
    """Means over the queries, or documents, of all folds, by setting."""
    together = [np.concatenate([run[which] for run in same]) for same in zip(*by_fold, strict=True)]
    return np.array([max(values.mean(), 1e-9) for values in together])
