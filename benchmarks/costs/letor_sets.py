"""LETOR by feature sets: a LambdaMART for each set of streams, and what a document's score in a set
is worth.

Groups are the streams of ``letor_costs()`` (body, anchor, title, URL, whole document, link graph),
each at the sum of its features' prices. The link graph, a thousandth of all, is in every set but
the empty one. Scores of a set are put on the scale of the full model by a straight line:

    reading[i, s] = a_s score[i, s] + b_s,   the least squares fit of the full score

The loss of a document in a set is what the metric loses if it has that reading, all others of its
query their full one; gains are the mean of label and expectation given the full score.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import lightgbm
import numpy as np
from sklearn.isotonic import IsotonicRegression

from benchmarks.data import loaded
from benchmarks.ranking.folds import Part, documents
from mddag.features.features import Features
from mddag.features.prices import FeaturePrices
from mddag.metrics.queries import Queries
from mddag.metrics.ranking import GainMetric
from mddag.solvers.acquisition.feature_sets import FeatureSets

RATES = {"mq2007": 0.05, "mq2008": 0.03}
SETTINGS = {"n_estimators": 150, "num_leaves": 8, "n_jobs": 1, "verbose": -1, "random_state": 0}
FREE = "link graph"


@dataclass(frozen=True, eq=False)
class SetScores:
    """Documents of a part, query by query.

    readings : float64 (n, M), in every set
    labels   : float64 (n,)
    """

    sets: FeatureSets
    readings: np.ndarray
    labels: np.ndarray
    queries: Queries


def letor_sets() -> FeatureSets:
    """All sets of streams, with the link graph."""
    listed = loaded("letor_costs")
    names = list(listed["groups"])
    columns = {n: np.flatnonzero(listed["group"] == g).tolist() for g, n in enumerate(names)}
    prices = FeaturePrices.of(Features(46), listed["cost"], columns)
    free = prices.names.index(FREE)
    dear = [g for g in range(prices.n_groups) if g != free]
    chosen = (c for k in range(len(dear) + 1) for c in combinations(dear, k))
    held = np.zeros((2 ** len(dear), prices.n_groups), bool)
    for row, groups in zip(held, chosen, strict=True):
        row[[free, *groups]] = True
    return FeatureSets.of(prices, held)


def scores_of_fold(data: str, fold: int, sets: FeatureSets) -> dict[str, SetScores]:
    """Readings of validation and test documents."""
    parts = documents(data, fold)
    raw: dict[str, list[np.ndarray]] = {"vali": [], "test": []}
    for s in range(len(sets)):
        columns = sets.columns(s)
        model = _ranker(data, parts["train"], columns) if len(columns) else None
        for part, found in raw.items():
            X = parts[part][0]
            found.append(np.zeros(len(X)) if model is None else model.predict(X[:, columns]))
    scores = {part: np.stack(found, axis=1) for part, found in raw.items()}
    lines = [_line(scores["vali"][:, s], scores["vali"][:, -1]) for s in range(len(sets))]
    slope, shift = np.array(lines).T
    return {
        part: SetScores(sets, slope * found + shift, parts[part][1], _queries(parts[part]))
        for part, found in scores.items()
    }


def losses(part: SetScores, metric: GainMetric) -> np.ndarray:
    """What the metric loses by the reading of each document in each set, (n, M)."""
    full, queries = part.readings[:, -1], part.queries
    gains = metric.gains(part.labels)
    expected = IsotonicRegression(out_of_bounds="clip").fit(full, gains).predict(full)
    gains = (gains + expected) / 2
    order = queries.order(full)
    worth = metric.worth(gains[queries.order(gains)], queries)
    found = np.empty(part.readings.shape)
    for first, end in zip(queries.starts[:-1], queries.starts[1:], strict=True):
        at = order[first:end]
        found[at] = _moved(part.readings[at], gains[at], worth[first:end])
    return found


def _moved(readings: np.ndarray, gains: np.ndarray, worth: np.ndarray) -> np.ndarray:
    """The same for a query whose documents stand by falling full reading."""
    full, n = readings[:, -1], len(readings)
    old = np.arange(n)[:, None]
    above = np.searchsorted(-full, -readings.ravel(), side="left").reshape(readings.shape)
    new = np.where(above > old, above - 1, above)  # without the document itself
    step = np.append(-np.diff(worth), 0.0)  # from a position to the next one
    falls = np.append(0.0, np.cumsum(gains * step))  # of all others, one place down each
    rises = np.append(0.0, np.cumsum(gains * np.append(0.0, step[:-1])))
    own = gains[:, None] * (worth[old] - worth[new])
    lower, higher = rises[new + 1] - rises[old + 1], falls[old] - falls[new]
    return np.where(new > old, own - lower, own + higher)


def _ranker(data: str, part: Part, columns: np.ndarray) -> Any:
    X, y, _ = part
    model = lightgbm.LGBMRanker(learning_rate=RATES[data], **SETTINGS)
    return model.fit(X[:, columns], y, group=_queries(part).sizes)


def _queries(part: Part) -> Queries:
    return Queries.of(part[2], len(part[2]))


def _line(scores: np.ndarray, full: np.ndarray) -> tuple[float, float]:
    if np.ptp(scores) == 0:
        return 0.0, float(full.mean())
    slope, shift = np.polyfit(scores, full, 1)
    return float(slope), float(shift)
