"""Losses: what QUIT pays for each row, L(f, (x, label)) of Eq. (6).

| loss | use it when |
|---|---|
| ZeroOne | the label is what counts (MDDAG.I); prices of errors by class where they differ |
| Exponential | AdaBoost's own loss (MDDAG.EXP): goes on where the margin can still grow |
| Logistic | probabilities count, and scores are log-odds (LightGBM, XGBoost, …) |
| Hinge | margins count, but only up to 1 |
| Squared | regression |

Any callable of (scores, labels) is a loss; `as_loss` adds the other members of `Loss`, with their
defaults. A class inherits `Loss` and overrides what is different. Losses are called with many rows
at once, so a new one needs no C++.

Class labels are integers 0 … K-1; a single score (K = 1) has labels 0 and 1, its sign is the
class, and a tie is an error. Real labels (regression) are floats, which class losses refuse.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.checks import as_floats, described

__all__ = ["Exponential", "Hinge", "Logistic", "Loss", "Squared", "ZeroOne"]

Scores = NDArray[np.float64]
Labels = NDArray[Any]
LossFunction = Callable[[Scores, Labels], Scores]  # (n, K), (n,) -> (n,)
Native = tuple[int, float, NDArray[np.float64]]  # kind in native/mdp/loss.hpp, scale, prices


class Loss(ABC):
    """A loss with all that solvers use; every member but `__call__` has a default.

    of_probabilities : whether it is a loss of the probabilities that scores stand for. A score is
                       then judged as a calibration by exit will read it: after m evaluations, as a
                       factor a_m times f
    scale            : the factor of scores inside the loss; for a loss of probabilities, scale x f
                       are log-odds
    """

    of_probabilities: ClassVar[bool] = False
    scale: float = 1.0

    @abstractmethod
    def __call__(self, scores: Scores, labels: Labels) -> NDArray[np.float64]:
        """The loss of each row; scores (n, K), labels (n,) -> (n,)."""

    def prices(self, n_classes: int) -> NDArray[np.float64] | None:
        """Of a loss that counts wrong decisions, the price of taking class l for class k,
        (n_classes, n_classes) indexed [k, l]; None for any other loss."""
        return None

    def predictions(self, scores: Scores) -> Scores:
        """The numbers (n, K) that a regressor predicts by these scores: the scores themselves."""
        return scores

    def native(self, n_classes: int) -> Native | None:
        """The loss as the kernels take it; None where native/mdp/loss.hpp has no twin."""
        return None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """A subclass that changes the loss alone has no twin: the inherited one is another loss."""
        super().__init_subclass__(**kwargs)
        if "__call__" in vars(cls) and "native" not in vars(cls):
            cls.native = Loss.native  # type: ignore[method-assign]


@dataclass(frozen=True, repr=False)
class PlainLoss(Loss):
    """A callable that is no `Loss`, with the other members of one."""

    function: LossFunction

    def __call__(self, scores: Scores, labels: Labels) -> NDArray[np.float64]:
        return self.function(scores, labels)

    def __repr__(self) -> str:
        return repr(self.function)


def as_loss(loss: Any) -> Loss:
    """The loss, if it can be called."""
    if isinstance(loss, Loss):
        return loss
    if isinstance(loss, type) or not callable(loss):
        raise TypeError(
            f"loss is {loss!r}; wanted a callable of (scores, labels), such as ZeroOne()"
        )
    return PlainLoss(loss)


def arrays(scores: Any, labels: Any) -> tuple[Scores, Labels]:
    """Scores (n, K) and labels (n,) as arrays, if they are of these shapes."""
    numbers, array = as_floats("scores", scores, "numbers (n, K)"), np.asarray(labels)
    if numbers.ndim != 2 or array.shape != numbers.shape[:1]:
        raise ValueError(
            f"scores have shape {numbers.shape} and labels {array.shape}; wanted (n, K) and (n,)"
        )
    return numbers, array


def sign_of(labels: Labels) -> NDArray[np.float64]:
    """Labels 0 and 1 as -1 and +1."""
    return np.asarray(2.0 * _classes(labels) - 1.0, np.float64)


def margin(scores: Scores, labels: Labels) -> NDArray[np.float64]:
    """f_label minus the best other score; for one score, its value on the label's side."""
    if scores.shape[1] == 1:
        return sign_of(labels) * scores[:, 0]
    best_other: Scores = others(scores, labels).max(axis=1)
    return own(scores, labels) - best_other


