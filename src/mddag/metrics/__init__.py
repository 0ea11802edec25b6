"""Metrics: scores and labels come in, one number goes out.

| metric | what it measures |
|---|---|
| tpr_at_fpr | detection: true positives at the threshold of a wanted rate of false positives |
| fpr_at_tpr | the other way round |
| threshold_at_fpr, threshold_at_tpr | those thresholds alone, to be used on other rows |
| rate_interval | what a count of false positives says about their rate |
| Accuracy | classifiers: the winning classes |
| LogLoss | classifiers: the probabilities, row by row |
| RocAuc | classifiers: how probabilities sort rows of a class before others |
| NDCG, LetorNDCG, MeanNDCG | ranking: gains of documents, discounted by their positions |
| MAP, MRR | ranking: positions of the relevant documents |
| RealisedRates | what a detector did to rows held out, beside the rate that was wanted |
| DetectionRun, best_within | Figure 2: the best setting within a mean number of evaluations |
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
