"""Excess loss: what a policy loses on a row beyond the full ensemble; see ``BoundedLoss.measure``.

Losses are those of the model as it would be shipped. Means of regressors, and probabilities that a
metric is of, are calibrated by exit on the rows for learning and choosing, for the full ensemble
too. A metric such as ROC AUC compares rows with each other, so it is computed in each block of rows
by itself: rows that certify are compared with rows that certify. The mean of the numbers over a
block is what is lost in it; see ``metrics.classification`` for their deviation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.arrays import mass, part
from mddag.losses import Quantile
from mddag.metrics.classification import Accuracy, ClassMetric, LogLoss, RocAuc, one_hot
from mddag.metrics.regression import R2, MeanAbsoluteError, RegressionMetric
from mddag.policy.calibration import exit_calibration, fitted_probabilities
from mddag.policy.rollout import Rollout
from mddag.serving.result import MeasuredMetric
from mddag.tuning.guarantee import BoundedLoss
from mddag.tuning.problem import Problem
from mddag.tuning.targets import Target

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


class ExcessLoss(ABC):
    """The excess loss of rows under a policy."""

    @abstractmethod
    def of_rows(self, found: Rollout) -> Vector:
        """Return the excess loss of each row of the problem, (n,), as they left a policy."""

    @abstractmethod
    def learned_from(self) -> NDArray[Any]:
        """Return the targets of all rows that policies are learned by."""


class LabelLoss(ExcessLoss):
    """Labels that differ from the full ensemble's, or that it alone has right."""

    def __init__(self, problem: Problem, target: Target, measure: str) -> None:
        self.problem, self.target, self.measure = problem, target, measure

    def of_rows(self, found: Rollout) -> Vector:
        problem = self.problem
        classes = problem.ensemble.classes
        assert classes is not None
        labels = classes[found.codes]
        if self.measure == "share":
            return np.asarray(labels != problem.full, np.float64)
        wrong = np.asarray(labels != problem.truth, np.float64)
        return wrong - np.asarray(problem.full != problem.truth, np.float64)

    def learned_from(self) -> NDArray[Any]:
        problem, target = self.problem, self.target
        if self.measure == "share":
            return problem.full
        if target.name != "max_loss":
            return problem.truth
        return problem.soft_targets(target.price_of_change(len(problem.split.certify)))


class NumberLoss(ExcessLoss):
    """Errors of a regressor beyond the full ensemble's, in the unit of its metric."""

    def __init__(self, problem: Problem, metric: RegressionMetric) -> None:
        self.problem, self.loss, self.fit = problem, metric.loss, problem.split.seen
        self.unit = metric.unit(problem.truth, problem.weight)
        self.full = self._errors(problem.full)

    def of_rows(self, found: Rollout) -> Vector:
        problem, fit = self.problem, self.fit
        calibration = exit_calibration(
            problem.ensemble,
            found.scores[fit],
            found.exit_step[fit],
            problem.truth[fit],
            part(problem.weight, fit),
            self.loss,
        )
        means = problem.ensemble.task.means(calibration.calibrated(found.scores, found.exit_step))
        return self._errors(means) - self.full

    def learned_from(self) -> NDArray[Any]:
        return self.problem.truth

    def _errors(self, predicted: Vector) -> Vector:
        errors: Vector = self.loss.of(predicted, self.problem.truth)
        return errors / self.unit


