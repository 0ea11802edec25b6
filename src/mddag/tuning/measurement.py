"""Measurement: what a model by ``sparsify`` does to rows that policies were not learned on.

Where something is promised these are the rows that certified; else those that chose, since there
are no others: the summary says which.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.weights import part
from mddag.estimators.dag_estimator import DagEstimator
from mddag.serving.summary import Summary
from mddag.tuning.candidates import Candidate
from mddag.tuning.guarantee import Promise
from mddag.tuning.row_parts import Evidence

Weight = NDArray[np.float64] | None


def measured(
    estimator: DagEstimator,
    knob: str,
    value: float,
    promise: Promise | None,
    chosen: Candidate,
    evidence: Evidence,
) -> Summary:
    """The summary of a fitted estimator whose policy is the `chosen` one."""
    rows = evidence.choosing if promise is None else evidence.certifying
    full, truth, weight = evidence.full[rows], evidence.truth[rows], part(evidence.weight, rows)
    sparse = estimator.untransformed().predict(evidence.rows[rows])
    quality = evidence.ensemble.task.quality
    return Summary(
        kind=evidence.ensemble.kind,
        knob=knob,
        value=value,
        n_classifiers=evidence.ensemble.n_classifiers,
        rows="choosing" if promise is None else "certifying",
        n_rows=len(rows),
        n_evaluated=float(np.average(chosen.n_evaluated[rows], weights=weight)),
        measured_against="labels" if evidence.labelled else "model",
        full=quality(full, truth, weight) if evidence.labelled else None,
        sparse=quality(sparse, truth, weight) if evidence.labelled else None,
        difference=quality.difference(sparse, full, weight),
        lost=None if knob in ("beta", "budget") else _mean(chosen.harm[rows], weight),
        confidence=None if promise is None else promise.confidence,
        speed=_finite(estimator.dag_.expected_speedup),
        speed_one=_finite(estimator.dag_.expected_speedup_one),
    )


def _mean(numbers: NDArray[Any], weight: Weight) -> float:
    return float(np.average(numbers, weights=weight))


def _finite(speed: float) -> float | None:
    return float(speed) if isfinite(speed) else None
