"""Classification: the class of the largest score wins; one score decides between two by its sign.

Targets are labels, which MDPs read as class numbers, or probabilities (n, n_classes). beta is in
units of the loss itself. Calibration gives probabilities and never changes the winner.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._internal.checks import described
from mddag._internal.doubts import doubt_one_class
from mddag._internal.read_only import read_only
from mddag.ensemble.tasks.quality import Error
from mddag.ensemble.tasks.task import Calibrated, Task
from mddag.losses import Loss, ZeroOne


@dataclass(frozen=True, eq=False, kw_only=True)
class Classification(Task):
    """Labels of scores."""

    kind = "classifier"
    estimator = "MDDAGClassifier"
    quality = Error()
    calibration_changes_predictions = False
    soft_targets = True
    predicts_classes = True

    @classmethod
    def labels(cls, classes: ArrayLike | None, n_scores: int) -> NDArray[Any] | None:
        """By default 0, 1, ..."""
        return class_labels(np.arange(max(n_scores, 2)) if classes is None else classes, n_scores)

    @property
    def calibrated(self) -> Calibrated:
        return "probabilities"

    def codes(self, scores: NDArray[np.float64], n_scores: int) -> NDArray[np.intp]:
        """As for Task; a tie goes to the first class."""
        if self.classes is None:
            return super().codes(scores, n_scores)
        if getattr(scores, "shape", ())[1:] != (n_scores,):
            raise ValueError(f"scores are {described(scores)}; wanted (n, {n_scores})")
        return winners(scores)

    def predictions(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        codes = self.codes(scores, np.shape(scores)[-1])
        assert self.classes is not None
        return self.classes[codes]

    def checked_targets(self, y: Any) -> NDArray[Any]:
        from mddag.features.checks import checked_labels  # scikit-learn: only rows of fit need it

        return checked_labels(y)

    def strata(self, targets: NDArray[Any]) -> NDArray[Any]:
        """The classes."""
        return targets

    def coded(self, targets: NDArray[Any]) -> NDArray[Any]:
        """Class numbers, intp (n,), of labels; probabilities (n, n_classes) as they are."""
        if targets.ndim == 2:
            return super().coded(targets)
        assert self.classes is not None
        place = {label: k for k, label in enumerate(self.classes.tolist())}
        codes = np.array([place.get(label, -1) for label in targets.tolist()], np.intp)
        if (codes < 0).any():
            i = int(np.argmin(codes))
            raise ValueError(
                f"y contains the label {targets.tolist()[i]!r} (row {i}), which the ensemble does "
                f"not know; its classes are {self.classes.tolist()[:8]}"
            )
        return codes

    def doubt_targets(self, targets: NDArray[Any], *, given: bool = True) -> None:
        doubt_one_class(targets, given=given)

    def loss(self, loss: Loss | None) -> Loss:
        return ZeroOne() if loss is None else loss

    def unit(
        self, loss: Loss | None, targets: NDArray[Any], weight: NDArray[np.float64] | None
    ) -> float:
        return 1.0


def winners(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """The place of the winning class of each row of scores (n, K), whatever its label."""
    won = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
    return won.astype(np.intp)


def class_labels(classes: ArrayLike, n_scores: int) -> NDArray[Any]:
    """The labels, if they are as many as scores stand for."""
    labels, n_classes = np.asarray(classes), max(n_scores, 2)
    if labels.shape != (n_classes,):
        raise ValueError(
            f"classes has shape {labels.shape}; {n_scores} score(s) stand for {n_classes} classes"
        )
    return read_only(labels, None)
