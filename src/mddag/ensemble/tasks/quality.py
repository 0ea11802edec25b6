"""Quality: the number that is reported of predictions, and the words of reports about it.

    error = mean I{prediction != y}        R2 = 1 - mean (prediction - y)^2 / variance of y

Means are over rows, by their weight if there is one.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Weight = NDArray[np.float64] | None


class Quality(Protocol):
    """How good predictions are.

    name    : what it is called
    lost    : what a bound is called on the quality lost against the full model
    changed : what a bound is called on the difference from the full model's predictions
    """

    name: str
    lost: str
    changed: str

    def __call__(
        self, predictions: NDArray[Any], truth: NDArray[Any], weight: Weight = None
    ) -> float | None:
        """The quality; None where it is not defined."""
        ...

    def difference(
        self, predictions: NDArray[Any], full: NDArray[Any], weight: Weight = None
    ) -> float:
        """How far predictions are from those of the full model; 0 where they are the same."""
        ...

    def in_words(self, difference: float) -> str:
        """The difference in words, for rows without labels."""
        ...


class Error:
    """The share of labels that are wrong."""

    name = "error"
    lost = "accuracy lost against the full model"
    changed = "disagreement with the full model"

    def __call__(
        self, predictions: NDArray[Any], truth: NDArray[Any], weight: Weight = None
    ) -> float:
        return _mean(predictions != truth, weight)

    def difference(
        self, predictions: NDArray[Any], full: NDArray[Any], weight: Weight = None
    ) -> float:
        """The share of labels that are others."""
        return self(predictions, full, weight)

    def in_words(self, difference: float) -> str:
        return f"disagreement with the full model: {difference:.4f}"


class R2:
    """1 minus the squared error over the variance; not defined where there is no variance."""

    name = "R2"
    lost = "R2 lost against the full model"
    changed = "squared difference from the full model's predictions over their variance"

    def __call__(
        self, predictions: NDArray[Any], truth: NDArray[Any], weight: Weight = None
    ) -> float | None:
        return 1 - self.difference(predictions, truth, weight) if np.ptp(truth) > 0 else None

    def difference(
        self, predictions: NDArray[Any], full: NDArray[Any], weight: Weight = None
    ) -> float:
        """The mean squared difference over the variance, or by itself where there is none."""
        variance = _mean(np.square(full - _mean(full, weight)), weight)
        return _mean(np.square(predictions - full), weight) / (variance or 1.0)

    def in_words(self, difference: float) -> str:
        return f"R2 against the full model's predictions: {1 - difference:.4f}"


class NDCGQuality:
    """The metric of rankings; it is computed where queries are known, see ``metrics.ranking``."""

    name = "metric"
    lost = "metric lost against the full model"
    changed = "metric lost against the full model's own order"

    def __call__(
        self, predictions: NDArray[Any], truth: NDArray[Any], weight: Weight = None
    ) -> float | None:
        """Of the metrics of queries, (n_queries,): their mean."""
        return _mean(predictions, weight)

    def difference(
        self, predictions: NDArray[Any], full: NDArray[Any], weight: Weight = None
    ) -> float:
        """Of teacher losses of queries, (n_queries,): their mean."""
        return _mean(predictions, weight)

    def in_words(self, difference: float) -> str:
        return f"lost against the full model's own order: {difference:.4f}"


def _mean(numbers: NDArray[Any], weight: Weight) -> float:
    return float(np.average(numbers, weights=weight))
