"""Measurement: what a model by ``sparsify`` does to rows that policies were not learned on.

Where something is promised these are the rows that certified; else those that chose, since there
are no others: the summary says which.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.estimator import DagEstimator
from mddag.evidence import Evidence
from mddag.ladder import Candidate
from mddag.promise import Promise
from mddag.summary import Summary


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
    full, truth = evidence.full[rows], evidence.truth[rows]
    sparse = estimator.predictor().predict(evidence.rows[rows])
    regresses = evidence.ensemble.kind == "regressor"
    quality = r2 if regresses else error
    return Summary(
        kind=evidence.ensemble.kind,
        knob=knob,
        value=value,
        n_classifiers=evidence.ensemble.n_classifiers,
        rows="choosing" if promise is None else "certifying",
        n_rows=len(rows),
        n_evaluated=float(chosen.n_evaluated[rows].mean()),
        measured_against="labels" if evidence.labelled else "model",
        full=quality(full, truth) if evidence.labelled else None,
        sparse=quality(sparse, truth) if evidence.labelled else None,
        difference=_unexplained(sparse, full) if regresses else error(sparse, full),
        lost=None if knob in ("beta", "budget") else float(chosen.harm[rows].mean()),
        confidence=None if promise is None else promise.confidence,
        speed=_finite(estimator.dag_.expected_speedup),
        speed_one=_finite(estimator.dag_.expected_speedup_one),
    )


def error(labels: NDArray[Any], truth: NDArray[Any]) -> float:
    """The share of labels that are others."""
    return float(np.mean(labels != truth))


def r2(means: NDArray[Any], truth: NDArray[Any]) -> float | None:
    """1 - squared error over variance; None where there is no variance."""
    return 1 - _unexplained(means, truth) if np.var(truth) > 0 else None


def _unexplained(means: NDArray[Any], truth: NDArray[Any]) -> float:
    """The mean squared difference over the variance, or by itself where there is none."""
    return float(np.mean(np.square(means - truth)) / (np.var(truth) or 1.0))


def _finite(speed: float) -> float | None:
    return float(speed) if isfinite(speed) else None
