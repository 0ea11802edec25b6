"""Metrics of classifiers that are means over rows: each row has a number of its own.

    Accuracy    I{winner = y}                    LogLoss   -ln p_y
    CostMatrix  cost[y, winner]                  Brier     (p_1 - y)^2 of two classes, else
                                                           the sum of (p_k - I{y = k})^2

Where these are bounded, what is lost against another model is a mean of bounded differences, of
which exact bounds exist whatever the distribution of rows is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mddag._internal.checks import as_floats, check_between
from mddag.metrics.class_metric import ClassMetric, Matrix, Vector, decided

TINY = float(np.finfo(np.float64).tiny)


@dataclass
class Accuracy(ClassMetric):
    """The share of rows whose winning class is right."""

    name = "accuracy"
    of_classes = True

    def of_rows(self, p: Matrix, shares: Matrix, weight: Vector) -> Vector:
        right: Vector = (decided(p) * shares).sum(axis=1)
        return right

    @property
    def span(self) -> float:
        return 1.0


@dataclass
class LogLoss(ClassMetric):
    """Minus the logarithm of the label's probability.

    smallest : probabilities below it count as this one, so that the loss of a row is at most
               -ln(smallest) and what is lost can be bounded exactly; None for none, and a test
               that is right for many rows
    """

    smallest: float | None = None

    name = "log-loss"
    larger_is_better = False

    def __post_init__(self) -> None:
        if self.smallest is not None:
            wanted = "a probability above 0 and below 1/2, such as 0.001, or None"
            check_between("smallest", self.smallest, TINY, 0.5, wanted)

    def of_rows(self, p: Matrix, shares: Matrix, weight: Vector) -> Vector:
        least = TINY if self.smallest is None else self.smallest
        losses: Vector = -(shares * np.log(np.maximum(p, least))).sum(axis=1)
        return losses

    @property
    def span(self) -> float | None:
        return None if self.smallest is None else -math.log(self.smallest)

    @property
    def largest(self) -> float:
        return math.inf


@dataclass
class Brier(ClassMetric):
    """The squared error of probabilities: of the second of two classes, or summed over classes."""

    name = "Brier score"
    larger_is_better = False

    def of_rows(self, p: Matrix, shares: Matrix, weight: Vector) -> Vector:
        # the square at each class k, as if it were the label, by the shares of classes
        squares = np.square(p).sum(axis=1) - 2 * (shares * p).sum(axis=1) + shares.sum(axis=1)
        return np.asarray(squares / 2 if p.shape[1] == 2 else squares, np.float64)

    @property
    def span(self) -> float:
        return 2.0  # 1 for two classes; the betting test adapts to what differences are

    @property
    def largest(self) -> float:
        return 2.0


@dataclass
class CostMatrix(ClassMetric):
    """The mean cost of decisions.

    costs : (n_classes, n_classes), of taking class l for class k at [k, l]; 0 on the diagonal. Two
            classes whose misses cost 20 times a false alarm: CostMatrix([[0, 1], [20, 0]])
    """

    costs: ArrayLike

    name = "cost"
    larger_is_better = False
    of_classes = True

    def __post_init__(self) -> None:
        costs = as_floats("costs", self.costs, "a matrix of prices (n_classes, n_classes)")
        if costs.ndim != 2 or costs.shape[0] != costs.shape[1] or len(costs) < 2:
            raise ValueError(f"costs have shape {costs.shape}; wanted (n_classes, n_classes)")
        if not (np.isfinite(costs).all() and (costs >= 0).all() and costs.any()):
            raise ValueError(
                f"costs are {costs.tolist()}; wanted finite prices, 0 or more, one of them above 0"
            )
        if np.diag(costs).any():
            raise ValueError(
                f"costs have the diagonal {np.diag(costs).tolist()}; a right decision is free: "
                "set it to 0"
            )
        self.costs = _as_tuples(costs.tolist())

    @property
    def matrix(self) -> Matrix:
        return np.array(self.costs, np.float64)

    def of_rows(self, p: Matrix, shares: Matrix, weight: Vector) -> Vector:
        self.check_classes(p.shape[1])
        paid: Vector = (shares @ self.matrix)[np.arange(len(p)), p.argmax(axis=1)]
        return paid

    def check_classes(self, n_classes: int) -> None:
        if len(self.matrix) != n_classes:
            raise ValueError(
                f"costs have shape {self.matrix.shape}, but there are {n_classes} classes; wanted "
                f"({n_classes}, {n_classes})"
            )

    @property
    def span(self) -> float:
        return float(self.matrix.max())

    @property
    def largest(self) -> float:
        return float(self.matrix.max())


def _as_tuples(nested: Any) -> Any:
    """Lists as tuples, so that a metric compares and prints as its constructor call."""
    return tuple(map(_as_tuples, nested)) if isinstance(nested, list) else nested
