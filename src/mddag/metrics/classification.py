"""Metrics of classifiers, of probabilities and labels: accuracy, log-loss, ROC AUC.

A metric is the mean over rows of numbers, by the weight of rows. Accuracy and log-loss are means by
definition; ROC AUC is a function of means, and its numbers are

    value of the metric + influence of the row,      influence: the derivative of the value by the
                                                     weight of the row; its mean over rows is 0

so the mean of numbers is the value, and for large n their deviation over sqrt(n) is its standard
error (the delta method; for ROC AUC it is that of DeLong et al. 1988). Differences of two models on
the same rows are differences of these numbers.

Labels may be soft, (n, n_classes): a row of shares .3 and .7 is as if it were 0.3 rows of class 0
and 0.7 rows of class 1. A metric keeps no rows and guarantees nothing (``tuning.guarantee`` does).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.arrays import checked_weight
from mddag._utils.checks import Parameters, as_floats, check_between, described

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
ROUNDING = 1e-6  # of the sum of probabilities of a row
TINY = float(np.finfo(np.float64).tiny)


class ClassMetric(ABC, Parameters):
    """A metric of probabilities (n, n_classes) and labels.

    name             : what reports call it
    larger_is_better : or smaller
    """

    name: ClassVar[str]
    larger_is_better: ClassVar[bool] = True

    def __call__(
        self, probabilities: ArrayLike, labels: ArrayLike, sample_weight: Any = None
    ) -> float:
        """The metric of rows.

        probabilities : (n, n_classes), or of two classes that of the second, (n,)
        labels        : class numbers 0, 1, ... (n,), or shares of classes (n, n_classes)
        """
        p = checked_probabilities(probabilities)
        shares = checked_shares(labels, *p.shape)
        weight = np.ones(len(p)) if sample_weight is None else checked_weight(sample_weight, len(p))
        return float(np.average(self.of_rows(p, shares, weight), weights=weight))

    @abstractmethod
    def of_rows(self, p: Matrix, shares: Matrix, weight: Vector) -> Vector:
        """Numbers (n,) whose weighted mean is the metric; p and shares (n, n_classes)."""

    @property
    def span(self) -> float | None:
        """How far apart the numbers of two models on one row may be, at most; None where no such
        bound exists or the metric is no mean, so that nothing exact can be proved of it."""
        return None

    @property
    def largest(self) -> float:
        """A loss of the metric is below this number."""
        return 1.0

    def lost(self, full: Matrix, sparse: Matrix, shares: Matrix, weight: Vector) -> Vector:
        """Numbers (n,) whose mean is by how much `sparse` is worse than `full` on these rows."""
        gained = self.of_rows(sparse, shares, weight) - self.of_rows(full, shares, weight)
        return -gained if self.larger_is_better else gained


@dataclass
class Accuracy(ClassMetric):
    """The share of rows whose winning class is right; a tie goes to the first class."""

    name = "accuracy"

    def of_rows(self, p: Matrix, shares: Matrix, weight: Vector) -> Vector:
        return np.asarray(shares[np.arange(len(p)), p.argmax(axis=1)])

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
class RocAuc(ClassMetric):
    """The area under the ROC curve, P(s of a row of the class > s of another) + P(equal) / 2.

    s is the probability of the second of two classes. More classes: the mean over classes, each
    against all others, of those that have rows and leave some to others.
    """

    name = "ROC AUC"

    def of_rows(self, p: Matrix, shares: Matrix, weight: Vector) -> Vector:
        held = weight @ shares
        classes = [1] if p.shape[1] == 2 else range(p.shape[1])
        used = [k for k in classes if 0 < held[k] < held.sum()]
        if not used:
            raise ValueError(
                f"{self.name} compares rows of a class with others, but all rows are of one class"
            )
        numbers = sum(self._of_class(p[:, k], shares[:, k], weight) for k in used)
        return np.asarray(numbers / len(used))

    @staticmethod
    def _of_class(s: Vector, positive: Vector, weight: Vector) -> Vector:
        # of rows sorted once all sums are running sums: O(n log n)
        group = np.unique(s, return_inverse=True)[1].reshape(-1)
        yes, no = weight * positive, weight * (1 - positive)
        of_yes, of_no = (np.bincount(group, w) for w in (yes, no))
        n_yes, n_no = yes.sum(), no.sum()
        # shares of the others that each group of ties beats, half of the equal ones among them
        beats = (of_no.cumsum() - of_no / 2) / n_no
        beaten = 1 - (of_yes.cumsum() - of_yes / 2) / n_yes
        auc = float(of_yes @ beats) / n_yes
        total = n_yes + n_no
        influence: Vector = positive * (beats[group] - auc) * (total / n_yes)
        influence += (1 - positive) * (beaten[group] - auc) * (total / n_no)
        return np.asarray(auc + influence)


def checked_class_metric(metric: Any) -> ClassMetric | None:
    """The metric of a classifier; None for accuracy, which is the default."""
    if metric is None or isinstance(metric, Accuracy):
        return None
    if not isinstance(metric, ClassMetric):
        raise TypeError(
            f"metric is {metric!r}; wanted Accuracy(), LogLoss() or RocAuc() of mddag.metrics"
        )
    return metric


def checked_probabilities(probabilities: ArrayLike) -> Matrix:
    """Probabilities (n, n_classes), from these or from those of the second of two classes (n,)."""
    wanted = "probabilities (n, n_classes), or those of the second of two classes, (n,)"
    p = as_floats("probabilities", probabilities, wanted)
    if p.ndim == 1:
        p = np.column_stack([1 - p, p])
    if p.ndim != 2 or p.shape[1] < 2 or len(p) == 0:
        raise ValueError(f"probabilities have shape {np.shape(probabilities)}; wanted {wanted}")
    off = np.flatnonzero(
        ~((p >= 0).all(axis=1) & (p <= 1).all(axis=1) & (abs(p.sum(axis=1) - 1) < ROUNDING))
    )
    if len(off):
        raise ValueError(
            f"probabilities[{off[0]}] are {p[off[0]].tolist()[:8]}; wanted numbers from 0 to 1 "
            "whose sum is 1"
        )
    return p


def checked_shares(labels: ArrayLike, n: int, n_classes: int) -> Matrix:
    """Shares of classes (n, n_classes), from these or from class numbers (n,)."""
    array: NDArray[Any] = np.asarray(labels)
    if array.shape == (n, n_classes) and array.dtype.kind == "f":
        return np.asarray(array, np.float64)
    wanted = f"class numbers 0 to {n_classes - 1}, ({n},), or shares of them, ({n}, {n_classes})"
    if array.shape != (n,):
        raise ValueError(f"labels have shape {array.shape}; wanted {wanted}")
    known = array.dtype.kind in "biuf" and np.isin(array, np.arange(n_classes)).all()
    if not known:
        raise ValueError(
            f"labels are {described(labels)}, not all of them class numbers; wanted {wanted}: for "
            "labels y of a model, np.searchsorted(model.classes_, y)"
        )
    return one_hot(array.astype(np.intp), n_classes)


def one_hot(codes: NDArray[np.intp], n_classes: int) -> Matrix:
    """Class numbers (n,) as shares of classes (n, n_classes)."""
    shares = np.zeros((len(codes), n_classes))
    shares[np.arange(len(codes)), codes] = 1.0
    return shares
