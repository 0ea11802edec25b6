"""Targets of ``sparsify``, ``train`` and ``acquire``, with their confidence, checked.

A target is the one number that is given of beta, budget, max_loss and max_disagreement; the last
two are bounds on what is lost against the full ensemble.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.arrays import are_equal
from mddag._utils.warnings import doubt
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.tasks import Task
from mddag.metrics.classification import ClassMetric, checked_class_metric
from mddag.metrics.ranking import RankingMetric
from mddag.policy.arguments import checked_beta
from mddag.tuning.excess_loss import Measure

BOUNDS = ("max_loss", "max_disagreement")
CONFIDENCE = 0.9
FOR_RANKERS = "mddag.ranking.sparsify(ranker, X, y, qid=qid, ...) makes rankers sparse"


def one_target(metric: Any = None, **targets: float | None) -> tuple[str, float]:
    """The name and the number of the one target given; bounds are in units of the metric."""
    given = {name: value for name, value in targets.items() if value is not None}
    if len(given) != 1:
        got = ", ".join(f"{name}={value}" for name, value in given.items()) or "none"
        raise ValueError(f"got {got}; wanted exactly one of {', '.join(targets)}")
    ((name, value),) = given.items()
    if name == "beta":
        return name, checked_beta(value)
    largest = np.inf
    if name in BOUNDS:
        largest = metric.largest if isinstance(metric, ClassMetric) else 1.0
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < value < largest:
        raise ValueError(f"{name} is {value!r}; wanted a number above 0 and below {largest:g}")
    return name, float(value)


def check_confidence(confidence: float | None, target: str, value: float) -> None:
    """Refuse what is no probability of at least a half, nor None; warn where it has no effect."""
    if confidence is None:
        return
    if not (isinstance(confidence, Real) and 0.5 <= confidence < 1):
        raise ValueError(
            f"confidence is {confidence!r}; wanted a number from 0.5 to below 1, or None for the "
            "point estimate"
        )
    if target not in BOUNDS and confidence != CONFIDENCE:  # the default may just have been left
        doubt(
            f"confidence={confidence:g} has no effect with {target}={value:g}, of which nothing is "
            "certified; leave it out, or give max_loss or max_disagreement"
        )


def check_provable(target: str, confidence: float, weight: NDArray[np.float64] | None) -> None:
    """Refuse to prove a mean over rows that count differently."""
    if not are_equal(weight):
        raise ValueError(
            f"sample_weight differs from row to row, but what proves {target} with confidence "
            f"{confidence} counts rows, each as one; give confidence=None for the point estimate "
            "by weight, or leave sample_weight out"
        )


def metric_of(ensemble: Ensemble, metric: Any) -> ClassMetric | None:
    """The metric of a classifier, if it is one; None for the default."""
    found = checked_class_metric(metric)
    if metric is not None and not ensemble.task.predicts_classes:
        raise ValueError(
            f"metric is {metric!r}, which is for classifiers, but the model is a {ensemble.kind}, "
            f"of which {ensemble.task.quality.name} is the metric; leave it out"
        )
    return found


def require_no_ranker(ensemble: Ensemble, metric: Any) -> None:
    """Raise TypeError for rankers and their metrics, which have a function of their own."""
    if ensemble.kind == "ranker":
        raise TypeError(f"the model is a ranker; {FOR_RANKERS}")
    if isinstance(metric, RankingMetric):
        raise TypeError(f"metric is {metric!r}, which is for rankers; {FOR_RANKERS}")


def supported(ensemble: Ensemble, target: str) -> Ensemble:
    """The ensemble, if the target can be given for it."""
    if not ensemble.task.predicts_classes and target == "max_disagreement":
        quality = ensemble.task.quality.name
        raise ValueError(
            f"a {ensemble.kind} has no labels to disagree on; give max_loss, in units of {quality}"
        )
    ensemble.require_link()
    return ensemble


def measure_of(task: Task, target: str, metric: ClassMetric | None = None) -> Measure:
    """The measure of excess loss that the target is about; the metric is None for the default."""
    if metric is not None:
        return "asymptotic" if metric.span is None else "bounded"
    if not task.predicts_classes:
        return "mean"
    return "share" if target == "max_disagreement" else "difference"
