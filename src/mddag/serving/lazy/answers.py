"""Answers: what a fetch gave, checked, as numbers.

An array holds codes in nominal columns, a frame or a dict their values, as in ``predict``. NaN is a
value, where the model knows missing values; where it does not, it is refused.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import described
from mddag.features.features import Features, is_frame, unmasked, without_arrow
from mddag.features.one_row import one_row
from mddag.features.prices import FeaturePrices


class Answers:
    """What reads the answers of all groups of a model."""

    def __init__(self, features: Features, prices: FeaturePrices) -> None:
        self.prices = prices
        self._of = cache(lambda group: columns_of(features, prices.columns[group]))

    def of_rows(self, group: int, answer: Any, n_rows: int) -> NDArray[np.float64]:
        """The values (n_rows, size) of a group's columns."""
        features = self._of(group)
        if features.n == 1 and hasattr(answer, "to_frame"):  # a Series
            answer = answer.to_frame(features.called(0))
        answer = without_arrow(answer)
        table = answer if is_frame(answer) else _as_table(answer, features.n)
        got, wanted = np.shape(table), (n_rows, features.n)
        if got != wanted:
            kind = f"shape {got}" if got else described(answer)
            raise ValueError(f"{self._gave(group)} {kind}; wanted numbers of shape {wanted}")
        try:
            return np.asarray(features.rows(table), np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{self._gave(group)} what cannot be read: {error}") from error

    def of_one(self, group: int, answer: Any) -> NDArray[np.float64]:
        """The values (1, size) of one row: a list, an array, a dict by name, a number."""
        features = self._of(group)
        if features.n == 1 and (np.ndim(answer) == 0 and not isinstance(answer, dict)):
            answer = [answer]
        try:
            return np.asarray(one_row(features, answer), np.float64)[None]
        except (TypeError, ValueError) as error:
            raise ValueError(f"{self._gave(group)} what cannot be read: {error}") from error

    def _gave(self, group: int) -> str:
        return f"the fetch of the group {self.prices.names[group]!r} gave"


def columns_of(features: Features, columns: tuple[int, ...]) -> Features:
    """Some of the columns by themselves."""
    names, place = features.names, {c: i for i, c in enumerate(columns)}
    return Features(
        len(columns),
        None if names is None else tuple(names[c] for c in columns),
        {place[c]: values for c, values in features.categories.items() if c in place},
        features.missing,
        features.unknown,
    )


def _as_table(answer: Any, size: int) -> Any:
    """An array as it is; of a single column, its values may stand alone."""
    try:
        array = unmasked(answer)
    except ValueError:  # sequences of different lengths
        return None
    return array[:, None] if array.ndim == 1 and size == 1 else array
