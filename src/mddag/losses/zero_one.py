"""ZeroOne: the multi-class 0-1 loss, I{margin <= 0}, with optional prices of errors.

The paper prints "< 0"; a tie must be an error, or quitting at f = 0 would be free of loss and
optimal for every beta (docs/deviations.md, row 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._internal.checks import as_floats
from mddag.losses.loss import Labels, Loss, Native, Scores, arrays, margin, others


@dataclass(frozen=True)
class ZeroOne(Loss):
    """1 for a wrong class or a tie, else 0.

    weights : None, the price of an error per true class (n_classes,), or a matrix of prices
              (n_classes, n_classes) indexed by true and predicted class, 0 on its diagonal
    """

    weights: ArrayLike | None = None

    def __post_init__(self) -> None:
        if self.weights is None:
            return
        price = as_floats("ZeroOne weights", self.weights, "a price per class")
        if price.ndim not in (1, 2) or price.shape[0] != price.shape[-1]:
            raise ValueError(
                f"ZeroOne weights have shape {price.shape}; wanted (n_classes,) or "
                "(n_classes, n_classes)"
            )
        if not (np.isfinite(price).all() and (price >= 0).all()):
            raise ValueError(f"ZeroOne weights are {self.weights}; wanted finite prices, 0 or more")
        if not price.any():
            raise ValueError("ZeroOne weights are all 0; wanted a price above 0 for some error")
        if price.ndim == 2 and np.diag(price).any():
            raise ValueError(
                f"ZeroOne weights have the diagonal {np.diag(price).tolist()}; a right decision "
                "is free: set it to 0"
            )
        object.__setattr__(self, "weights", _as_tuples(price.tolist()))

    def __call__(self, scores: Scores, labels: Labels) -> NDArray[np.float64]:
        scores, labels = arrays(scores, labels)
        wrong = ~(margin(scores, labels) > 0)  # NaN is wrong, too
        if self.weights is None:
            return wrong.astype(np.float64)
        price = self.prices(max(scores.shape[1], 2))
        rival = 1 - labels if scores.shape[1] == 1 else others(scores, labels).argmax(axis=1)
        return np.where(wrong, price[labels, rival], 0.0)

    def prices(self, n_classes: int) -> NDArray[np.float64]:
        """The price of taking class l for class k, (n_classes, n_classes) indexed [k, l]."""
        wrong = 1.0 - np.eye(n_classes)
        if self.weights is None:
            return wrong
        price: NDArray[np.float64] = np.asarray(self.weights, np.float64)
        if len(price) != n_classes:
            raise ValueError(
                f"ZeroOne weights have shape {price.shape}; wanted ({n_classes},) or "
                f"({n_classes}, {n_classes}) for {n_classes} classes"
            )
        return (price[:, None] if price.ndim == 1 else price) * wrong

    def native(self, n_classes: int) -> Native:
        """The loss as the kernels take it."""
        return 0, 1.0, np.ascontiguousarray(self.prices(n_classes)).ravel()


def _as_tuples(nested: Any) -> Any:
    """Lists as tuples, so that a loss compares, hashes and prints as its constructor call."""
    return tuple(map(_as_tuples, nested)) if isinstance(nested, list) else nested
