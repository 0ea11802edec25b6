"""Metrics of how well probabilities sort rows of a class before all others: ROC AUC, precision.

With s the probability of a class, and A, B the shares of all rows that are at or above s and of
the class, or of any,

    ROC AUC = P(s of a row of the class > s of another) + P(equal) / 2
    average precision = mean over rows of the class of A(s) / B(s)

Two classes: of the second. More: the mean over classes, each against all others, of those that
have rows and leave some to others. Neither is a mean over rows, so each row has the value and its
influence (``class_metric``). Of rows sorted once all sums are running sums: O(n log n).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag.metrics.class_metric import ClassMetric, Matrix, Vector


class ClassRanking(ClassMetric):
    """A metric of one class against the others."""

    def of_rows(self, p: Matrix, shares: Matrix, weight: Vector) -> Vector:
        held = weight @ shares
        classes = [1] if p.shape[1] == 2 else range(p.shape[1])
        used = [k for k in classes if 0 < held[k] < held.sum()]
        if not used:
            raise ValueError(
                f"{self.name} compares rows of a class with others, but all rows are of one class"
            )
        numbers = sum(self.of_class(p[:, k], shares[:, k], weight) for k in used)
        return np.asarray(numbers / len(used))

    @abstractmethod
    def of_class(self, s: Vector, positive: Vector, weight: Vector) -> Vector:
        """The same of one class, for its probabilities and its shares of rows, (n,)."""


@dataclass
class RocAuc(ClassRanking):
    """The area under the ROC curve."""

    name = "ROC AUC"

    def of_class(self, s: Vector, positive: Vector, weight: Vector) -> Vector:
        group = tied(s)
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


@dataclass
class AveragePrecision(ClassRanking):
    """The area under the curve of precision by recall, in steps."""

    name = "average precision"

    def of_class(self, s: Vector, positive: Vector, weight: Vector) -> Vector:
        group = tied(-s)  # from the highest on
        share = weight / weight.sum()
        of_yes = np.bincount(group, share * positive)
        above, above_yes = np.bincount(group, share).cumsum(), of_yes.cumsum()
        n_yes, precision = above_yes[-1], above_yes / above
        value = float(of_yes @ precision) / n_yes
        # a row is above all rows of lower groups: what it adds to their precision, from below
        by_yes, by_any = (
            np.cumsum((of_yes * one)[::-1])[::-1] for one in (1 / above, precision / above)
        )
        influence: Vector = positive * (precision + by_yes - value)[group] - by_any[group]
        return np.asarray(value + influence / n_yes)


def tied(values: Vector) -> NDArray[np.intp]:
    """The place of each value among those that differ, from the smallest on, (n,)."""
    return np.unique(values, return_inverse=True)[1].reshape(-1)
