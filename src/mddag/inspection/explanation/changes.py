"""What would change the prediction: one feature at a time, moved over thresholds of the model.

Between two thresholds of the evaluated trees nothing that was evaluated changes, so only the values
at and right above each threshold are tried, and every other category of a nominal feature. Each try
runs the whole DAG: a changed row may take another path. Changes of two features at once are not
looked for, nor changes that only a tree which was not evaluated would see.

    far = thresholds passed / thresholds of the feature       which compares features of any unit
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.nodes import Nodes
from mddag.features.features import Features
from mddag.features.rows import Rows
from mddag.inspection.explanation.rules import category_name, feature_name, number

MOST_VALUES = 2**22  # of the rows that are tried at once
MOST_TRIES = 2**15

Predict = Callable[[Rows], NDArray[Any]]


@dataclass(frozen=True)
class Change:
    """One feature that changes, and what is predicted then.

    feature    : its column
    name       : its name
    value      : as it is, a number, a category or None where it is missing
    to         : in words: "<= 7055", "> 7055", "is Private"
    tried      : the number that the DAG read
    far        : the share of the feature's thresholds that lie between, 0 to 1
    prediction : the new one
    """

    feature: int
    name: str
    value: Any
    to: str
    tried: float
    far: float
    prediction: Any

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass(frozen=True)
class Try:
    """A value for a feature, without its prediction."""

    feature: int
    tried: float
    to: str
    far: float


def tries_of(trees: Iterable[Nodes], features: Features, row: NDArray[Any]) -> list[Try]:
    """The values to try, feature by feature, the nearest first."""
    found: list[Try] = []
    thresholds, nominal = _splits(trees)
    for i in sorted(thresholds.keys() | nominal):
        if i in nominal:
            found += _categories(features, i, float(row[i]), nominal[i])
        else:
            found += _values(i, float(row[i]), np.unique(thresholds[i]))
    found.sort(key=lambda one: one.far)  # stable: within a feature the nearest is first
    return found[:MOST_TRIES]


def changed_predictions(
    tries: list[Try], row: NDArray[Any], features: Features, predict: Predict
) -> NDArray[Any]:
    """What is predicted of each try, (n_tries,)."""
    size = max(MOST_VALUES // max(len(row), 1), 1)
    parts = []
    for start in range(0, len(tries), size):
        some = tries[start : start + size]
        rows = np.tile(row.astype(np.float64), (len(some), 1))
        rows[np.arange(len(some)), [one.feature for one in some]] = [one.tried for one in some]
        parts.append(predict(features.rows(rows)))
    return np.concatenate(parts) if parts else np.empty(0)


def label_changes(
    tries: list[Try], predictions: NDArray[Any], now: Any, row: NDArray[Any], features: Features
) -> tuple[Change, ...]:
    """The nearest change of each feature that gives another label, the nearest feature first."""
    first: dict[int, Change] = {}
    for one, label in zip(tries, predictions.tolist(), strict=True):
        if label != now and one.feature not in first:
            first[one.feature] = _change(one, label, row, features)
    return tuple(first.values())


def number_changes(
    tries: list[Try], predictions: NDArray[Any], now: float, row: NDArray[Any], features: Features
) -> tuple[Change, ...]:
    """The change of each feature that moves a number the most, the largest move first."""
    most: dict[int, tuple[float, Change]] = {}
    for one, value in zip(tries, predictions.tolist(), strict=True):
        if abs(value - now) > most.get(one.feature, (0.0, None))[0]:
            most[one.feature] = abs(value - now), _change(one, value, row, features)
    ordered = sorted(most.values(), key=lambda pair: -pair[0])
    return tuple(change for _, change in ordered)


def value_of(features: Features, i: int, value: float) -> Any:
    """What stands in column i: a number, a category, or None where it is missing."""
    if np.isnan(value):
        return None
    return category_name(features, i, value) if i in features.categories else float(value)


def _change(one: Try, prediction: Any, row: NDArray[Any], features: Features) -> Change:
    i = one.feature
    now, name = value_of(features, i, float(row[i])), feature_name(features, i)
    return Change(i, name, now, one.to, one.tried, one.far, prediction)


def _splits(trees: Iterable[Nodes]) -> tuple[dict[int, list[float]], dict[int, int]]:
    """The thresholds by numeric feature; by nominal feature how many codes its sets may hold."""
    thresholds: dict[int, list[float]] = {}
    nominal: dict[int, int] = {}
    for tree in trees:
        inner = tree.records[tree.records["feature"] >= 0]
        for i, threshold, n_words in inner[["feature", "threshold", "n_words"]].tolist():
            if n_words > 0:
                nominal[i] = max(nominal.get(i, 0), 32 * n_words)
            else:
                thresholds.setdefault(i, []).append(threshold)
    return thresholds, nominal


def _values(i: int, now: float, thresholds: NDArray[np.float64]) -> list[Try]:
    n = len(thresholds)
    if np.isnan(now):  # from nowhere every value is as far
        at = [Try(i, t, f"<= {number(t)}", 1.0) for t in thresholds.tolist()]
        return [*at, Try(i, _above(thresholds[-1]), f"> {number(thresholds[-1])}", 1.0)]
    below = thresholds[thresholds < now][::-1].tolist()
    above = thresholds[thresholds >= now].tolist()
    down = [Try(i, t, f"<= {number(t, now)}", (k + 1) / n) for k, t in enumerate(below)]
    up = [Try(i, _above(t), f"> {number(t, now)}", (k + 1) / n) for k, t in enumerate(above)]
    return [*down, *up]


def _above(threshold: float) -> float:
    return float(np.nextafter(threshold, np.inf))


def _categories(features: Features, i: int, now: float, n_codes: int) -> list[Try]:
    n = len(features.categories.get(i, ())) or n_codes
    return [
        Try(i, float(code), f"is {category_name(features, i, code)}", 1 / max(n - 1, 1))
        for code in range(n)
        if code != now
    ]
