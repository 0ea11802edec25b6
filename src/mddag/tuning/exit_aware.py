"""Exit-aware models: shapes of AdaBoost.MH trained again with rows that quit (``Quitting``).

A candidate of such a model is cheap if it stops where the training expected it to, but the model as
a whole is worse than an ordinary one: it has not the loss that would make it the reference, and it
is not cut where its log-loss is smallest. When rows quit is read from a tenth of its rows, which it
is not boosted on, by the cross-fitted probabilities of the tuned full model. Rows that judge choose
among its candidates and all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.adapters import ModelParts, parts_of
from mddag.boosting.quitting import Quitting
from mddag.calibration.platt import opinion
from mddag.estimators.adaboost import AdaBoostMHClassifier
from mddag.tuning.folded_rows import FoldedRows
from mddag.tuning.shape_models import ShapeModel, cross_fitted
from mddag.tuning.shapes import Shape, shaped

MOST_LEAVES = 64  # more were not tried
WEIGHT = 0.05  # that rows keep which have quit
READ = 0.1  # of the rows of a model: from these it is read when rows quit


@dataclass(frozen=True, eq=False)
class ExitAware(ShapeModel):
    """A trained model, as long as it was trained."""

    @property
    def name(self) -> str:
        """Its shape, and what it is."""
        return f"{super().name}, exit-aware"


def exit_aware_models(
    estimator: Any, models: Sequence[ShapeModel], rows: FoldedRows
) -> list[ExitAware]:
    """The shapes of cross-fitted models once more, as far as the estimator can do it: AdaBoost.MH
    by itself, not the last step of a Pipeline."""
    if not isinstance(estimator, AdaBoostMHClassifier):
        return []
    best = min(models, key=lambda model: model.loss).parts
    seen = best.seen
    teacher = opinion(best.scores[seen], best.ensemble.task.coded(best.truth[seen]))
    found = []
    for shape in dict.fromkeys(model.shape for model in models):
        if shape.n_leaves is None or shape.n_leaves > MOST_LEAVES:
            continue
        aware = Retraining(estimator, shape, rows, teacher)
        model = cross_fitted(shape, rows, aware.fitted, whole=True)
        if model is not None:
            found.append(ExitAware(shape, model.source, model.parts, np.inf))
    return found


@dataclass(frozen=True, eq=False)
class Retraining:
    """A shape trained with rows that quit.

    teacher : (n, n_classes), probabilities of the rows that judge
    """

    estimator: Any
    shape: Shape
    rows: FoldedRows
    teacher: Any

    def fitted(self, fold: int) -> ModelParts:
        """The model without a fold."""
        read = self.read(fold)
        quitting = Quitting(self.rows.some_given(read), self.teacher[read], WEIGHT)
        model = shaped(self.estimator, self.shape).set_params(quitting=quitting)
        return parts_of(self.rows.fitted(model, fold, without=self.rows.judging[read]))

    def read(self, fold: int) -> NDArray[np.intp]:
        """Which of the rows that judge are read for the model without a fold: never all rows of a
        class, or it would lack that class."""
        trains, judging, labels = self.rows.training(fold), self.rows.judging, self.rows.targets
        others = np.flatnonzero(np.isin(judging, trains))
        random = np.random.RandomState(self.rows.seed)
        drawn = np.sort(random.permutation(others)[: max(round(READ * len(others)), 1)])
        left = np.setdiff1d(trains, judging[drawn])
        return drawn[np.isin(labels[judging[drawn]], labels[left])]
