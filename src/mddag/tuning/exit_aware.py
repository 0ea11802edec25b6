"""Exit-aware models: shapes of AdaBoost.MH trained again with rows that quit (``Quitting``).

A candidate of such a model is cheap if it stops where the training expected it to, but the model as
a whole is worse than an ordinary one: it has not the loss that would make it the reference, and it
is not cut where its log-loss is smallest. Held-out rows choose among its candidates and all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from mddag._internal.weights import part
from mddag.adapters import parts_of
from mddag.boosting.quitting import Quitting
from mddag.calibration.platt import opinion
from mddag.estimators.adaboost import AdaBoostMHClassifier
from mddag.tuning.shape_models import ShapeModel, TrainingRows
from mddag.tuning.shapes import shaped

MOST_LEAVES = 64  # more were not tried
WEIGHT = 0.05  # that rows keep which have quit


@dataclass(frozen=True, eq=False)
class ExitAware(ShapeModel):
    """A trained model, as long as it was trained."""

    @property
    def name(self) -> str:
        """Its shape, and what it is."""
        return f"{super().name}, exit-aware"


def exit_aware_models(
    estimator: Any, models: Sequence[ShapeModel], rows: TrainingRows
) -> list[ExitAware]:
    """The shapes of trained models once more, as far as the estimator can do it: AdaBoost.MH by
    itself, not the last step of a Pipeline.

    When rows quit is read from the rows for learning, by the probabilities of the best model.
    """
    if not isinstance(estimator, AdaBoostMHClassifier):
        return []
    best = min(models, key=lambda model: model.loss)
    learning, task = best.parts.learning, best.parts.ensemble.task
    teacher = opinion(best.parts.scores[learning], task.coded(best.parts.truth[learning]))
    quitting = Quitting(_safe_indexing(rows.given, learning), teacher, WEIGHT)
    weights = part(rows.weight, rows.model)
    given = {} if weights is None else {"sample_weight": weights}
    found = []
    for model in models:
        shape = model.shape
        if shape.n_leaves is None or shape.n_leaves > MOST_LEAVES:
            continue
        again = shaped(estimator, shape).set_params(quitting=quitting)
        source = parts_of(again.fit(rows.to_fit(), rows.targets[rows.model], **given))
        found.append(ExitAware(shape, source, rows.parts(source), np.inf))
    return found
