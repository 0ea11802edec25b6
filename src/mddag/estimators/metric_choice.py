"""Metric choice: the metric of a classifier, checked, and the loss that policies learn for it.

| metric | learned loss | why |
|---|---|---|
| accuracy | ZeroOne() | it is the same |
| CostMatrix | ZeroOne(costs) | it is the same |
| MacroF1 | ZeroOne(prices) | its derivative at the full ensemble: a price per confusion |
| LogLoss | Logistic() | it is the same |
| Brier, RocAuc, AveragePrecision | Logistic() | probabilities near the full ones keep them |

A loss that is given is learned instead; the metric then only measures and bounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.calibration.calibration import probabilities
from mddag.losses import Logistic, ZeroOne
from mddag.metrics.class_metric import ClassMetric, one_hot
from mddag.metrics.macro_f1 import MacroF1
from mddag.metrics.row_means import Accuracy, CostMatrix

NAMES = (
    "Accuracy(), LogLoss(), Brier(), RocAuc(), AveragePrecision(), MacroF1() or CostMatrix(costs) "
    "of mddag.metrics"
)


def checked_class_metric(metric: Any) -> ClassMetric | None:
    """The metric of a classifier; None for accuracy, which is the default."""
    if metric is None or isinstance(metric, Accuracy):
        return None
    if not isinstance(metric, ClassMetric):
        raise TypeError(f"metric is {metric!r}; wanted {NAMES}")
    return metric


def learned_loss(
    metric: ClassMetric | None,
    loss: Any,
    scores: NDArray[np.float64],
    codes: NDArray[Any],
    weight: NDArray[np.float64] | None,
) -> Any:
    """The loss to learn by, for full scores (n, K) and class numbers (n,) or shares (n, C)."""
    n_classes = max(scores.shape[1], 2)
    if metric is not None:
        metric.check_classes(n_classes)
    if loss is not None or metric is None:
        return loss
    if isinstance(metric, CostMatrix):
        return ZeroOne(weights=metric.costs)
    if isinstance(metric, MacroF1):
        shares = codes if codes.ndim == 2 else one_hot(codes, n_classes)
        weight = np.ones(len(scores)) if weight is None else weight
        return ZeroOne(weights=metric.prices(probabilities(scores, 1.0), shares, weight))
    return Logistic()
