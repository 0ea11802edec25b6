"""Metrics: each takes scores or probabilities with labels and returns a number.

`Accuracy`, `LogLoss` and `RocAuc` are for classifiers, `R2`, `MeanAbsoluteError`, `Pinball` and the
deviances for regressors, `NDCG`, `LetorNDCG`, `MeanNDCG`, `MAP` and
`MRR` for rankings; the others measure the rates of detectors.
"""

from mddag.metrics.classification import Accuracy, LogLoss, RocAuc
from mddag.metrics.detection import (
    RealisedRates,
    rate_interval,
    threshold_at_fpr,
    tpr_at_fpr,
)
from mddag.metrics.named import as_metric
from mddag.metrics.ranking import MAP, MRR, NDCG, LetorNDCG, MeanNDCG
from mddag.metrics.regression import (
    D2,
    R2,
    GammaDeviance,
    MeanAbsoluteError,
    MeanSquaredError,
    Pinball,
    PoissonDeviance,
    RegressionMetric,
    TweedieDeviance,
)

__all__ = [
    "D2",
    "MAP",
    "MRR",
    "NDCG",
    "R2",
    "Accuracy",
    "GammaDeviance",
    "LetorNDCG",
    "LogLoss",
    "MeanAbsoluteError",
    "MeanNDCG",
    "MeanSquaredError",
    "Pinball",
    "PoissonDeviance",
    "RealisedRates",
    "RegressionMetric",
    "RocAuc",
    "TweedieDeviance",
    "as_metric",
    "rate_interval",
    "threshold_at_fpr",
    "tpr_at_fpr",
]
