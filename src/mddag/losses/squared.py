"""Squared: (f - y)^2, for regression; class labels stand for y = +1 (own class) and -1 (others)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag.losses.loss import Labels, Loss, Native, Scores, arrays, sign_of


@dataclass(frozen=True)
class Squared(Loss):
    """(f - y)^2; with class labels (1 - y f)^2, summed over the K scores."""

    def __call__(self, scores: Scores, labels: Labels) -> NDArray[np.float64]:
        scores, labels = arrays(scores, labels)
        if labels.dtype.kind == "f":
            if scores.shape[1] != 1:
                raise ValueError(f"real labels want one score, but scores have {scores.shape[1]}")
            return np.square(scores[:, 0] - labels.astype(np.float64, copy=False))
        if scores.shape[1] == 1:
            return np.square(scores[:, 0] - sign_of(labels))
        signs = np.full(scores.shape, -1.0)
        signs[np.arange(len(scores)), labels] = 1.0
        total: Scores = np.square(scores - signs).sum(axis=1)
        return total

    def native(self, n_classes: int) -> Native:
        """The loss as the kernels take it."""
        return 4, 1.0, np.empty(0)
