"""Rules: the splits of a tree in words.

    a leaf  =  the conditions on the way to it:  29 < age <= 44 and workclass is Private

Conditions on one feature are joined into one. Names and categories are those of ``Features``. Of a
row, a missing value is said to be missing. Rules of whole trees, which belong to no row, do not say
where missing values go.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.nodes import Nodes, categories_of
from mddag.features.features import Features
from mddag.features.patches import PatchFeatures

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
        """With one more split."""
        if node["n_words"] > 0:
            some = frozenset(_set_of(node, words))
            if not left:
                return replace(self, outside=self.outside | some)
            return replace(self, inside=some if self.inside is None else self.inside & some)
        if left:
            return replace(self, high=min(self.high, float(node["threshold"])))
        return replace(self, low=max(self.low, float(node["threshold"])))

    def in_words(self, features: Features, value: float | None = None) -> str:
        """The condition; numbers get as many digits as keep `value` on its side."""
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
    """The splits that a row (n_features,) passes in a tree, and the code of its leaf."""
    at, splits = 0, []
    while (node := tree.records[at])["feature"] >= 0:
        left = _goes_left(node, float(row[node["feature"]]), tree.words)
        splits.append((node, left))
        at = int(node["left"] if left else node["right"])
    return splits, int(node["left"])


def rule_of_path(
    splits: list[Split], tree: Nodes, features: Features, row: NDArray[Any] | None = None
) -> str:
    """The conditions of some splits, in the order in which features are first read."""
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
    """The rule and the votes (width,) of each leaf of a tree."""
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
    """The name of column i on one line; x[i] where there are no names."""
    if isinstance(features, PatchFeatures):
        return f"Haar feature {i}"
    return f"x[{i}]" if features.names is None else one_line(features.names[i])


def category_name(features: Features, i: int, code: float) -> str:
    """The value that a code of nominal column i stands for; the code where it is not known."""
    values = features.categories.get(i, ())
    return one_line(values[int(code)]) if 0 <= code < len(values) else f"{code:g}"


def one_line(value: Any) -> str:
    """As text without line breaks; what cannot be seen is escaped."""
    text = " ".join(str(value).split())
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text) or "''"


def number(bound: float, value: float | None = None) -> str:
    """A number in few digits, on the same side of `value` as it is itself."""
    text = f"{bound:.{DIGITS[0]}g}"
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