class MetricLoss(ExcessLoss):
    """What is lost of a metric of probabilities, or of decisions by a threshold."""

    def __init__(
        self, problem: Problem, target: Target, bounded: BoundedLoss, given: NDArray[Any]
    ) -> None:
        """`given` are labels (n,), or without them the model's own probabilities."""
        self.problem, self.target, self.bounded = problem, target, bounded
        task, split = problem.ensemble.task, problem.split
        codes = task.coded(given)
        self.shares = codes if codes.ndim == 2 else one_hot(codes, max(problem.scores.shape[1], 2))
        if target.follows_model and problem.labelled:
            self.shares = problem.soft_targets()
        self.fit = split.seen
        weight = part(problem.weight, self.fit)
        # what probabilities are calibrated to
        own_mass = None if weight is None else mass(weight)
        self.taught = fitted_probabilities(problem.scores[self.fit], codes[self.fit], own_mass)
        at_end = np.full(len(problem), problem.ensemble.n_classifiers)
        self.full = self._probabilities(problem.scores, at_end)
        self.soft = self.shares
        if bounded.threshold is not None and (target.follows_model or not problem.labelled):
            self.shares = one_hot((self.full[:, 1] > bounded.threshold).astype(np.intp), 2)

    def of_rows(self, found: Rollout) -> Vector:
        sparse, lost = self._probabilities(found.scores, found.exit_step), np.zeros(len(self.full))
        for rows in self.problem.blocks:
            given = self.full[rows], sparse[rows], self.shares[rows]
            weight = part(self.problem.weight, rows)
            lost[rows] = excess_by_probabilities(self.bounded, *given, weight)
        return lost

    def learned_from(self) -> NDArray[Any]:
        problem = self.problem
        by_labels = problem.labelled and not self.target.follows_model
        return problem.truth if by_labels else self.soft

    def _probabilities(self, scores: Matrix, exit_step: NDArray[np.integer[Any]]) -> Matrix:
        fit, ensemble = self.fit, self.problem.ensemble
        weight = part(self.problem.weight, fit)
        found = exit_calibration(ensemble, scores[fit], exit_step[fit], self.taught, weight)
        return found.probabilities(scores, exit_step)


def excess_by_probabilities(
    bounded: BoundedLoss, full: Matrix, sparse: Matrix, shares: Matrix, weight: Vector | None = None
) -> Vector:
    """Return the excess loss of rows (n,) by calibrated probabilities (n, n_classes).

    With a threshold: decisions by it that are wrong, or that the sparse model alone has right.
    """
    if bounded.threshold is not None:
        positive = shares[:, 1] > 0.5
        wrong = [(p[:, 1] > bounded.threshold) != positive for p in (full, sparse)]
        return np.asarray(wrong[1].astype(np.float64) - wrong[0])
    metric = bounded.metric
    assert isinstance(metric, ClassMetric)
    return metric.lost(full, sparse, shares, np.ones(len(full)) if weight is None else weight)


def excess_loss_of(
    problem: Problem, target: Target, bounded: BoundedLoss, given: NDArray[Any]
) -> ExcessLoss:
    """Return the excess loss by one of the losses of a target.

    `given` are labels (n,), or without them the model's own probabilities.
    """
    if bounded.threshold is not None or isinstance(bounded.metric, ClassMetric):
        return MetricLoss(problem, target, bounded, given)
    if bounded.metric is not None:
        return NumberLoss(problem, bounded.metric)
    return LabelLoss(problem, target, bounded.measure)


def measured_metrics(
    full: NDArray[Any],
    sparse: NDArray[Any],
    truth: NDArray[Any],
    weight: Vector | None,
    own: RegressionMetric | None = None,
) -> list[MeasuredMetric]:
    """Compute the metrics that every result has, as far as they are defined on these rows."""
    if full.ndim == 1:
        plain: list[RegressionMetric] = [R2()] if np.ptp(truth) > 0 else []
        plain.append(MeanAbsoluteError())
        wanted = plain if own is None or own in plain else [own, *plain]
        found = [
            MeasuredMetric(m.name, m(truth, full, weight), m(truth, sparse, weight)) for m in wanted
        ]
        if own is not None and type(own.loss) is Quantile:  # what a quantile is asked for
            below = (np.average(truth <= p, weights=weight) for p in (full, sparse))
            found.insert(1, MeasuredMetric("targets covered", *map(float, below)))
        return found
    found = []
    weight = np.ones(len(truth)) if weight is None else weight
    several = np.count_nonzero(weight @ truth) > 1
    for metric in (Accuracy(), *((RocAuc(),) if several else ()), LogLoss()):
        values = (
            float(np.average(metric.of_rows(p, truth, weight), weights=weight))
            for p in (full, sparse)
        )
        found.append(MeasuredMetric(metric.name, *values))
    return found
