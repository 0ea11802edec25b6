"""Macro-F1: the harmonic mean of precision and recall of each class, averaged over the classes.

    F1_k = 2 t_k / (r_k + q_k),    t_k, r_k, q_k: shares of rows that are of class k and called so,
                                   that are of it, that are called so

A class that no row is of or called has F1 = 0. It is a function of means over rows, so each row has
the value and its influence (``class_metric``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mddag.metrics.class_metric import ClassMetric, Matrix, Vector, decided


@dataclass
class MacroF1(ClassMetric):
    """The mean over classes of F1."""

    name = "macro-F1"
    of_classes = True

    def of_rows(self, p: Matrix, shares: Matrix, weight: Vector) -> Vector:
        chosen = decided(p)
        f1, size = self._by_class(chosen, shares, weight)
        influence = (2 * shares * chosen - f1 * (shares + chosen)) / size
        numbers: Vector = (f1 + influence).mean(axis=1)
        return numbers

    def prices(self, p: Matrix, shares: Matrix, weight: Vector) -> Matrix:
        """What it costs to take class l for class k on one row of n, times n, (n_classes,
        n_classes) indexed [k, l]: the derivative where classes are decided by p."""
        f1, size = self._by_class(decided(p), shares, weight)
        own, other = (2 - f1) / size, f1 / size
        found: Matrix = (own[:, None] + other[None, :]) / len(f1) * (1 - np.eye(len(f1)))
        return found

    @staticmethod
    def _by_class(chosen: Matrix, shares: Matrix, weight: Vector) -> tuple[Vector, Vector]:
        """F1 and r + q of each class, (n_classes,); the latter is 1 where there are none."""
        both, either = (
            np.average(rows, axis=0, weights=weight) for rows in (shares * chosen, shares + chosen)
        )
        size = np.where(either > 0, either, 1.0)
        return 2 * both / size, size
