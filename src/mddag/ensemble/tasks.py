"""Tasks: what scores stand for, namely labels, means, or an order of documents.

A `Task` translates targets into what an MDP reads and scores into predictions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.arrays import read_only
from mddag._utils.checks import described
from mddag._utils.warnings import doubt_one_class
from mddag.losses import Loss, OfMeans, RegressionLoss, Squared, ZeroOne

Array = NDArray[Any]
Weight = NDArray[np.float64] | None


Kind = Literal["classifier", "regressor", "ranker"]
Link = Literal["identity", "exp", "unknown"]
Calibrated = Literal["probabilities", "means", "log means"]
LINKS: tuple[Link, ...] = get_args(Link)


@dataclass(frozen=True, eq=False, kw_only=True)
class Task:
    """What scores stand for.

    Attributes
    ----------
    kind : str
        What messages and files call the model.
    estimator : str
        Name of the estimator of sparse models.
    quality_name : str
        What `quality` measures.
    calibration_changes_predictions : bool
        Whether calibration changes predictions, not only probabilities.
    soft_targets : bool
        Whether targets may be probabilities (n, n_classes).
    predicts_classes : bool
        Whether a prediction is one of the labels.
    counted : {"rows", "queries"}
        What bounds count.
    """

    classes: NDArray[Any] | None = None  # labels, if there are any
    # what turns the score of a regressor into its prediction; "exp" for models with a log link
    # (Poisson, gamma, tweedie)
    link: Link = "identity"

    kind: ClassVar[Kind]
    estimator: ClassVar[str]
    quality_name: ClassVar[str] = "metric"
    calibration_changes_predictions: ClassVar[bool] = True
    soft_targets: ClassVar[bool] = False
    predicts_classes: ClassVar[bool] = False
    counted: ClassVar[str] = "rows"

    @classmethod
    def labels(cls, classes: ArrayLike | None, n_scores: int) -> NDArray[Any] | None:
        """Return the labels of an ensemble with K = `n_scores`, as given or by default, or None."""
        if classes is not None:
            raise ValueError(f"classes are given, but a {cls.kind} has none; leave them out")
        return None

    @property
    def calibrated(self) -> Calibrated:
        """What calibration by exit makes of scores."""
        return "means"

    def codes(self, scores: NDArray[np.float64], n_scores: int) -> NDArray[np.intp]:
        """Return the index of the winning class of each row of scores (n, n_scores)."""
        raise ValueError(
            f"a {self.kind} has no classes to choose from; its scores are raw scores f, before "
            "any link function of the source model"
        )

    def means(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the expected targets that scores (n, 1) stand for, (n,)."""
        raise ValueError(f"the scores of a {self.kind} are no means; a regressor is wanted here")

    def predictions(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        """Return the predictions for scores (n, K), which are calibrated if that changes them."""
        return scores[:, 0]

    def prediction_of_one(self, score: Callable[[Any], float]) -> Callable[[Any], float]:
        """Return the same as a function of one row; `score` returns its calibrated score."""
        return score

    def require_predictions(self) -> None:
        """Raise ValueError if scores cannot be turned into predictions."""

    def difference(self, predictions: Array, others: Array, weight: Weight = None) -> float:
        """Return the mean squared difference over the variance of the others, or by itself if 0."""
        loss = Squared()
        lost = np.average(loss.of(predictions, others), weights=weight)
        return float(lost) / loss.of_constant(others, weight)

    def quality(self, predictions: Array, truth: Array, weight: Weight = None) -> float | None:
        """Return R2; None where it is not defined, without variance."""
        return 1 - self.difference(predictions, truth, weight) if np.ptp(truth) > 0 else None

    def checked_targets(self, y: Any) -> NDArray[Any]:
        """Return y (n,) after checking that these are targets of the task."""
        from mddag.ensemble.row_checks import (
            checked_numbers,  # scikit-learn: only rows of fit need it
        )

        return checked_numbers(y)

    def strata(self, targets: NDArray[Any]) -> NDArray[Any]:
        """Return the groups (n,) of rows that get equal shares in every part; here one."""
        return np.zeros(len(targets))

    def coded(self, targets: NDArray[Any]) -> NDArray[Any]:
        """Return targets as MDPs read them."""
        return np.asarray(targets, np.float64)

    def doubt_targets(self, targets: NDArray[Any], *, given: bool = True) -> None:
        """Warn if policy rows are of one class; `given` is False for the model's own targets."""

    def loss(self, loss: Loss | None) -> Loss:
        """Return the loss of scores, given that of predictions; the default one for None."""
        return Squared() if loss is None else loss

    def unit(
        self, loss: Loss | None, targets: NDArray[Any], weight: NDArray[np.float64] | None
    ) -> float:
        """Return the loss of the best constant (1 if that is 0), the unit of beta.

        So beta = 0.01 is one hundredth of R2 (D2 of other losses) per evaluation. For a loss of
        your own the constant is the mean.
        """
        loss = Squared() if loss is None else loss
        if isinstance(loss, RegressionLoss):
            return loss.of_constant(targets, weight)
        constant = np.full((len(targets), 1), np.average(targets, weights=weight))
        return float(np.average(loss(constant, targets), weights=weight)) or 1.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Classification(Task):
    """Labels: one score for binary problems, else one for each class."""

    kind = "classifier"
    estimator = "MDDAGClassifier"
    quality_name = "error"
    calibration_changes_predictions = False
    soft_targets = True
    predicts_classes = True

    @classmethod
    def labels(cls, classes: ArrayLike | None, n_scores: int) -> NDArray[Any] | None:
        """Return the labels, by default 0, 1 and so on."""
        n_classes = max(n_scores, 2)
        labels = np.arange(n_classes) if classes is None else np.asarray(classes)
        if labels.shape != (n_classes,):
            raise ValueError(
                f"classes has shape {labels.shape}; {n_scores} score(s) stand for {n_classes} "
                "classes"
            )
        return read_only(labels, None)

    @property
    def calibrated(self) -> Calibrated:
        return "probabilities"

    def codes(self, scores: NDArray[np.float64], n_scores: int) -> NDArray[np.intp]:
        """Return the index of the winning class; a tie goes to the first."""
        if self.classes is None:
            return super().codes(scores, n_scores)
        if getattr(scores, "shape", ())[1:] != (n_scores,):
            raise ValueError(f"scores are {described(scores)}; wanted (n, {n_scores})")
        return winners(scores)

    def predictions(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        codes = self.codes(scores, np.shape(scores)[-1])
        assert self.classes is not None
        return self.classes[codes]

    def difference(self, predictions: Array, others: Array, weight: Weight = None) -> float:
        """Return the share of labels that differ."""
        return float(np.average(predictions != others, weights=weight))

    def quality(self, predictions: Array, truth: Array, weight: Weight = None) -> float:
        """Return the share of wrong labels."""
        return self.difference(predictions, truth, weight)

    def checked_targets(self, y: Any) -> NDArray[Any]:
        from mddag.ensemble.row_checks import (
            checked_labels,  # scikit-learn: only rows of fit need it
        )

        return checked_labels(y)

    def strata(self, targets: NDArray[Any]) -> NDArray[Any]:
        """Return the classes."""
        return targets

    def coded(self, targets: NDArray[Any]) -> NDArray[Any]:
        """Return class numbers of labels, intp (n,); probabilities (n, n_classes) as they are."""
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
    """Return the index of the winning class of each row of scores (n, K)."""
    won = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
    return won.astype(np.intp)


@dataclass(frozen=True, eq=False, kw_only=True)
class Regression(Task):
    """Means: one score, to which a link may apply."""

    kind = "regressor"
    estimator = "MDDAGRegressor"
    quality_name = "R2"

    @property
    def calibrated(self) -> Calibrated:
        return "log means" if self.link == "exp" else "means"

    def means(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        self.require_predictions()
        mean = scores[:, 0]
        return np.exp(mean) if self.link == "exp" else mean

    def predictions(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        return self.means(scores)

    def prediction_of_one(self, score: Callable[[Any], float]) -> Callable[[Any], float]:
        if self.link == "identity":
            return score

        def prediction(x: Any) -> float:
            self.require_predictions()
            return float(np.exp(score(x)))

        return prediction

    def require_predictions(self) -> None:
        if self.link == "unknown":
            raise ValueError(
                "the predictions of the source model are neither its scores nor exp of them; mddag "
                "knows no other links: train for another objective, or use the raw scores"
            )

    def loss(self, loss: Loss | None) -> Loss:
        given = super().loss(loss)
        return OfMeans(given) if self.link == "exp" else given


@dataclass(frozen=True, eq=False, kw_only=True)
class Ranking(Task):
    """Scores to sort by."""

    kind = "ranker"
    estimator = "MDDAGRanker"
    counted = "queries"


TASKS: dict[str, type[Task]] = {
    member.kind: member for member in (Classification, Regression, Ranking)
}
