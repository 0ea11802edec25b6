"""Shape models: an estimator trained in several shapes, each as long as it gets better.

A booster that was trained for N rounds holds all shorter ones, its prefixes, for free. So a shape
is first trained for few rounds. If its best prefix, by the loss on rows held out, is near the end,
and it is among the better half of the shapes, it is trained again with more (successive halving, in
which rounds are what is spent). The best prefix of all shapes by that loss, the log-loss or the
squared error, is the tuned full model. Both losses are far less noisy than a count of errors, and
few numbers are compared, so that little luck is in the choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from mddag._internal.progress import Report
from mddag._internal.weights import mass, part
from mddag.adapters import ModelParts, ensemble_of, parts_of
from mddag.calibration.calibration import probabilities
from mddag.calibration.platt import fit_factor
from mddag.ensemble.partial_sums import partial_sums
from mddag.ensemble.votes import Votes
from mddag.tuning.row_parts import RowParts, Shares
from mddag.tuning.shapes import Shape, shaped

FACTOR = 2.5  # more rounds for a shape that is trained again
NEAR_THE_END = 0.8
N_LENGTHS = 40  # prefixes whose loss is measured
SHORTEST = 8
TINY = 1e-12


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Rows of the model and rows held out from it.

    model, held_out : intp, numbers of rows
    shares          : of the rows held out for learning, choosing and proofs
    n_threads       : of votes
    given           : the rows held out, as they were given
    """

    X: Any
    targets: NDArray[Any]
    weight: NDArray[np.float64] | None
    model: NDArray[np.intp]
    held_out: NDArray[np.intp]
    shares: Shares
    seed: int
    n_threads: int = 1
    given: Any = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "given", _safe_indexing(self.X, self.held_out))

    def to_fit(self) -> Any:
        """Rows that models are trained on."""
        return _safe_indexing(self.X, self.model)

    def parts(self, source: ModelParts) -> RowParts:
        """The rows held out, in the same parts whatever the model."""
        return RowParts.of(
            ensemble_of(source),
            source.rows(self.given),
            self.targets[self.held_out],
            certified=self.shares[-1] > 0,
            shares=self.shares,
            random=np.random.RandomState(self.seed),
            weight=part(self.weight, self.held_out),
            n_threads=self.n_threads,
        )


@dataclass(frozen=True, eq=False)
class ShapeModel:
    """A trained model, cut after its best round.

    shape  : as trained
    source : the model with what transforms its rows
    parts  : the rows held out, for the ensemble up to that round
    loss   : of that ensemble on the rows for learning
    near_the_end : whether more rounds may be better
    """

    shape: Shape
    source: ModelParts
    parts: RowParts
    loss: float
    near_the_end: bool = False

    @classmethod
    def of(cls, shape: Shape, model: Any, rows: TrainingRows) -> ShapeModel:
        source = parts_of(model)
        parts = rows.parts(source)
        lengths, losses = prefix_losses(parts)
        at, n = int(np.argmin(losses)), parts.ensemble.n_classifiers
        known = n if shape.n_rounds is None else shape.n_rounds
        ended = n < known  # by the library, which found nothing more to split
        near = lengths[at] >= NEAR_THE_END * n and not ended
        return cls(shape, source, cut(parts, int(lengths[at])), float(losses[at]), near)

    @property
    def name(self) -> str:
        """Its shape, as cut."""
        n_rounds = self.parts.ensemble.n_classifiers
        if self.shape.n_leaves is None:
            return f"as given, {n_rounds} rounds"
        return str(replace(self.shape, n_rounds=n_rounds))


def trained_shapes(
    estimator: Any, shapes: Sequence[Shape], rows: TrainingRows, report: Report
) -> list[ShapeModel]:
    """A model of each shape, those of the better half as long as they get better."""
    model_X, n_done = rows.to_fit(), 0

    def fitted(shape: Shape) -> ShapeModel:
        nonlocal n_done
        weights = part(rows.weight, rows.model)
        given = {} if weights is None else {"sample_weight": weights}
        model = shaped(estimator, shape).fit(model_X, rows.targets[rows.model], **given)
        found = ShapeModel.of(shape, model, rows)
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


def slower(model: ShapeModel) -> Shape | None:
    """The shape of the best model at half its learning rate, which is often better still."""
    shape = model.shape
    if shape.rate is None or shape.n_rounds is None:
        return None
    return Shape(shape.n_leaves, shape.rate / 2, min(3 * model.parts.ensemble.n_classifiers, 700))


def prefix_losses(parts: RowParts) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Some lengths, the whole among them, and the loss of so many base classifiers on the rows for
    learning: the log-loss of calibrated probabilities, or the squared error."""
    n, rows = parts.ensemble.n_classifiers, parts.learning
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


def cut(parts: RowParts, n_classifiers: int) -> RowParts:
    """The same rows for the first so many base classifiers."""
    if n_classifiers == parts.ensemble.n_classifiers:
        return parts
    ensemble = parts.ensemble.truncated(n_classifiers)
    n_trees = ensemble.n_trees
    codes = np.ascontiguousarray(parts.votes.codes[:, :n_trees])
    votes = Votes(codes.astype(ensemble.tables.code_dtype(), copy=False), ensemble.tables)
    scores = votes.scores()
    full = ensemble.task.predictions(scores)
    return replace(parts, ensemble=ensemble, votes=votes, scores=scores, full=full)


def _grows(model: ShapeModel) -> bool:
    n_rounds = model.shape.n_rounds
    return model.near_the_end and n_rounds is not None and n_rounds < model.shape.longest
