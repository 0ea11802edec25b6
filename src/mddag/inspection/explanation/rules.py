"""Put the splits of a tree into words, and find the values at which they change.

Conditions on one feature are joined into one: 29 < age <= 44 and workclass is Private. Rules of
whole trees do not say where missing values go.

Between two thresholds of the evaluated trees nothing that was evaluated changes, so the only
values worth trying are those at and right above each threshold, and the other categories of a
nominal feature. Each try runs the whole DAG, since a changed row may take another path. Changes
of two features at once are not tried, nor changes that only a tree outside the path would see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.features import Features, Rows
from mddag.ensemble.nodes import Nodes, categories_of
from mddag.ensemble.patches import PatchFeatures

MOST_CATEGORIES = 4  # that are written down one by one
DIGITS = (6, 9, 17)

Split = tuple[Any, bool]  # a node's record, and whether the left child follows


@dataclass(frozen=True)
class Condition:
    """What is known of one feature: low < x <= high; x among `inside`, not among `outside`."""

    feature: int
    low: float = -np.inf
    high: float = np.inf
    inside: frozenset[int] | None = None
    outside: frozenset[int] = frozenset()
    missing: bool = False

    def narrowed(self, node: Any, left: bool, words: NDArray[np.uint32]) -> Condition:
        """Return the condition with one more split."""
        if node["n_words"] > 0:
            some = frozenset(_set_of(node, words))
            if not left:
                return replace(self, outside=self.outside | some)
            return replace(self, inside=some if self.inside is None else self.inside & some)
        if left:
            return replace(self, high=min(self.high, float(node["threshold"])))
        return replace(self, low=max(self.low, float(node["threshold"])))

    def in_words(self, features: Features, value: float | None = None) -> str:
        """Return the condition as text; numbers get as many digits as keep `value` on its side."""
        name = feature_name(features, self.feature)
        if self.missing:
            return f"{name} is missing"
        if self.inside is not None:
            return f"{name} is {self._listed(features, self.inside - self.outside)}"
        if self.outside:
            return f"{name} is not {self._listed(features, self.outside)}"
        low, high = (number(bound, value) for bound in (self.low, self.high))
        if np.isinf(self.low):
            return f"{name} <= {high}"
        return f"{name} > {low}" if np.isinf(self.high) else f"{low} < {name} <= {high}"

    def _listed(self, features: Features, codes: frozenset[int]) -> str:
        names = [category_name(features, self.feature, code) for code in sorted(codes)]
        if len(names) > MOST_CATEGORIES:
            return f"one of {len(names)} values ({', '.join(names[:2])}, …)"
        return " or ".join(names) if names else "none of its values"


def path_of(tree: Nodes, row: NDArray[np.floating[Any]]) -> tuple[list[Split], int]:
    """Return the splits that a row (n_features,) passes in a tree, and the code of its leaf."""
    at, splits = 0, []
    while (node := tree.records[at])["feature"] >= 0:
        left = _goes_left(node, float(row[node["feature"]]), tree.words)
        splits.append((node, left))
        at = int(node["left"] if left else node["right"])
    return splits, int(node["left"])


def rule_of_path(
    splits: list[Split], tree: Nodes, features: Features, row: NDArray[Any] | None = None
) -> str:
    """Join the conditions of splits, in the order in which features are first read."""
    found: dict[int, Condition] = {}
    for node, left in splits:
        i = int(node["feature"])
        if row is not None and np.isnan(row[i]):
            found[i] = Condition(i, missing=True)
            continue
        found[i] = found.get(i, Condition(i)).narrowed(node, left, tree.words)
    words = (c.in_words(features, None if row is None else row[i]) for i, c in found.items())
    return " and ".join(words) or "always"


def leaf_rules(tree: Nodes, features: Features) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield the rule and the votes (width,) of each leaf of a tree."""
    waiting: list[tuple[int, list[Split]]] = [(0, [])]
    while waiting:
        at, splits = waiting.pop()
        node = tree.records[at]
        if node["feature"] < 0:
            yield rule_of_path(splits, tree, features), tree.votes[node["left"]]
            continue
        waiting.append((int(node["right"]), [*splits, (node, False)]))
        waiting.append((int(node["left"]), [*splits, (node, True)]))


def feature_name(features: Features, i: int) -> str:
    """Return the name of column i on one line; x[i] if there are no names."""
    if isinstance(features, PatchFeatures):
        return f"Haar feature {i}"
    return f"x[{i}]" if features.names is None else one_line(features.names[i])


def category_name(features: Features, i: int, code: float) -> str:
    """Return the value that a code of nominal column i stands for; unknown codes stay."""
    values = features.categories.get(i, ())
    return one_line(values[int(code)]) if 0 <= code < len(values) else f"{code:g}"


