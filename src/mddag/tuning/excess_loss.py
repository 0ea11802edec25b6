"""Excess loss: what a policy loses on a row beyond the full ensemble.

| measure    | excess loss of a row                                             |
|---|---|
| share      | 1 where its label differs from the full ensemble's, else 0       |
| difference | 1 where the policy alone is wrong, -1 where the full ensemble is  |
| mean       | squared error beyond the full ensemble's, over the variance of y |

The mean of the last two over all rows is the accuracy, or R2, that is lost (``ExcessLoss``).

What is lost of another metric of classifiers is "bounded" or "asymptotic" (``MetricLoss``). The
metric is that of the model as it would be shipped: probabilities by the calibration of exits that
is fitted on the rows for learning and choosing, for the full ensemble too. A metric such as ROC AUC
compares rows with each other, so it is computed in each block of rows by itself: rows that certify
are compared with rows that certify. The mean of the numbers over a block is what is lost in it; see
``metrics.classification`` for their deviation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mddag._utils.arrays import mass, part
from mddag.ensemble.ensemble import Ensemble
from mddag.metrics.classification import ClassMetric, one_hot
from mddag.policy.by_exit import exit_calibration
from mddag.policy.calibration import opinion
from mddag.tuning.row_parts import RowParts

Measure = Literal["share", "difference", "mean", "bounded", "asymptotic"]


@dataclass(frozen=True, eq=False)
class ExcessLoss:
    """The excess loss of rows.

    targets : (n,), the true labels or numbers
    full    : (n,), what the full ensemble predicts
    fit     : intp, the rows on which means are calibrated by exit
    weight  : (n,), weight of the rows in that and in the variance of y; None for all alike
    """

    ensemble: Ensemble
    measure: Measure
    targets: NDArray[Any]
    full: NDArray[Any]
    fit: NDArray[np.intp]
    weight: NDArray[np.float64] | None = None

    def __call__(
        self,
        scores: NDArray[np.float64],
        exit_step: NDArray[np.int32],
        verdict: NDArray[np.intp] | None = None,
    ) -> NDArray[np.float64]:
        """Of the policy with which rows left at these steps, with scores (n, K); (n,).

        verdict : the class codes of the rows (n,); None for those by the scores
        """
        if self.measure == "mean":
            means = self._means(scores, exit_step)
            return self._squared_error(means) - self._squared_error(self.full)
        labels = self.ensemble.labels(scores)
        if verdict is not None and self.ensemble.classes is not None:
            labels = self.ensemble.classes[verdict]
        if self.measure == "share":
            return np.asarray(labels != self.full, np.float64)
        wrong = np.asarray(labels != self.targets, np.float64)
        return wrong - np.asarray(self.full != self.targets, np.float64)

    def _means(
        self, scores: NDArray[np.float64], exit_step: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        fit = self.fit
        calibration = exit_calibration(
            self.ensemble, scores[fit], exit_step[fit], self.targets[fit], part(self.weight, fit)
        )
        return self.ensemble.means(calibration.calibrated(scores, exit_step))

    def _squared_error(self, means: NDArray[np.float64]) -> NDArray[np.float64]:
        errors: NDArray[np.float64] = np.square(means - self.targets)
        mean = np.average(self.targets, weights=self.weight)
        variance = np.average(np.square(self.targets - mean), weights=self.weight)
        return errors / (float(variance) or 1.0)


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
