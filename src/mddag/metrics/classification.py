"""Metrics of classifiers, computed from probabilities and labels: accuracy, log-loss, ROC AUC.

Every metric is a weighted mean of one number per row. ROC AUC is not a mean by definition; its
numbers are the value plus the influence of the row, so that their mean is the value and their
deviation over sqrt(n) its standard error (the delta method, DeLong et al. 1988). Labels may be
soft: shares .3 and .7 count as 0.3 rows of class 0 and 0.7 rows of class 1.
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
    """Base class of metrics of probabilities (n, n_classes) and labels."""

    name: ClassVar[str]  # name in reports
    larger_is_better: ClassVar[bool] = True  # whether larger values are better

    def __call__(
        self, probabilities: ArrayLike, labels: ArrayLike, sample_weight: Any = None
    ) -> float:
        """Compute the metric.

        Parameters
        ----------
        probabilities : array-like of shape (n, n_classes) or (n,)
            Probabilities of the classes; (n,) are those of class 1.
        labels : array-like of shape (n,) or (n, n_classes)
            Class numbers 0, 1, …, or shares of the classes.
        sample_weight : array-like of shape (n,), default=None
            Weights of the rows; None for equal weights.

        Returns
        -------
        float
            The value.
        """
        p = checked_probabilities(probabilities)
        shares = checked_shares(labels, *p.shape)
        weight = np.ones(len(p)) if sample_weight is None else checked_weight(sample_weight, len(p))
        return float(np.average(self.of_rows(p, shares, weight), weights=weight))

    @abstractmethod
    def of_rows(self, p: Matrix, shares: Matrix, weight: Vector) -> Vector:
        """Return one number per row whose weighted mean is the metric.

        Parameters
        ----------
        p : ndarray of shape (n, n_classes)
            Probabilities.
        shares : ndarray of shape (n, n_classes)
            Shares of the classes.
        weight : ndarray of shape (n,)
            Weights of the rows.

        Returns
        -------
        ndarray of shape (n,)
            One number per row.
        """

    @property
    def span(self) -> float | None:
        """Largest possible difference between two models on one row, or None.

        None means that there is no such bound or that the metric is not a mean; then no exact
        guarantee is possible.
        """
        return None

    def lost(self, full: Matrix, sparse: Matrix, shares: Matrix, weight: Vector) -> Vector:
        """Return one number per row whose mean is how much worse `sparse` is than `full`.

        Parameters
        ----------
        full : ndarray of shape (n, n_classes)
            Probabilities of the full model.
        sparse : ndarray of shape (n, n_classes)
            Probabilities of the sparse model.
        shares : ndarray of shape (n, n_classes)
            Shares of the classes.
        weight : ndarray of shape (n,)
            Weights of the rows.

        Returns
        -------
        ndarray of shape (n,)
            Positive where the sparse model is worse.
        """
        gained = self.of_rows(sparse, shares, weight) - self.of_rows(full, shares, weight)
        return -gained if self.larger_is_better else gained


@dataclass
class Accuracy(ClassMetric):
    """Share of rows whose most probable class is right; a tie goes to the first class.

    Examples
    --------
    >>> from mddag.metrics import Accuracy
    >>> Accuracy()([0.9, 0.2, 0.6], [1, 0, 0])
    0.666...
    """

    name = "accuracy"

    def of_rows(self, p: Matrix, shares: Matrix, weight: Vector) -> Vector:
        return np.asarray(shares[np.arange(len(p)), p.argmax(axis=1)])

    @property
    def span(self) -> float:
        return 1.0


@dataclass
class LogLoss(ClassMetric):
    """Mean negative logarithm of the label's probability.

    Parameters
    ----------
    smallest : float, default=None
        Smaller probabilities count as this one, so that a row loses at most ``-log(smallest)`` and
        the loss can be bounded exactly. With None, guarantees hold asymptotically.

    Examples
    --------
    >>> from mddag.metrics import LogLoss
    >>> round(LogLoss()([0.9, 0.2], [1, 0]), 4)
    0.1643
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


@dataclass
class RocAuc(ClassMetric):
    """Area under the ROC curve; ties count one half.

    For multiclass it is the mean over classes of one class against all others, leaving
    out classes that have no rows or all of them.

    Examples
    --------
    >>> from mddag.metrics import RocAuc
    >>> RocAuc()([0.9, 0.2, 0.6, 0.4], [1, 0, 0, 1])
    0.75
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
    """Return the metric of a classifier; None for accuracy, which is the default."""
    if metric is None or isinstance(metric, Accuracy):
        return None
    if not isinstance(metric, ClassMetric):
        raise TypeError(
            f"metric is {metric!r}; wanted Accuracy(), LogLoss() or RocAuc() of mddag.metrics"
        )
    return metric


def checked_probabilities(probabilities: ArrayLike) -> Matrix:
    """Return probabilities (n, n_classes), also from those of class 1 (n,)."""
    wanted = "probabilities (n, n_classes), or those of class 1, (n,)"
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
    """Return shares of classes (n, n_classes), also from class numbers (n,)."""
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
    """Return class numbers (n,) as shares of classes (n, n_classes)."""
    shares = np.zeros((len(codes), n_classes))
    shares[np.arange(len(codes)), codes] = 1.0
    return shares
