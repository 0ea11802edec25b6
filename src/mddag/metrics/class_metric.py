"""ClassMetric: the contract of a metric of classifiers, of probabilities and labels.

A metric is the mean over rows of numbers, by the weight of rows. Some metrics are means by
definition (log-loss); the others are functions of such means (ROC AUC), and their numbers are

    value of the metric + influence of the row,      influence: the derivative of the value by the
                                                     weight of the row; its mean over rows is 0

so the mean of numbers is the value, and for large n their deviation over sqrt(n) is its standard
error (the delta method; for ROC AUC it is that of DeLong et al. 1988). Differences of two models on
the same rows are differences of these numbers.

Labels may be soft, (n, n_classes): a row of shares .3 and .7 is as if it were 0.3 rows of class 0
and 0.7 rows of class 1. A metric keeps no rows and proves nothing (``tuning.p_values`` does).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._internal.checks import as_floats, described
from mddag._internal.parameters import Parameters
from mddag._internal.weights import checked_weight

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
ROUNDING = 1e-6  # of the sum of probabilities of a row


class ClassMetric(ABC, Parameters):
    """A metric of probabilities (n, n_classes) and labels.

    name             : what reports call it
    larger_is_better : or smaller
    of_classes       : whether it reads the winning class of a row alone, not the probabilities
    """

    name: ClassVar[str]
    larger_is_better: ClassVar[bool] = True
    of_classes: ClassVar[bool] = False

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

    def check_classes(self, n_classes: int) -> None:
        """Refuse a number of classes that the metric is not for."""

    def lost(self, full: Matrix, sparse: Matrix, shares: Matrix, weight: Vector) -> Vector:
        """Numbers (n,) whose mean is by how much `sparse` is worse than `full` on these rows."""
        gained = self.of_rows(sparse, shares, weight) - self.of_rows(full, shares, weight)
        return -gained if self.larger_is_better else gained


def decided(p: Matrix) -> Matrix:
    """The winning class of each row as 0 and 1, (n, n_classes); a tie goes to the first."""
    chosen = np.zeros_like(p)
    chosen[np.arange(len(p)), p.argmax(axis=1)] = 1.0
    return chosen


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
