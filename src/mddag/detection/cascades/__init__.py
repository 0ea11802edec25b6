"""The cascades of Figure 2, trained as their authors say, each of them a `Dag`.

    VJCascadeClassifier     stages of AdaBoost, each on what the last lets through
    SoftCascadeClassifier   a pool of base classifiers put in order, rejecting after each
    WaldBoostClassifier     AdaBoost that rejects by likelihood ratios while it is trained
    FCBoostClassifier       all stages grown at once, under one criterion of error and cost

``cascade`` is the estimator; each of the four adds its parameters and its training. ``chain`` is
what a trained cascade is, ``training_rows`` what it is trained on."""

from mddag.detection.cascades.fc_boost import FCBoostClassifier
from mddag.detection.cascades.soft_cascade import SoftCascadeClassifier
from mddag.detection.cascades.vj_cascade import VJCascadeClassifier
from mddag.detection.cascades.wald_boost import WaldBoostClassifier

__all__ = [
    "FCBoostClassifier",
    "SoftCascadeClassifier",
    "VJCascadeClassifier",
    "WaldBoostClassifier",
]
