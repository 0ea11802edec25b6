"""Harm: what a policy does to a row that the full ensemble would not have done.

| measure    | harm of a row                                                     |
|---|---|
| share      | 1 where its label differs from the full ensemble's, else 0        |
| difference | 1 where the policy alone is wrong, -1 where the full ensemble is   |
| mean       | squared error beyond the full ensemble's, over the variance of y  |

The mean of the last two over all rows is the accuracy, or R2, that is lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble import Ensemble
from mddag.exits import exit_calibration
from mddag.trace import Trace

Measure = Literal["share", "difference", "mean"]


@dataclass(frozen=True, eq=False)
class Harm:
    """Harm to the rows of a trace.

    targets : (n,), the true labels or numbers
    full    : (n,), what the full ensemble predicts
    fit     : intp, the rows on which means are calibrated by exit
    """

    ensemble: Ensemble
    measure: Measure
    targets: NDArray[Any]
    full: NDArray[Any]
    fit: NDArray[np.intp]

    def __call__(self, trace: Trace) -> NDArray[np.float64]:
        """Harm (n,) of the policy that left this trace."""
        if self.measure == "mean":
            return self._squared_error(self._means(trace)) - self._squared_error(self.full)
        labels = self.ensemble.labels(trace.scores)
        if self.measure == "share":
            return np.asarray(labels != self.full, np.float64)
        wrong = np.asarray(labels != self.targets, np.float64)
        return wrong - np.asarray(self.full != self.targets, np.float64)

    def _means(self, trace: Trace) -> NDArray[np.float64]:
        scores, exits = trace.scores[self.fit], trace.exit_step[self.fit]
        calibration = exit_calibration(self.ensemble, scores, exits, self.targets[self.fit])
        return self.ensemble.means(calibration.calibrated(trace.scores, trace.exit_step))

    def _squared_error(self, means: NDArray[np.float64]) -> NDArray[np.float64]:
        errors: NDArray[np.float64] = np.square(means - self.targets)
        return errors / (float(np.var(self.targets)) or 1.0)
