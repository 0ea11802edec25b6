"""Metrics: each takes scores or probabilities with labels and returns a number.

`Accuracy`, `LogLoss` and `RocAuc` are for classifiers, `NDCG`, `LetorNDCG`, `MeanNDCG`, `MAP` and
`MRR` for rankings; the others measure the rates of detectors.
"""

from mddag.metrics.classification import Accuracy, LogLoss, RocAuc
from mddag.metrics.detection import (
    DetectionRun,
    RealisedRates,
    Scored,
    best_within,
    fpr_at_tpr,
    rate_interval,
    threshold_at_fpr,
    threshold_at_tpr,
    tpr_at_fpr,
)
from mddag.metrics.ranking import MAP, MRR, NDCG, LetorNDCG, MeanNDCG

__all__ = [
    "MAP",
    "MRR",
    "NDCG",
    "Accuracy",
    "DetectionRun",
    "LetorNDCG",
    "LogLoss",
    "MeanNDCG",
    "RealisedRates",
    "RocAuc",
    "Scored",
    "best_within",
    "fpr_at_tpr",
    "rate_interval",
    "threshold_at_fpr",
    "threshold_at_tpr",
    "tpr_at_fpr",
]