def own(scores: Scores, labels: Labels) -> Scores:
    """f_label of each row, (n,)."""
    chosen: Scores = scores[np.arange(len(scores)), _classes(labels)]
    return chosen


def others(scores: Scores, labels: Labels) -> Scores:
    """The scores with the label's own set to -inf."""
    rest = scores.copy()
    rest[np.arange(len(scores)), _classes(labels)] = -np.inf
    return rest


def _classes(labels: Labels) -> NDArray[np.intp]:
    """Labels as class numbers; floats would be read as +-1 by some and as 0, 1 by others."""
    if labels.dtype.kind not in "iub":
        raise TypeError(
            f"labels are {labels.dtype}, which stand for regression, but this loss wants class "
            "numbers: pass labels.astype(int), soft targets (n, n_classes), or loss=Squared()"
        )
    classes: NDArray[np.intp] = labels.astype(np.intp, copy=False)
    return classes


@dataclass(frozen=True)
class ZeroOne(Loss):
    """1 for a wrong class or a tie (margin <= 0), else 0.

    The paper prints "< 0"; a tie must be an error, or quitting at f = 0 would be free of loss and
    optimal for every beta (docs/deviations.md, row 1).

    weights : None, the price of an error per true class (n_classes,), or a matrix of prices
              (n_classes, n_classes) indexed by true and predicted class, 0 on its diagonal
    """

    weights: ArrayLike | None = None

    def __post_init__(self) -> None:
        if self.weights is None:
            return
        price = as_floats("ZeroOne weights", self.weights, "a price per class")
        if price.ndim not in (1, 2) or price.shape[0] != price.shape[-1]:
            raise ValueError(
                f"ZeroOne weights have shape {price.shape}; wanted (n_classes,) or "
                "(n_classes, n_classes)"
            )
        if not (np.isfinite(price).all() and (price >= 0).all()):
            raise ValueError(f"ZeroOne weights are {self.weights}; wanted finite prices, 0 or more")
        if not price.any():
            raise ValueError("ZeroOne weights are all 0; wanted a price above 0 for some error")
        if price.ndim == 2 and np.diag(price).any():
            raise ValueError(
                f"ZeroOne weights have the diagonal {np.diag(price).tolist()}; a right decision "
                "is free: set it to 0"
            )
        object.__setattr__(self, "weights", _as_tuples(price.tolist()))

    def __call__(self, scores: Scores, labels: Labels) -> NDArray[np.float64]:
        scores, labels = arrays(scores, labels)
        wrong = ~(margin(scores, labels) > 0)  # NaN is wrong, too
        if self.weights is None:
            return wrong.astype(np.float64)
        price = self.prices(max(scores.shape[1], 2))
        other = 1 - labels if scores.shape[1] == 1 else others(scores, labels).argmax(axis=1)
        return np.where(wrong, price[labels, other], 0.0)

    def prices(self, n_classes: int) -> NDArray[np.float64]:
        """The price of taking class l for class k, (n_classes, n_classes) indexed [k, l]."""
        wrong = 1.0 - np.eye(n_classes)
        if self.weights is None:
            return wrong
        price: NDArray[np.float64] = np.asarray(self.weights, np.float64)
        if len(price) != n_classes:
            raise ValueError(
                f"ZeroOne weights have shape {price.shape}; wanted ({n_classes},) or "
                f"({n_classes}, {n_classes}) for {n_classes} classes"
            )
        return (price[:, None] if price.ndim == 1 else price) * wrong

    def native(self, n_classes: int) -> Native:
        """The loss as the kernels take it."""
        return 0, 1.0, np.ascontiguousarray(self.prices(n_classes)).ravel()


def _as_tuples(nested: Any) -> Any:
    """Lists as tuples, so that a loss compares, hashes and prints as its constructor call."""
    return tuple(map(_as_tuples, nested)) if isinstance(nested, list) else nested


