"""Shape models: an estimator trained in several shapes, each as long as it gets better.

A booster that was trained for N rounds holds all shorter ones, its prefixes, for free. So a shape
is first trained for few rounds. If its best prefix, by the loss on rows held out, is near the end,
and it is among the better half of the shapes, it is trained again with more (successive halving, in
which rounds are what is spent). This first look has models without the first fold alone. Shapes
that promise much are then trained without every other fold, too, and on all rows; the best prefix
of all these by that loss, the log-loss or the squared error, is the tuned full model. Both losses
are far less noisy than a count of errors, and few numbers are compared, so that little luck is in
the choice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mddag._internal.progress import Report
from mddag._internal.weights import mass, part
from mddag.adapters import ModelParts, ensemble_of, parts_of
from mddag.calibration.calibration import fit_factor, probabilities
from mddag.ensemble.partial_sums import partial_sums
from mddag.tuning.cross_fitted_parts import CrossFittedParts
from mddag.tuning.folded_rows import ALL, FOLDS, FoldedRows
from mddag.tuning.row_parts import RowParts
from mddag.tuning.shapes import Shape, library_of, shaped

FACTOR = 2.5  # more rounds for a shape that is trained again
NEAR_THE_END = 0.8
MORE_ROUNDS = 1.3  # that a model of more rows may need
N_LENGTHS = 40  # prefixes whose loss is measured
SHORTEST = 8
TINY = 1e-12


@dataclass(frozen=True, eq=False)
class ShapeModel:
    """A trained model, cut after its best round.

    shape  : as trained
    source : the model with what transforms its rows
    parts  : the rows that judge it, for the ensemble up to that round
    loss   : of that ensemble on them
    near_the_end : whether more rounds may be better
    """

    shape: Shape
    source: ModelParts
    parts: RowParts
    loss: float
    near_the_end: bool = False

    @classmethod
    def first_look(cls, shape: Shape, model: Any, rows: FoldedRows) -> Self:
        """Of a model that was trained without the first fold."""
        source = parts_of(model)
        parts = first_parts(source, rows)
        lengths, losses = prefix_losses(parts)
        at, n = int(np.argmin(losses)), parts.ensemble.n_classifiers
        known = n if shape.n_rounds is None else shape.n_rounds
        ended = n < known  # by the library, which found nothing more to split
        near = lengths[at] >= NEAR_THE_END * n and not ended
        return cls(shape, source, parts.cut(int(lengths[at])), float(losses[at]), near)

    @property
    def name(self) -> str:
        """Its shape, as cut."""
        n_rounds = self.parts.ensemble.n_classifiers
        if self.shape.n_leaves is None:
            return f"as given, {n_rounds} rounds"
        return str(replace(self.shape, n_rounds=n_rounds))


def first_parts(source: ModelParts, rows: FoldedRows) -> RowParts:
    """The rows of the first fold, the same for all models."""
    first = rows.judged_by(0)
    ensemble = ensemble_of(source)
    votes = ensemble.votes(source.rows(rows.some_given(first)), n_threads=rows.n_threads)
    scores = votes.scores()
    learning, choosing = (np.searchsorted(first, some) for some in rows.split(first))
    return RowParts(
        ensemble,
        votes,
        scores,
        full=ensemble.task.predictions(scores),
        truth=rows.given_targets[first],
        labelled=True,
        learning=learning,
        choosing=choosing,
        certifying=np.empty(0, np.intp),
        weight=part(rows.given_weight, first),
    )


def trained_shapes(
    estimator: Any, shapes: Sequence[Shape], rows: FoldedRows, report: Report
) -> list[ShapeModel]:
    """A first look at each shape, those of the better half as long as they get better."""
    n_done = 0

    def fitted(shape: Shape) -> ShapeModel:
        nonlocal n_done
        model = rows.fitted(shaped(estimator, shape), 0)
        found = ShapeModel.first_look(shape, model, rows)
        n_done += 1
        report(n_done, f"{found.name}: loss {found.loss:.4g}")
        return found

    models = [fitted(shape) for shape in shapes]
    while True:
        middle = np.median([model.loss for model in models])
        longer = [i for i, model in enumerate(models) if _grows(model) and model.loss <= middle]
        if not longer:
            return models
        for i in longer:
            models[i] = fitted(models[i].shape.longer(FACTOR))


def trained_again(estimator: Any, model: ShapeModel, rows: FoldedRows) -> ShapeModel | None:
    """The shape of a first look, trained without every other fold and on all rows.

    Forests are as long as in the first look, so that votes of all models are of one scale.
    """
    shape = model.shape
    if shape.n_rounds is not None and not library_of(estimator).means:
        n_rounds = ceil(MORE_ROUNDS * model.parts.ensemble.n_classifiers)
        shape = replace(shape, n_rounds=min(n_rounds, shape.n_rounds))

    def fitted(fold: int) -> ModelParts:
        if fold == 0:
            return model.source
        return parts_of(rows.fitted(shaped(estimator, shape), fold))

    return cross_fitted(shape, rows, fitted)


def cross_fitted(
    shape: Shape, rows: FoldedRows, fitted: Callable[[int], ModelParts]
) -> ShapeModel | None:
    """A model of all rows, judged by models without each fold; None where these differ in form.

    fitted : fold -> the model without it; ALL: that of all rows
    """
    sources = [fitted(fold) for fold in (*range(FOLDS), ALL)]
    parts = CrossFittedParts.of_models(sources, rows)
    if parts is None:
        return None
    lengths, losses = prefix_losses(parts)
    at = int(np.argmin(losses))
    return ShapeModel(shape, sources[-1], parts.cut(int(lengths[at])), float(losses[at]))


def slower(model: ShapeModel) -> Shape | None:
    """The shape of the best model at half its learning rate, which is often better still."""
    shape = model.shape
    if shape.rate is None or shape.n_rounds is None:
        return None
    return Shape(shape.n_leaves, shape.rate / 2, min(3 * model.parts.ensemble.n_classifiers, 700))


def prefix_losses(parts: RowParts) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Some lengths, the whole among them, and the loss of so many base classifiers on the rows that
    do not certify: the log-loss of calibrated probabilities, or the squared error."""
    n, rows = parts.ensemble.n_classifiers, parts.seen
    wanted = np.geomspace(min(SHORTEST, n), n, N_LENGTHS).round().astype(np.intp)
    lengths = np.unique(wanted)
    task, weight = parts.ensemble.task, part(parts.weight, rows)
    targets, losses = task.coded(parts.truth[rows]), []
    for j, scores in enumerate(partial_sums(parts.votes.rows(rows))):
        if j not in lengths:
            continue
        if task.predicts_classes:
            factor = fit_factor(scores, targets, None if weight is None else mass(weight))
            share = probabilities(scores, factor)[np.arange(len(rows)), targets]
            of_rows = -np.log(np.maximum(share, TINY))
        else:
            of_rows = np.square(task.means(scores) - targets)
        losses.append(float(np.average(of_rows, weights=weight)))
    return lengths, np.array(losses)


def _grows(model: ShapeModel) -> bool:
    n_rounds = model.shape.n_rounds
    return model.near_the_end and n_rounds is not None and n_rounds < model.shape.longest
