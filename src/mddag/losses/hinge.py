"""Hinge: max(0, 1 - margin), the margin being that between the label and the best other class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag.losses.loss import Labels, Loss, Native, Scores, arrays, checked_scale, margin


@dataclass(frozen=True)
class Hinge(Loss):
    """max(0, 1 - scale * margin)."""

    scale: float = 1.0

    def __post_init__(self) -> None:
        checked_scale(self.scale)

    def __call__(self, scores: Scores, labels: Labels) -> NDArray[np.float64]:
        scores, labels = arrays(scores, labels)
        return np.maximum(0.0, 1.0 - self.scale * margin(scores, labels))

    def native(self, n_classes: int) -> Native:
        """The loss as the kernels take it."""
        return 3, self.scale, np.empty(0)
