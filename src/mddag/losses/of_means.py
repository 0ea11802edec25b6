"""A loss of predictions, for scores whose exponentials they are (Poisson, Gamma, Tweedie)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.losses.loss import Loss


@dataclass(frozen=True)
class OfMeans:
    """`loss` of exp(f)."""

    loss: Loss

    def __call__(self, scores: NDArray[np.float64], labels: NDArray[Any]) -> NDArray[np.float64]:
        return self.loss(self.means(scores), labels)

    def means(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the scores predict."""
        with np.errstate(over="ignore"):  # the MDP names the row whose loss is not finite
            return np.exp(scores)
