"""OfMeans: a loss of predictions, where these are exponentials of the scores.

Poisson, Gamma and Tweedie regressors sum logarithms of what they predict. It is no
public member: estimators put it around the loss of an ensemble whose link is "exp".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag.losses.loss import Labels, Loss, LossFunction, Scores


@dataclass(frozen=True)
class OfMeans(Loss):
    """`loss` of exp(f)."""

    loss: LossFunction

    def __call__(self, scores: Scores, labels: Labels) -> NDArray[np.float64]:
        return self.loss(self.predictions(scores), labels)

    def predictions(self, scores: Scores) -> Scores:
        """exp(f)."""
        with np.errstate(over="ignore"):  # the MDP names the row whose loss is not finite
            return np.exp(scores)