def one_line(value: Any) -> str:
    """Return text without line breaks; what cannot be seen is escaped."""
    text = " ".join(str(value).split())
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text) or "''"


def number(bound: float, value: float | None = None) -> str:
    """Write a number in few digits, on the same side of `value` as it is itself."""
    for digits in DIGITS:
        text = f"{bound:.{digits}g}"
        if value is None or (value <= float(text)) == (value <= bound):
            break
    return text


def _goes_left(node: Any, value: float, words: NDArray[np.uint32]) -> bool:
    if np.isnan(value):
        return bool(node["missing_left"])
    if node["n_words"] > 0:
        return -1 < value < 32 * node["n_words"] and int(value) in _set_of(node, words)
    return bool(value <= node["threshold"])


def _set_of(node: Any, words: NDArray[np.uint32]) -> list[int]:
    here: list[int] = categories_of(words[node["word"] : node["word"] + node["n_words"]]).tolist()
    return here


MOST_VALUES = 2**23  # of all rows that are tried

Predict = Callable[[Rows], NDArray[Any]]


@dataclass(frozen=True)
class Change:
    """One feature that changes, and what is predicted then."""

    feature: int  # its column
    name: str
    value: Any  # now: a number or a category; None if it is missing
    to: str  # the change in words: "<= 7055", "> 7055", "is Private"
    tried: float  # the number that the DAG read
    far: float  # the share of the feature's thresholds that lie between, 0 to 1
    prediction: Any = None  # None while it is not known


def tries_of(trees: Iterable[Nodes], features: Features, row: NDArray[Any]) -> list[Change]:
    """List the values to try, the nearest of every feature first; none for patches.

    No pixel changes one Haar feature alone.
    """
    if isinstance(features, PatchFeatures):
        return []
    found: list[Change] = []
    thresholds, nominal = _splits(trees)
    for i in sorted(thresholds.keys() | nominal):
        now = float(row[i])
        if i in nominal:
            tried = _categories(features, i, now, nominal[i])
        else:
            tried = _values(now, np.unique(thresholds[i]))
        name, value = feature_name(features, i), value_of(features, i, now)
        found += [Change(i, name, value, *one) for one in tried]
    found.sort(key=lambda one: one.far)  # stable: within a feature the nearest is first
    return found[: max(MOST_VALUES // len(row), 1)]


def best_changes(
    tries: list[Change],
    row: NDArray[Any],
    features: Features,
    predict: Predict,
    *,
    of_numbers: bool,
) -> tuple[Change, ...]:
    """Return the nearest change of each feature to another label, or that moves a number most."""
    if not tries:
        return ()
    rows = np.tile(row.astype(np.float64), (len(tries) + 1, 1))
    rows[np.arange(len(tries)), [one.feature for one in tries]] = [one.tried for one in tries]
    *found, now = predict(features.rows(rows)).tolist()
    pairs = zip(tries, found, strict=True)
    changes = [replace(one, prediction=new) for one, new in pairs if new != now]
    if of_numbers:
        changes.sort(key=lambda one: -abs(one.prediction - now))
    first: dict[int, Change] = {}
    for one in changes:
        first.setdefault(one.feature, one)
    return tuple(first.values())


def value_of(features: Features, i: int, value: float) -> Any:
    """Return the value of column i: a number, a category, or None if it is missing."""
    if np.isnan(value):
        return None
    return category_name(features, i, value) if i in features.categories else float(value)


def _splits(trees: Iterable[Nodes]) -> tuple[dict[int, list[float]], dict[int, int]]:
    """Return the thresholds of numeric features, and how many codes nominal ones may have."""
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


Tried = tuple[str, float, float]  # a change in words, the number to try, how far it is


def _values(now: float, thresholds: NDArray[np.float64]) -> list[Tried]:
    above = np.nextafter(thresholds, np.inf).tolist()
    if np.isnan(now):  # from nowhere every value is as far
        at = [(f"<= {number(t)}", t, 1.0) for t in thresholds.tolist()]
        return [*at, (f"> {number(thresholds[-1])}", above[-1], 1.0)]
    n, first = len(thresholds), int(np.searchsorted(thresholds, now))  # the first that is not below
    down = [
        (f"<= {number(thresholds[k], now)}", float(thresholds[k]), (first - k) / n)
        for k in range(first - 1, -1, -1)
    ]
    up = [
        (f"> {number(thresholds[k], now)}", above[k], (k - first + 1) / n) for k in range(first, n)
    ]
    return down + up


def _categories(features: Features, i: int, now: float, n_codes: int) -> list[Tried]:
    n = len(features.categories.get(i, ())) or n_codes
    return [
        (f"is {category_name(features, i, code)}", float(code), 1 / max(n - 1, 1))
        for code in range(n)
        if code != now
    ]
