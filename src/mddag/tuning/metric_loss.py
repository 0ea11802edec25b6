"""Metric loss: what a policy loses of a metric against the full ensemble, as numbers of rows.

The metric is that of the model as it would be shipped: probabilities by the calibration of exits
that is fitted on the rows for learning and choosing, for the full ensemble too. A metric such as
ROC AUC compares rows with each other, so it is computed in each block of rows by itself: rows that
certify are compared with rows that certify. The mean of the numbers over a block is what is lost in
it; see ``metrics.classification`` for their deviation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.arrays import mass, part
from mddag.calibration.by_exit import exit_calibration
from mddag.calibration.calibration import opinion
from mddag.ensemble.ensemble import Ensemble
from mddag.metrics.classification import ClassMetric, one_hot
from mddag.tuning.row_parts import RowParts

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class MetricLoss:
    """The loss of a metric.

    scores : (n, K), those of the full ensemble
    codes  : (n,) class numbers, or shares (n, n_classes), that probabilities are calibrated to
    shares : (n, n_classes), the labels that the metric is of
    fit    : the rows that calibrate
    blocks : rows in parts that hold all of them, in each of which the metric is computed
    weight : (n,), weight of the rows; None for all alike
    """

    ensemble: Ensemble
    metric: ClassMetric
    scores: Matrix
    codes: NDArray[Any]
    shares: Matrix
    fit: Rows
    blocks: tuple[Rows, ...]
    weight: Vector | None = None
    full: Matrix = field(init=False)
    taught: Matrix = field(init=False)

    def __post_init__(self) -> None:
        weight = part(self.weight, self.fit)
        scores, codes = self.scores[self.fit], self.codes[self.fit]
        taught = opinion(scores, codes, None if weight is None else mass(weight))
        object.__setattr__(self, "taught", taught)
        at_end = np.full(len(self.scores), self.ensemble.n_classifiers)
        full = self.probabilities(self.scores, at_end)
        object.__setattr__(self, "full", full)

    def __call__(
        self,
        scores: Matrix,
        exit_step: NDArray[np.integer[Any]],
        verdict: NDArray[np.intp] | None = None,
    ) -> Vector:
        """Of the policy with which rows left at these steps, with scores (n, K); (n,)."""
        sparse, lost = self.probabilities(scores, exit_step), np.zeros(len(scores))
        for rows in self.blocks:
            weight = self._weight(rows)
            lost[rows] = self.metric.lost(self.full[rows], sparse[rows], self.shares[rows], weight)
        return lost

    def values(self, shipped: Matrix, rows: Rows) -> tuple[float, float]:
        """The metric of the full and of the shipped model, whose probabilities (n_rows, n_classes)
        on some rows are these."""
        weight = self._weight(rows)
        full, sparse = (
            np.average(self.metric.of_rows(p, self.shares[rows], weight), weights=weight)
            for p in (self.full[rows], shipped)
        )
        return float(full), float(sparse)

    def probabilities(self, scores: Matrix, exit_step: NDArray[np.integer[Any]]) -> Matrix:
        """Those of the shipped model, (n, n_classes)."""
        fit = self.fit
        found = exit_calibration(
            self.ensemble, scores[fit], exit_step[fit], self.taught, part(self.weight, fit)
        )
        return found.probabilities(scores, exit_step)

    def learned_from(self, parts: RowParts, knob: str) -> NDArray[Any]:
        """The targets of all rows that policies are learned by: labels or shares of classes."""
        return parts.truth if parts.labelled and knob != "max_disagreement" else self.shares

    def _weight(self, rows: Rows) -> Vector:
        return np.ones(len(rows)) if self.weight is None else self.weight[rows]


def metric_loss_of(
    parts: RowParts, metric: ClassMetric, knob: str, given: NDArray[Any]
) -> MetricLoss:
    """The loss of a metric on rows in their parts.

    given : (n,) labels, or without them the model's own probabilities (n, n_classes)
    """
    codes = parts.ensemble.task.coded(given)
    shares = codes if codes.ndim == 2 else one_hot(codes, max(parts.ensemble.n_scores, 2))
    if knob == "max_disagreement" and parts.labelled:
        shares = parts.soft_targets()
    blocks = (parts.learning, parts.choosing)
    if len(parts.certifying):
        blocks = (parts.seen, parts.certifying)
    return MetricLoss(
        parts.ensemble, metric, parts.scores, codes, shares, parts.seen, blocks, parts.weight
    )
