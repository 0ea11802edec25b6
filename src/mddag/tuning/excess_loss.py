"""Excess loss: what a policy loses on a row beyond the full ensemble.

| measure    | excess loss of a row                                             |
|---|---|
| share      | 1 where its label differs from the full ensemble's, else 0       |
| difference | 1 where the policy alone is wrong, -1 where the full ensemble is  |
| mean       | squared error beyond the full ensemble's, over the variance of y |

The mean of the last two over all rows is the accuracy, or R2, that is lost. What is lost of another
metric of classifiers is "bounded" or "asymptotic", see ``metric_loss``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mddag._internal.arrays import part
from mddag.calibration.by_exit import exit_calibration
from mddag.ensemble.ensemble import Ensemble

Measure = Literal["share", "difference", "mean", "bounded", "asymptotic"]


@dataclass(frozen=True, eq=False)
class ExcessLoss:
    """The excess loss of rows.

    targets : (n,), the true labels or numbers
    full    : (n,), what the full ensemble predicts
    fit     : intp, the rows on which means are calibrated by exit
    weight  : (n,), weight of the rows in that and in the variance of y; None for all alike
    """

    ensemble: Ensemble
    measure: Measure
    targets: NDArray[Any]
    full: NDArray[Any]
    fit: NDArray[np.intp]
    weight: NDArray[np.float64] | None = None

    def __call__(
        self,
        scores: NDArray[np.float64],
        exit_step: NDArray[np.int32],
        verdict: NDArray[np.intp] | None = None,
    ) -> NDArray[np.float64]:
        """Of the policy with which rows left at these steps, with scores (n, K); (n,).

        verdict : the class codes of the rows (n,); None for those by the scores
        """
        if self.measure == "mean":
            means = self._means(scores, exit_step)
            return self._squared_error(means) - self._squared_error(self.full)
        labels = self.ensemble.labels(scores)
        if verdict is not None and self.ensemble.classes is not None:
            labels = self.ensemble.classes[verdict]
        if self.measure == "share":
            return np.asarray(labels != self.full, np.float64)
        wrong = np.asarray(labels != self.targets, np.float64)
        return wrong - np.asarray(self.full != self.targets, np.float64)

    def _means(
        self, scores: NDArray[np.float64], exit_step: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        fit = self.fit
        calibration = exit_calibration(
            self.ensemble, scores[fit], exit_step[fit], self.targets[fit], part(self.weight, fit)
        )
        return self.ensemble.means(calibration.calibrated(scores, exit_step))

    def _squared_error(self, means: NDArray[np.float64]) -> NDArray[np.float64]:
        errors: NDArray[np.float64] = np.square(means - self.targets)
        mean = np.average(self.targets, weights=self.weight)
        variance = np.average(np.square(self.targets - mean), weights=self.weight)
        return errors / (float(variance) or 1.0)
