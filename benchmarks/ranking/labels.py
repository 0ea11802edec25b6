"""By labels: the full LambdaMART, sparse ones, and small ones that were trained anew.

`sparse` is `UrgencyExits` with the largest price whose loss against the full order is at most .002
or .005 on validation queries, cross-fitted. `small` has the number of trees and the rate that are
best on the validation queries of a fold, with at most SMALL trees, or 60 trees at rate 0.1. Values
are means over the test queries of five folds; the error is the standard error of the difference
from the full model, query by query.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from benchmarks.ranking.folds import PARTS, RATES, Part, documents, lambda_mart, problem
from mddag.metrics import LetorNDCG, MeanNDCG
from mddag.metrics.ranking import GainMetric
from mddag.ranking import UrgencyExits
from mddag.ranking.exits import cross_fitted
from mddag.ranking.problem import RankingProblem

BOUNDS = (0.002, 0.005)
METRICS = (LetorNDCG(10), MeanNDCG())
SMALL = 60
SMALL_RATES = (0.03, 0.05, 0.1, 0.2)
LENGTHS = tuple(range(5, SMALL + 1, 5))
CHOSEN, FIXED = f"small, at most {SMALL} trees", "small, 60 trees, rate 0.1"
FIELDS = ("data", "metric", "model", "trees", "value", "minus full", "error", "lost")

Judged = tuple[np.ndarray, np.ndarray, np.ndarray]  # the metric and losses of queries, and steps


def measure(folds: tuple[int, ...] = (1, 2, 3, 4, 5)) -> Iterator[dict[str, Any]]:
    """A row for each data set, metric and model."""
    for data, metric in product(RATES, METRICS):
        found: dict[str, list[Judged]] = {}
        for fold in folds:
            for model, judged in of_fold(data, fold, metric):
                found.setdefault(model, []).append(judged)
        joined = {
            model: [np.concatenate(a) for a in zip(*f, strict=True)] for model, f in found.items()
        }
        for model, (values, lost, steps) in joined.items():
            more = values - joined["full"][0]
            error = more.std(ddof=1) / np.sqrt(len(more))
            numbers = values.mean(), more.mean(), error, lost.mean()
            told = (data, repr(metric), model, round(float(steps.mean()), 1))
            row = (*told, *(round(float(number), 4) for number in numbers))
            yield dict(zip(FIELDS, row, strict=True))


def of_fold(data: str, fold: int, metric: GainMetric) -> Iterator[tuple[str, Judged]]:
    """The test queries of a fold by each model."""
    parts, name = documents(data, fold), f"{data}_{fold}"
    ensemble = lambda_mart(name, parts["train"], RATES[data])
    train, vali, test = (problem(ensemble, parts[part], metric) for part in PARTS)
    found = cross_fitted(UrgencyExits(), vali, np.random.RandomState(0), more=train)
    judged = partial(by_labels, test, found.family.gains(test))
    yield "full", judged(test.full, np.full(test.queries.n_rows, test.n_steps))
    blocks = found.family.blocks(test)
    for bound in BOUNDS:
        setting = found.settings[last_within(found.losses.mean(axis=1), bound)]
        yield f"sparse, {bound:g}", judged(*found.family.run(blocks, test.queries, setting))
    models = {rate: prefixes(name, parts, rate) for rate in SMALL_RATES}

    def on_vali(setting: tuple[float, int]) -> float:
        scores = models[setting[0]]["vali"][setting[1]]
        return float(metric.of_queries(scores, parts["vali"][1], vali.queries).mean())

    best = max(product(SMALL_RATES, LENGTHS), key=on_vali)
    for model, (rate, n) in ((CHOSEN, best), (FIXED, (0.1, 60))):
        scores = models[rate]["test"][n]
        yield model, judged(scores, np.full(len(scores), n))


def last_within(losses: np.ndarray, bound: float) -> int:
    """The place of the last setting, from careful to cheap, before the first that loses more."""
    return max(int(np.argmax(np.append(losses, np.inf) > bound)) - 1, 0)


def by_labels(
    test: RankingProblem, gains: np.ndarray, scores: np.ndarray, steps: np.ndarray
) -> Judged:
    assert test.labels is not None
    values = test.metric.of_queries(scores, test.labels, test.queries)
    return values, test.order_loss(scores, gains), steps.astype(float)


def prefixes(name: str, parts: dict[str, Part], rate: float) -> dict[str, dict[int, np.ndarray]]:
    """The scores of a small model's first trees, by part and number of trees."""
    model = lambda_mart(f"{name}_small_{rate:g}", parts["train"], rate, n_trees=SMALL)
    sums = {
        part: np.cumsum(model.votes(parts[part][0]).dense()[:, :, 0], axis=1)
        for part in ("vali", "test")
    }
    return {part: {n: total[:, n - 1] for n in LENGTHS} for part, total in sums.items()}
