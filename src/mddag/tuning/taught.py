"""Taught shapes: models trained on the mean of label and opinion.

Few deep trees at a high learning rate follow the noise of labels. The tuned full model smooths it:
its probabilities for rows that it was not trained on are worth more to a small model than labels
alone. So a row has a target between 0 and 1, half label and half opinion: it is trained on twice,
once for each class, with the target's share in this class as weight.

A model may not know the fold that judges it, not by way of opinions either. So for models without
fold k the opinions of fold j are those of a model without both folds; for the model of all rows
they are those of the model without fold j. The former had fewer rows than the latter, so what is
judged is, if anything, worse than what is returned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from mddag.adapters import ModelParts, ensemble_of, parts_of
from mddag.calibration.platt import opinion
from mddag.tuning.folded_rows import ALL, FOLDS, FoldedRows
from mddag.tuning.shape_models import ShapeModel, cross_fitted
from mddag.tuning.shapes import Shape, library_of, shaped

LEAVES, RATES = (32, 64, 128, 255), (0.3, 0.6)
WORK = 12.0  # rounds x rate: no more than cheap candidates need
OPINION = 0.5  # its share in a target
Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Taught(ShapeModel):
    """A model that was trained on opinions too; it is never the tuned full model."""

    @property
    def name(self) -> str:
        """Its shape, and what it is."""
        return f"{super().name}, taught"


def can_be_taught(estimator: Any, rows: FoldedRows) -> bool:
    """Whether an estimator boosts with a learning rate, takes weights, and has two classes."""
    if isinstance(estimator, Pipeline) or not has_fit_parameter(estimator, "sample_weight"):
        return False
    return library_of(estimator).rate is not None and len(np.unique(rows.targets)) == 2


@dataclass(frozen=True, eq=False)
class Teaching:
    """Shapes of an estimator, trained on targets.

    targets : by fold, those of the model without it, (n,): from 0 to 1, the share in the second
              class; of rows that do not judge it is that of the label
    """

    estimator: Any
    rows: FoldedRows
    targets: Mapping[int, Vector]
    n_looks: ClassVar[int] = len(LEAVES) * len(RATES)

    @classmethod
    def of(cls, estimator: Any, full: ShapeModel, rows: FoldedRows) -> Teaching:
        """Of the models without a fold, by opinions of the tuned full model's shape."""
        n_rounds = full.parts.ensemble.n_classifiers
        scores: dict[tuple[int, int], Vector] = {}
        for one, other in combinations(range(FOLDS), 2):
            model = parts_of(rows.fitted(shaped(estimator, full.shape), one, other))
            for fold, judged in ((one, other), (other, one)):
                scores[fold, judged] = _scores(model, n_rounds, rows, judged)
        targets = {}
        for fold in range(FOLDS):
            others = [judged for judged in range(FOLDS) if judged != fold]
            given = np.concatenate([rows.judged_by(judged) for judged in others])
            of_given = np.concatenate([scores[fold, judged] for judged in others])
            targets[fold] = _targets(rows, given, of_given)
        return cls(estimator, rows, targets)

    def with_opinions_of(self, full: ShapeModel) -> Teaching:
        """Of the model of all rows too, by the tuned full model as others of its folds judge it."""
        given = full.parts.seen
        of_all = _targets(self.rows, given, full.parts.scores[given])
        return replace(self, targets={**self.targets, ALL: of_all})

    def first_looks(self) -> Iterator[Taught]:
        """Models in some shapes without the first fold."""
        for leaves, rate in product(LEAVES, RATES):
            shape = Shape(leaves, rate, round(WORK / rate))
            found = Taught.first_look(shape, self._fitted(shape, 0), self.rows)
            yield replace(found, loss=np.inf)

    def trained_again(self, model: ShapeModel) -> Taught | None:
        """The shape of a first look, trained without every other fold and on all rows."""

        def fitted(fold: int) -> ModelParts:
            return model.source if fold == 0 else parts_of(self._fitted(model.shape, fold))

        found = cross_fitted(model.shape, self.rows, fitted)
        return None if found is None else Taught(found.shape, found.source, found.parts, np.inf)

    def _fitted(self, shape: Shape, fold: int) -> Any:
        model = shaped(self.estimator, shape)
        return self.rows.fitted_between(model, fold, self.targets[fold])


def _scores(model: ModelParts, n_rounds: int, rows: FoldedRows, fold: int) -> Vector:
    """Of the rows of a fold that judge, after so many rounds."""
    ensemble = ensemble_of(model)
    ensemble = ensemble.truncated(min(n_rounds, ensemble.n_classifiers))
    return ensemble.scores(model.rows(rows.some_given(rows.judged_by(fold))))


def _targets(rows: FoldedRows, given: NDArray[np.intp], scores: Vector) -> Vector:
    """Of all rows: labels, and for those `given` that have scores the mean with opinions."""
    codes = np.unique(rows.targets, return_inverse=True)[1]
    found: Vector = codes.astype(np.float64)
    at = rows.numbers[given]
    found[at] = (1 - OPINION) * found[at] + OPINION * opinion(scores, codes[at])[:, 1]
    return found
