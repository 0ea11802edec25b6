"""Task: the contract of what scores stand for: targets, losses, predictions and their quality.

A member defines how targets y are checked and as which numbers an MDP reads them, the default loss
and its unit, and what is predicted of scores. By default targets are numbers.
A Task holds no votes and no policy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag.ensemble.tasks.quality import Quality
from mddag.losses import Loss, Squared

Kind = Literal["classifier", "regressor", "ranker"]
Link = Literal["identity", "exp", "unknown"]
Calibrated = Literal["probabilities", "means", "log means"]
LINKS: tuple[Link, ...] = get_args(Link)


@dataclass(frozen=True, eq=False, kw_only=True)
class Task:
    """What scores stand for.

    classes   : the labels, where there are any
    link      : what turns the score of a regressor into its prediction: "identity", "exp" where
                the source model has a log link (Poisson, gamma, tweedie), or "unknown"
    kind      : what messages and files call the model
    estimator : the name of the estimator of sparse models
    quality   : what is reported of predictions
    calibration_changes_predictions : or only the probabilities
    soft_targets : whether targets may be probabilities (n, n_classes)
    predicts_classes : whether a prediction is one of the labels, which agrees with another or not
    counted   : what bounds count: "rows", or "queries"
    """

    classes: NDArray[Any] | None = None
    link: Link = "identity"

    kind: ClassVar[Kind]
    estimator: ClassVar[str]
    quality: ClassVar[Quality]
    calibration_changes_predictions: ClassVar[bool] = True
    soft_targets: ClassVar[bool] = False
    predicts_classes: ClassVar[bool] = False
    counted: ClassVar[str] = "rows"

    @classmethod
    def labels(cls, classes: ArrayLike | None, n_scores: int) -> NDArray[Any] | None:
        """The labels of an ensemble of K = `n_scores`, as given or by default; None if there are
        none."""
        if classes is not None:
            raise ValueError(f"classes are given, but a {cls.kind} has none; leave them out")
        return None

    @property
    def calibrated(self) -> Calibrated:
        """What calibration by exit makes of scores."""
        return "means"

    def codes(self, scores: NDArray[np.float64], n_scores: int) -> NDArray[np.intp]:
        """The place of the winning class of each row of scores (n, n_scores)."""
        raise ValueError(
            f"a {self.kind} has no classes to choose from; its scores are raw scores f, before "
            "any link function of the source model"
        )

    def means(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The expected targets that scores (n, 1) stand for, (n,)."""
        raise ValueError(f"the scores of a {self.kind} are no means; a regressor is wanted here")

    def predictions(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        """What is predicted of scores (n, K), (n,); these are calibrated if that changes it."""
        return scores[:, 0]

    def prediction_of_one(self, score: Callable[[Any], float]) -> Callable[[Any], float]:
        """The same number of one row, as a function of it; `score` gives its calibrated score."""
        return score

    def require_predictions(self) -> None:
        """Refuse to predict where scores cannot be turned into predictions."""

    def checked_targets(self, y: Any) -> NDArray[Any]:
        """y (n,), if these are targets of the task."""
        from mddag.features.checks import checked_numbers  # scikit-learn: only rows of fit need it

        return checked_numbers(y)

    def strata(self, targets: NDArray[Any]) -> NDArray[Any]:
        """The groups (n,) of rows that are to have the same share in every part; here one."""
        return np.zeros(len(targets))

    def coded(self, targets: NDArray[Any]) -> NDArray[Any]:
        """Targets as MDPs read them."""
        return np.asarray(targets, np.float64)

    def doubt_targets(self, targets: NDArray[Any], *, given: bool = True) -> None:
        """Warn of policy rows of one class alone; `given` is False for the model's own targets."""

    def loss(self, loss: Loss | None) -> Loss:
        """The loss of scores, by the loss of predictions; for None the default one."""
        return Squared() if loss is None else loss

    def unit(
        self, loss: Loss | None, targets: NDArray[Any], weight: NDArray[np.float64] | None
    ) -> float:
        """What beta is a price in: what the best constant loses, 1 where it loses nothing.

        So beta = 0.01 is one point of R2 per evaluation.
        """
        constant = np.full((len(targets), 1), np.average(targets, weights=weight))
        lost = (Squared() if loss is None else loss)(constant, targets)
        return float(np.average(lost, weights=weight)) or 1.0
