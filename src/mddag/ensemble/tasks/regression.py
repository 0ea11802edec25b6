"""Regression: a score, or exp of it where the source model has a log link, is the expected target.

beta is in units of R2 for the squared loss. Calibration by exit moves scores, so predictions
depend on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.tasks.quality import R2
from mddag.ensemble.tasks.task import Calibrated, Task
from mddag.losses import Loss, OfMeans


@dataclass(frozen=True, eq=False, kw_only=True)
class Regression(Task):
    """Means of scores."""

    kind = "regressor"
    estimator = "MDDAGRegressor"
    quality = R2()

    @property
    def calibrated(self) -> Calibrated:
        return "log means" if self.link == "exp" else "means"

    def means(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        self.require_predictions()
        mean = scores[:, 0]
        return np.exp(mean) if self.link == "exp" else mean

    def predictions(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        return self.means(scores)

    def prediction_of_one(self, score: Callable[[Any], float]) -> Callable[[Any], float]:
        if self.link == "identity":
            return score

        def prediction(x: Any) -> float:
            self.require_predictions()
            return float(np.exp(score(x)))

        return prediction

    def require_predictions(self) -> None:
        if self.link == "unknown":
            raise ValueError(
                "the predictions of the source model are neither its scores nor exp of them; mddag "
                "knows no other links: train for another objective, or use the raw scores"
            )

    def loss(self, loss: Loss | None) -> Loss:
        given = super().loss(loss)
        return OfMeans(given) if self.link == "exp" else given