@dataclass(frozen=True)
class _Scaled(Loss):
    """A loss of scale * f."""

    scale: float = 1.0

    def __post_init__(self) -> None:
        # 0 would make the loss constant, and a negative factor would reward errors
        if not isinstance(self.scale, Real) or not 0 < self.scale < np.inf:
            raise ValueError(
                f"scale is {described(self.scale)}; wanted a finite factor of the scores above 0"
            )


@dataclass(frozen=True)
class Exponential(_Scaled):
    """AdaBoost's loss, exp(scale * (sum_{k != label} f_k - f_label)).

    With one score, where f_2 = -f_1, this is exp(-2 scale y f). Dividing scores by the sum of the
    alphas is not neutral here, so the scale is a parameter (docs/deviations.md, rows 4 and 5).
    """

    def __call__(self, scores: Scores, labels: Labels) -> NDArray[np.float64]:
        scores, labels = arrays(scores, labels)
        if scores.shape[1] == 1:
            exponent: Scores = -2.0 * sign_of(labels) * scores[:, 0]
        else:
            exponent = scores.sum(axis=1) - 2.0 * own(scores, labels)
        with np.errstate(over="ignore"):  # the MDP names the row whose loss is not finite
            return np.exp(self.scale * exponent)

    def native(self, n_classes: int) -> Native:
        """The loss as the kernels take it."""
        return 1, self.scale, np.empty(0)


@dataclass(frozen=True)
class Logistic(_Scaled):
    """Minus the log-likelihood of the label, scores read as log-odds (softmax for K > 1).

    ln(1 + exp(-y f)); for K > 1, ln(sum_k exp f_k) - f_label; `scale` multiplies the scores.
    """

    of_probabilities: ClassVar[bool] = True

    def __call__(self, scores: Scores, labels: Labels) -> NDArray[np.float64]:
        scores, labels = arrays(scores, labels)
        if scores.shape[1] == 1:
            return np.logaddexp(0.0, -self.scale * sign_of(labels) * scores[:, 0])
        scaled = self.scale * scores
        total: Scores = np.logaddexp.reduce(scaled, axis=1)
        return total - own(scaled, labels)

    def native(self, n_classes: int) -> Native:
        """The loss as the kernels take it."""
        return 2, self.scale, np.empty(0)


@dataclass(frozen=True)
class Hinge(_Scaled):
    """max(0, 1 - scale * margin), the margin being f_label minus the best other score."""

    def __call__(self, scores: Scores, labels: Labels) -> NDArray[np.float64]:
        scores, labels = arrays(scores, labels)
        return np.maximum(0.0, 1.0 - self.scale * margin(scores, labels))

    def native(self, n_classes: int) -> Native:
        """The loss as the kernels take it."""
        return 3, self.scale, np.empty(0)


@dataclass(frozen=True)
class Squared(Loss):
    """(f - y)^2; with class labels (1 - y f)^2, summed over the K scores."""

    def __call__(self, scores: Scores, labels: Labels) -> NDArray[np.float64]:
        scores, labels = arrays(scores, labels)
        if labels.dtype.kind == "f":
            if scores.shape[1] != 1:
                raise ValueError(f"real labels want one score, but scores have {scores.shape[1]}")
            return np.square(scores[:, 0] - labels.astype(np.float64, copy=False))
        if scores.shape[1] == 1:
            return np.square(scores[:, 0] - sign_of(labels))
        signs = np.full(scores.shape, -1.0)
        signs[np.arange(len(scores)), labels] = 1.0
        total: Scores = np.square(scores - signs).sum(axis=1)
        return total

    def native(self, n_classes: int) -> Native:
        """The loss as the kernels take it."""
        return 4, 1.0, np.empty(0)


@dataclass(frozen=True)
class OfMeans(Loss):
    """`loss` of exp(f): Poisson, Gamma and Tweedie regressors sum logarithms of what they predict.

    Estimators put it around the loss of an ensemble whose link is "exp".
    """

    loss: LossFunction

    def __call__(self, scores: Scores, labels: Labels) -> NDArray[np.float64]:
        return self.loss(self.predictions(scores), labels)

    def predictions(self, scores: Scores) -> Scores:
        """exp(f)."""
        with np.errstate(over="ignore"):  # the MDP names the row whose loss is not finite
            return np.exp(scores)
