"""ZeroOne: the multi-class 0-1 loss, I{margin <= 0}, with optional prices of errors.

The paper prints "< 0"; a tie must be an error, or quitting at f = 0 would be free of loss and
optimal for every beta (docs/deviations.md, row 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag.losses.loss import Labels, Native, Scores, margin, others


@dataclass(frozen=True)
class ZeroOne:
    """1 for a wrong class or a tie, else 0.

    weights : None, the price of an error per true class (n_classes,), or a matrix of prices
              (n_classes, n_classes) indexed by true and predicted class
    """

    weights: ArrayLike | None = None

    def __call__(self, scores: Scores, labels: Labels) -> NDArray[np.float64]:
        wrong = margin(scores, labels) <= 0
        if self.weights is None:
            return wrong.astype(np.float64)
        price = self.prices(max(scores.shape[1], 2))
        rival = 1 - labels if scores.shape[1] == 1 else others(scores, labels).argmax(axis=1)
        return np.where(wrong, price[labels, rival], 0.0)

    def prices(self, n_classes: int) -> NDArray[np.float64]:
        """The price of taking class k for class l, (n_classes, n_classes) indexed [l, k]."""
        price: NDArray[Any] = np.asarray(1.0 if self.weights is None else self.weights, np.float64)
        if price.shape not in {(), (n_classes,), (n_classes, n_classes)}:
            raise ValueError(
                f"ZeroOne weights have shape {price.shape}; wanted ({n_classes},) or "
                f"({n_classes}, {n_classes}) for {n_classes} classes"
            )
        if not (np.isfinite(price).all() and (price >= 0).all()):
            raise ValueError("ZeroOne weights must be finite and not negative")
        if price.ndim == 1:
            price = price[:, None]
        return np.broadcast_to(price, (n_classes, n_classes)) * (1.0 - np.eye(n_classes))

    def native(self, n_classes: int) -> Native:
        """The loss as the kernels take it."""
        return 0, 1.0, np.ascontiguousarray(self.prices(n_classes)).ravel()
