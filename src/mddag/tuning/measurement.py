"""Measurement: what a model by ``sparsify`` does to rows that policies were not learned on.

Where something is promised these are the certifying rows; else those for choosing, since there are
no others. ``Summary.rows`` names them.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.arrays import part
from mddag.estimators.dag_estimator import DagEstimator
from mddag.policy.rollout import roll_out
from mddag.serving.summary import Summary
from mddag.tuning.excess_loss import MetricLoss
from mddag.tuning.front import Candidate
from mddag.tuning.guarantee import Guarantee
from mddag.tuning.prices import NodePrices
from mddag.tuning.row_parts import RowParts

Weight = NDArray[np.float64] | None


def measured(
    estimator: DagEstimator,
    knob: str,
    value: float,
    guarantee: Guarantee | None,
    chosen: Candidate,
    parts: RowParts,
    metric_loss: MetricLoss | None = None,
    prices: NodePrices | None = None,
) -> Summary:
    """The summary of a fitted estimator whose policy is the `chosen` one.

    prices : of its base classifiers in nodes; None where evaluations count
    """
    rows = parts.choosing if guarantee is None else parts.certifying
    full, truth, weight = parts.full[rows], parts.truth[rows], part(parts.weight, rows)
    left = roll_out(chosen.policy, parts.votes.rows(rows))
    task, scores = parts.ensemble.task, left.scores
    if task.calibration_changes_predictions:
        scores = estimator.calibration_.calibrated(scores, left.exit_step)
    sparse, quality = task.predictions(scores), task.quality
    if task.classes is not None:  # a verdict may say otherwise than the scores
        sparse = task.classes[left.codes]
    values: tuple[float | None, float | None] = None, None
    if metric_loss is not None and parts.labelled:
        shipped = estimator.calibration_.probabilities(left.scores, left.exit_step)
        values = metric_loss.values(shipped, rows)
    elif parts.labelled:
        values = quality(full, truth, weight), quality(sparse, truth, weight)
    nodes: tuple[float | None, float | None] = None, None
    if prices is not None and chosen.counted is not None:
        everything = prices.on(parts.votes.rows(rows)).everything()
        nodes = _mean(chosen.counted[rows], weight), _mean(everything, weight)
    return Summary(
        kind=parts.ensemble.kind,
        knob=knob,
        value=value,
        n_classifiers=parts.ensemble.n_classifiers,
        rows="choosing" if guarantee is None else "certifying",
        n_rows=len(rows),
        n_evaluated=float(np.average(chosen.n_evaluated[rows], weights=weight)),
        measured_against="labels" if parts.labelled else "model",
        full=values[0],
        sparse=values[1],
        difference=quality.difference(sparse, full, weight),
        lost=None if knob in ("beta", "budget") else _mean(chosen.excess[rows], weight),
        confidence=None if guarantee is None else guarantee.confidence,
        speed=finite_speed(estimator.dag_.expected_speedup),
        speed_one=finite_speed(estimator.dag_.expected_speedup_one),
        metric=None if metric_loss is None else metric_loss.metric.name,
        proof=_proof(guarantee, metric_loss),
        n_nodes=nodes[0],
        n_nodes_full=nodes[1],
    )


def _proof(guarantee: Guarantee | None, metric_loss: MetricLoss | None) -> str | None:
    """Which kind of test promised a metric."""
    if guarantee is None or metric_loss is None:
        return None
    return "exact" if guarantee.exact else "asymptotic"


def _mean(numbers: NDArray[Any], weight: Weight) -> float:
    return float(np.average(numbers, weights=weight))


def finite_speed(speed: float) -> float | None:
    """The speed; None where nothing is evaluated."""
    return float(speed) if isfinite(speed) else None
