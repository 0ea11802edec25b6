"""The protocol of Figure 2: rates of one setting of a method at a fixed FPR, and the best setting
within a bound on the mean evaluations of negatives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from mddag.metrics.detection import Ties, tpr_at_fpr


@dataclass(frozen=True, eq=False)
class Scored:
    """Rows with their scores, labels 0 and 1, and base classifiers evaluated, (n,) each."""

    scores: np.ndarray
    positive: np.ndarray
    n_evaluated: np.ndarray

    @property
    def cost(self) -> float:
        """Mean evaluations on negatives."""
        return float(np.asarray(self.n_evaluated, float)[self.positive == 0].mean())

    def rates(self, threshold: float) -> tuple[float, float]:
        """TPR and FPR of these rows at a threshold."""
        above, positive = self.scores > threshold, self.positive > 0
        return float(above[positive].mean()), float(above[~positive].mean())


@dataclass(frozen=True)
class DetectionRun:
    """One setting at a fixed FPR.

    train_tpr, train_cost      : TPR, and mean evaluations on negatives, of training rows
    test_tpr, test_cost        : of test rows, with the threshold taken from them as in the paper
    held_out_tpr, held_out_fpr : of test rows at the threshold of the training rows, which have not
                                 seen them; the FPR is only near the wanted one
    """

    train_tpr: float
    train_cost: float
    test_tpr: float
    test_cost: float
    held_out_tpr: float
    held_out_fpr: float

    @classmethod
    def of(cls, train: Scored, test: Scored, fpr: float, ties: Ties = "whole") -> DetectionRun:
        train_tpr, threshold = tpr_at_fpr(train.scores, train.positive, fpr, ties=ties)
        test_tpr = tpr_at_fpr(test.scores, test.positive, fpr, ties=ties)[0]
        return cls(train_tpr, train.cost, test_tpr, test.cost, *test.rates(threshold))


def best_within(runs: Sequence[DetectionRun], bounds: Iterable[float]) -> list[DetectionRun | None]:
    """For each bound on the mean evaluations the run that is best on training rows, the first of
    equal ones; None where every run needs more."""
    tprs = np.array([run.train_tpr for run in runs])
    costs = np.array([run.train_cost for run in runs])
    chosen: list[DetectionRun | None] = []
    for bound in bounds:
        within = np.flatnonzero(costs <= bound)
        chosen.append(runs[within[tprs[within].argmax()]] if len(within) else None)
    return chosen
