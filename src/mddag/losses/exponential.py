"""Exponential: the loss of AdaBoost, exp(sum over other classes of f - f_label).

With one score, where f_2 = -f_1, this is exp(-2 y f). The scale inside exp() is a parameter, since
dividing scores by the sum of the alphas is not neutral here (docs/deviations.md, rows 4 and 5).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag.losses.loss import Labels, Loss, Native, Scores, arrays, checked_scale, own, sign_of


@dataclass(frozen=True)
class Exponential(Loss):
    """exp(scale * (sum_{k != label} f_k - f_label))."""

    scale: float = 1.0

    def __post_init__(self) -> None:
        checked_scale(self.scale)

    def __call__(self, scores: Scores, labels: Labels) -> NDArray[np.float64]:
        scores, labels = arrays(scores, labels)
        if scores.shape[1] == 1:
            exponent: Scores = -2.0 * sign_of(labels) * scores[:, 0]
        else:
            exponent = scores.sum(axis=1) - 2.0 * own(scores, labels)
        with np.errstate(over="ignore"):  # the MDP names the row whose loss is not finite
            return np.exp(self.scale * exponent)

    def native(self, n_classes: int) -> Native:
        """The loss as the kernels take it."""
        return 1, self.scale, np.empty(0)
