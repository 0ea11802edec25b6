"""Logistic: minus the log-likelihood of the label, scores read as log-odds (softmax for K > 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mddag.losses.loss import Labels, Loss, Native, Scores, arrays, checked_scale, own, sign_of


@dataclass(frozen=True)
class Logistic(Loss):
    """ln(1 + exp(-y f)); for K > 1, ln(sum_k exp f_k) - f_label. `scale` multiplies the scores."""

    scale: float = 1.0

    of_probabilities: ClassVar[bool] = True

    def __post_init__(self) -> None:
        checked_scale(self.scale)

    def __call__(self, scores: Scores, labels: Labels) -> NDArray[np.float64]:
        scores, labels = arrays(scores, labels)
        if scores.shape[1] == 1:
            return np.logaddexp(0.0, -self.scale * sign_of(labels) * scores[:, 0])
        scaled = self.scale * scores
        total: Scores = np.logaddexp.reduce(scaled, axis=1)
        return total - own(scaled, labels)

    def native(self, n_classes: int) -> Native:
        """The loss as the kernels take it."""
        return 2, self.scale, np.empty(0)
