"""The protocol of Figure 2: TPR at a fixed FPR against mean evaluations on negatives, N.

A method has settings k. Each gives scores and numbers of evaluations on training rows and on test
rows, and from them a `DetectionRun`: (TPR_k, N_k) on both. For a bound N on the evaluations the
setting is chosen on training rows alone, and its TPR on test rows is what is plotted:

    k*(N) = argmax over {k: train N_k <= N} of train TPR_k

The TPR on test rows needs a threshold. The paper takes it from the test rows themselves
(`test_tpr`: the FPR is met exactly, but the threshold has seen them). Without that leak it is from
validation rows (`held_out_tpr`), and then the FPR on test rows is only near the wanted one
(`held_out_fpr`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mddag._internal.checks import as_floats
from mddag.metrics.detection import checked_scores, tpr_at_fpr


class Scored:
    """Rows with scores, labels and the base classifiers evaluated for each."""

    def __init__(self, scores: ArrayLike, labels: ArrayLike, n_evaluated: ArrayLike) -> None:
        self.scores, self.positive = checked_scores(scores, labels)
        wanted = f"one number for each row, ({len(self.scores)},)"
        self.n_evaluated = as_floats("n_evaluated", n_evaluated, wanted)
        if self.n_evaluated.shape != self.scores.shape:
            raise ValueError(f"n_evaluated has shape {self.n_evaluated.shape}; wanted {wanted}")

    @property
    def cost(self) -> float:
        """Mean evaluations on negatives."""
        return float(self.n_evaluated[~self.positive].mean())

    def rates(self, threshold: float) -> tuple[float, float]:
        """TPR and FPR at a threshold."""
        above = self.scores > threshold
        return float(above[self.positive].mean()), float(above[~self.positive].mean())


@dataclass(frozen=True)
class DetectionRun:
    """One setting of one method at a fixed FPR.

    train_tpr, train_cost : TPR and mean evaluations on negatives of training rows
    test_tpr, test_cost   : those of test rows, the threshold from the test rows (the paper's)
    held_out_tpr, held_out_fpr : rates of test rows at the threshold of validation rows
    """

    train_tpr: float
    train_cost: float
    test_tpr: float
    test_cost: float
    held_out_tpr: float
    held_out_fpr: float

    @classmethod
    def of(
        cls, train: Scored, test: Scored, fpr: float, validation: Scored | None = None
    ) -> DetectionRun:
        """The run of a setting; without validation rows the training rows are those."""
        train_tpr, threshold = tpr_at_fpr(train.scores, train.positive, fpr)
        if validation is not None:
            threshold = tpr_at_fpr(validation.scores, validation.positive, fpr)[1]
        test_tpr = tpr_at_fpr(test.scores, test.positive, fpr)[0]
        return cls(train_tpr, train.cost, test_tpr, test.cost, *test.rates(threshold))


def best_within(runs: Sequence[DetectionRun], bounds: Iterable[float]) -> list[DetectionRun | None]:
    """The run k*(N) for each bound N on the evaluations; None where every run needs more.

    Among runs of equal TPR the first in the list is taken.
    """
    tprs = np.array([run.train_tpr for run in runs])
    costs = np.array([run.train_cost for run in runs])
    chosen: list[DetectionRun | None] = []
    for bound in bounds:
        within = np.flatnonzero(costs <= bound)
        chosen.append(runs[within[tprs[within].argmax()]] if len(within) else None)
    return chosen
