"""Loss functions: what a row loses when the policy quits with its current scores, Eq. (6).

A loss takes the scores and labels of many rows at once, so a new one is a few lines of numpy:
inherit from `Loss` and override `__call__`. Class labels are integers 0 … K-1; with a single score
(K = 1) they are 0 and 1, and the sign of the score is the predicted class. Float labels stand for
regression.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.checks import as_floats, check_between, described

__all__ = [
    "Absolute",
    "Deviance",
    "Exponential",
    "Hinge",
    "Logistic",
    "Loss",
    "Quantile",
    "Squared",
    "ZeroOne",
]

Scores = NDArray[np.float64]
Vector = NDArray[np.float64]
Labels = NDArray[Any]
LossFunction = Callable[[Scores, Labels], Scores]  # (n, K), (n,) -> (n,)
Native = tuple[int, float, NDArray[np.float64]]  # kind in native/mdp/loss.hpp, scale, prices


class Loss(ABC):
    """Base class of losses.

    Subclasses implement ``__call__``; every other member has a default. A plain function of
    (scores, labels) also works wherever a loss is expected.

    Attributes
    ----------
    of_probabilities : bool, default=False
        Whether the loss depends on the probabilities that scores stand for. Such a loss is computed
        from calibrated scores: after m evaluations f is multiplied by a factor a_m.
    scale : float, default=1.0
        Factor that multiplies the scores inside the loss.

    Examples
    --------
    >>> import numpy as np
    >>> from mddag.losses import Loss
    >>> class Absolute(Loss):
    ...     def __call__(self, scores, labels):
    ...         return np.abs(scores[:, 0] - labels)
    >>> Absolute()(np.array([[1.0], [3.0]]), np.array([0.5, 3.0]))
    array([0.5, 0. ])
    """

    of_probabilities: ClassVar[bool] = False
    scale: float = 1.0

    @abstractmethod
    def __call__(self, scores: Scores, labels: Labels) -> NDArray[np.float64]:
        """Compute the loss of each row.

        Parameters
        ----------
        scores : ndarray of shape (n, K)
            Raw scores f.
        labels : ndarray of shape (n,)
            Class numbers, or floats for regression.

        Returns
        -------
        ndarray of shape (n,)
            One loss per row.
        """

    def prices(self, n_classes: int) -> NDArray[np.float64] | None:
        """Return the price of each kind of wrong decision.

        Parameters
        ----------
        n_classes : int
            Number of classes.

        Returns
        -------
        ndarray of shape (n_classes, n_classes) or None
            Price of predicting class l for class k, indexed [k, l]; None unless the loss counts
            wrong decisions.
        """
        return None

    def predictions(self, scores: Scores) -> Scores:
        """Return the numbers that a regressor predicts for these scores.

        Parameters
        ----------
        scores : ndarray of shape (n, K)
            Raw scores f.

        Returns
        -------
        ndarray of shape (n, K)
            Predictions; by default the scores themselves.
        """
        return scores

    def native(self, n_classes: int) -> Native | None:
        """Return the loss in the form that the native kernels take.

        Parameters
        ----------
        n_classes : int
            Number of classes.

        Returns
        -------
        tuple or None
            Kind, scale and prices as in native/mdp/loss.hpp; None if there is no native version.
        """
        return None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Forget the native version in a subclass that changes the loss itself."""
        super().__init_subclass__(**kwargs)
        if "__call__" in vars(cls) and "native" not in vars(cls):
            cls.native = Loss.native  # type: ignore[method-assign]


@dataclass(frozen=True, repr=False)
class PlainLoss(Loss):
    """Wrap a plain function so that it has the other members of a `Loss`."""

    function: LossFunction

    def __call__(self, scores: Scores, labels: Labels) -> NDArray[np.float64]:
        return self.function(scores, labels)

    def __repr__(self) -> str:
        return repr(self.function)


def as_loss(loss: Any) -> Loss:
    """Return the loss as a `Loss`, or raise TypeError if it cannot be called."""
    if isinstance(loss, Loss):
        return loss
    if isinstance(loss, type) or not callable(loss):
        raise TypeError(
            f"loss is {loss!r}; wanted a callable of (scores, labels), such as ZeroOne()"
        )
    return PlainLoss(loss)


def arrays(scores: Any, labels: Any) -> tuple[Scores, Labels]:
    """Return scores (n, K) and labels (n,) as arrays after checking their shapes."""
    numbers, array = as_floats("scores", scores, "numbers (n, K)"), np.asarray(labels)
    if numbers.ndim != 2 or array.shape != numbers.shape[:1]:
        raise ValueError(
            f"scores have shape {numbers.shape} and labels {array.shape}; wanted (n, K) and (n,)"
        )
    return numbers, array


def sign_of(labels: Labels) -> NDArray[np.float64]:
    """Map labels 0 and 1 to -1 and +1."""
    return np.asarray(2.0 * _classes(labels) - 1.0, np.float64)


def margin(scores: Scores, labels: Labels) -> NDArray[np.float64]:
    """Return f_label minus the best other score; for one score, its value signed by the label."""
    if scores.shape[1] == 1:
        return sign_of(labels) * scores[:, 0]
    best_other: Scores = others(scores, labels).max(axis=1)
    return own(scores, labels) - best_other


def own(scores: Scores, labels: Labels) -> Scores:
    """Return the score of the label of each row, (n,)."""
    chosen: Scores = scores[np.arange(len(scores)), _classes(labels)]
    return chosen


def others(scores: Scores, labels: Labels) -> Scores:
    """Return a copy of the scores with the label's own score set to -inf."""
    rest = scores.copy()
    rest[np.arange(len(scores)), _classes(labels)] = -np.inf
    return rest


def _classes(labels: Labels) -> NDArray[np.intp]:
    """Return labels as class numbers; floats would be read as ±1 by some and as 0, 1 by others."""
    if labels.dtype.kind not in "iub":
        raise TypeError(
            f"labels are {labels.dtype}, which stand for regression, but this loss wants class "
            "numbers: pass labels.astype(int), soft targets (n, n_classes), or loss=Squared()"
        )
    classes: NDArray[np.intp] = labels.astype(np.intp, copy=False)
    return classes


@dataclass(frozen=True)
class ZeroOne(Loss):
    """Zero-one loss: 1 for a wrong class or a tie, else 0.

    Parameters
    ----------
    weights : array-like of shape (n_classes,) or (n_classes, n_classes), default=None
        Price of an error by true class, or by true and predicted class with zeros on the diagonal.
        None prices every error at 1.

    Notes
    -----
    The paper prints "margin < 0". Here a tie is an error too; otherwise quitting at f = 0 would
    cost nothing and be optimal for every beta (docs/deviations.md, row 1).

    Examples
    --------
    >>> import numpy as np
    >>> from mddag.losses import ZeroOne
    >>> scores, labels = np.array([[0.5], [-0.5]]), np.array([0, 0])
    >>> ZeroOne()(scores, labels)
    array([1., 0.])
    >>> ZeroOne(weights=[10.0, 1.0])(scores, labels)
    array([10.,  0.])
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
        return 0, 1.0, np.ascontiguousarray(self.prices(n_classes)).ravel()


def _as_tuples(nested: Any) -> Any:
    """Convert lists to tuples, so that a loss compares and prints as its constructor call."""
    return tuple(map(_as_tuples, nested)) if isinstance(nested, list) else nested


@dataclass(frozen=True)
class _Scaled(Loss):
    """Base class of losses of scale * f."""

    scale: float = 1.0

    def __post_init__(self) -> None:
        # 0 would make the loss constant, and a negative factor would reward errors
        if not isinstance(self.scale, Real) or not 0 < self.scale < np.inf:
            raise ValueError(
                f"scale is {described(self.scale)}; wanted a finite factor of the scores above 0"
            )


@dataclass(frozen=True)
class Exponential(_Scaled):
    """AdaBoost's exponential loss, exp(scale * (sum_{k != label} f_k - f_label)).

    With one score, where f_2 = -f_1, this is exp(-2 scale y f).

    Parameters
    ----------
    scale : float, default=1.0
        Positive factor of the scores. Dividing scores by the sum of the alphas changes this loss,
        so the scale is a parameter (docs/deviations.md, rows 4 and 5).

    Examples
    --------
    >>> import numpy as np
    >>> from mddag.losses import Exponential
    >>> Exponential(scale=0.5)(np.array([[0.0], [1.0]]), np.array([1, 1])).round(3)
    array([1.   , 0.368])
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
        return 1, self.scale, np.empty(0)


@dataclass(frozen=True)
class Logistic(_Scaled):
    """Logistic loss: the negative log-likelihood of the label, with scores as log-odds.

    This is ln(1 + exp(-y f)) for one score and ln(sum_k exp f_k) - f_label for K > 1.

    Parameters
    ----------
    scale : float, default=1.0
        Positive factor of the scores: scale * f are the log-odds.

    Examples
    --------
    >>> import numpy as np
    >>> from mddag.losses import Logistic
    >>> Logistic()(np.array([[0.0], [2.0]]), np.array([1, 1])).round(3)
    array([0.693, 0.127])
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
        return 2, self.scale, np.empty(0)


@dataclass(frozen=True)
class Hinge(_Scaled):
    """Hinge loss, max(0, 1 - scale * margin).

    The margin is f_label minus the best other score.

    Parameters
    ----------
    scale : float, default=1.0
        Positive factor of the margin.

    Examples
    --------
    >>> import numpy as np
    >>> from mddag.losses import Hinge
    >>> Hinge()(np.array([[0.25], [2.0]]), np.array([1, 1]))
    array([0.75, 0.  ])
    """

    def __call__(self, scores: Scores, labels: Labels) -> NDArray[np.float64]:
        scores, labels = arrays(scores, labels)
        return np.maximum(0.0, 1.0 - self.scale * margin(scores, labels))

    def native(self, n_classes: int) -> Native:
        return 3, self.scale, np.empty(0)


class RegressionLoss(Loss):
    """Base class of losses of one predicted number; subclasses implement the methods below.

    Labels are floats, and predictions the scores themselves; `OfMeans` is the same for a log link.
    """

    @abstractmethod
    def of(self, predicted: Vector, y: Vector) -> Vector:
        """Compute the loss of each prediction.

        Parameters
        ----------
        predicted : ndarray of shape (n,)
            Predictions.
        y : ndarray of shape (n,)
            Targets.

        Returns
        -------
        ndarray of shape (n,)
            One loss per row.
        """

    @abstractmethod
    def constant(self, y: Vector, weight: Vector | None = None) -> float:
        """Return the constant prediction with the smallest mean loss.

        Parameters
        ----------
        y : ndarray of shape (n,)
            Targets.
        weight : ndarray of shape (n,), default=None
            Weights of the rows.

        Returns
        -------
        float
            Mean or quantile of the targets.
        """

    def of_constant(self, y: Vector, weight: Vector | None = None) -> float:
        """Return the mean loss of the best constant.

        Parameters
        ----------
        y : ndarray of shape (n,)
            Targets.
        weight : ndarray of shape (n,), default=None
            Weights of the rows.

        Returns
        -------
        float
            Mean loss, or 1.0 where that is 0.
        """
        best = np.full(len(y), self.constant(y, weight))
        return float(np.average(self.of(best, y), weights=weight)) or 1.0

    @abstractmethod
    def shift(self, predicted: Vector, y: Vector, weight: Vector | None = None) -> float:
        """Return what to add to all predictions to make their mean loss smallest.

        Parameters
        ----------
        predicted : ndarray of shape (n,)
            Predictions.
        y : ndarray of shape (n,)
            Targets.
        weight : ndarray of shape (n,), default=None
            Weights of the rows.

        Returns
        -------
        float
            The summand.
        """

    @abstractmethod
    def factor(self, predicted: Vector, y: Vector, weight: Vector | None = None) -> float:
        """Return what to multiply positive predictions by to make their mean loss smallest.

        Parameters
        ----------
        predicted : ndarray of shape (n,)
            Predictions.
        y : ndarray of shape (n,)
            Targets.
        weight : ndarray of shape (n,), default=None
            Weights of the rows.

        Returns
        -------
        float
            The factor, 0 or more. Its logarithm is the shift of scores with a log link.
        """

    def checked(self, y: Any) -> Vector:
        """Return targets after checking that the loss can take them.

        Parameters
        ----------
        y : array-like of shape (n,)
            Targets.

        Returns
        -------
        ndarray of shape (n,)
            Targets as float64; ValueError otherwise.
        """
        targets = as_floats("y", y, "one finite number per row")
        if targets.ndim != 1 or not np.isfinite(targets).all():
            raise ValueError(f"y is {described(targets)}; wanted one finite number per row, (n,)")
        return targets

    def __call__(self, scores: Scores, labels: Labels) -> NDArray[np.float64]:
        scores, labels = arrays(scores, labels)
        if scores.shape[1] != 1:
            raise ValueError(f"real labels want one score, but scores have {scores.shape[1]}")
        return self.of(scores[:, 0], labels.astype(np.float64, copy=False))


@dataclass(frozen=True)
class Quantile(RegressionLoss):
    """Pinball loss, which the `alpha`-quantile minimizes.

    It is alpha (y - f) where the target is above the score and (1 - alpha) (f - y) below.

    Parameters
    ----------
    alpha : float, default=0.5
        Quantile, above 0 and below 1.

    Examples
    --------
    >>> import numpy as np
    >>> from mddag.losses import Quantile
    >>> Quantile(0.75)(np.array([[1.0], [1.0]]), np.array([3.0, -1.0]))
    array([1.5, 0.5])
    """

    alpha: float = 0.5

    def __post_init__(self) -> None:
        least = np.finfo(np.float64).eps
        wanted = "a quantile above 0 and below 1, such as 0.9"
        check_between("alpha", self.alpha, least, 1 - least, wanted)

    def of(self, predicted: Vector, y: Vector) -> Vector:
        apart = y - predicted
        return np.maximum(self.alpha * apart, (self.alpha - 1) * apart)

    def constant(self, y: Vector, weight: Vector | None = None) -> float:
        return weighted_quantile(y, self.alpha, weight)

    def shift(self, predicted: Vector, y: Vector, weight: Vector | None = None) -> float:
        return weighted_quantile(y - predicted, self.alpha, weight)

    def factor(self, predicted: Vector, y: Vector, weight: Vector | None = None) -> float:
        # the loss of c m is m times that of c for the target y / m
        mass = predicted if weight is None else weight * predicted
        return weighted_quantile(y / predicted, self.alpha, mass)


@dataclass(frozen=True)
class Absolute(Quantile):
    """Absolute error abs(f - y), which the median minimizes.

    Examples
    --------
    >>> import numpy as np
    >>> from mddag.losses import Absolute
    >>> Absolute()(np.array([[0.5], [2.0]]), np.array([1.0, 4.0]))
    array([0.5, 2. ])
    """

    alpha: float = field(default=0.5, init=False, repr=False)

    def of(self, predicted: Vector, y: Vector) -> Vector:
        return np.abs(predicted - y)


@dataclass(frozen=True)
class Deviance(RegressionLoss):
    """Tweedie deviance: of power 1 Poisson, of power 2 gamma, of power 0 squared error.

    It is infinite where the prediction is not positive. Models with a log link predict exp(f).

    Parameters
    ----------
    power : float, default=1.0
        Variance is proportional to the mean to this power: 0, or at least 1. Targets are not
        negative for a power from 1 and positive for a power from 2.

    Examples
    --------
    >>> import numpy as np
    >>> from mddag.losses import Deviance
    >>> Deviance(2)(np.array([[1.0], [2.0]]), np.array([1.0, 4.0])).round(4)
    array([0.    , 0.6137])
    """

    power: float = 1.0

    def __post_init__(self) -> None:
        wanted = "0, or a number from 1: 1 for Poisson, 2 for gamma"
        check_between("power", self.power, 0, 100, wanted)
        if 0 < self.power < 1:
            raise ValueError(f"power is {self.power!r}; wanted {wanted}")

    def checked(self, y: Any) -> Vector:
        targets = super().checked(y)
        least = float(targets.min(initial=np.inf))
        if (self.power >= 1 and least < 0) or (self.power >= 2 and least == 0):
            wanted = "positive targets" if self.power >= 2 else "targets of 0 or more"
            raise ValueError(
                f"y[{int(targets.argmin())}] is {least:g}, but a deviance of power {self.power:g} "
                f"wants {wanted}; choose another metric or loss, such as the squared error"
            )
        return targets

    def of(self, predicted: Vector, y: Vector) -> Vector:
        p, m = self.power, predicted
        if p == 0:
            return np.square(m - y)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if p == 1:
                loss = np.where(y > 0, y * np.log(y / m), 0.0) - y + m
            elif p == 2:
                loss = np.log(m / y) + y / m - 1
            else:
                loss = y ** (2 - p) / ((1 - p) * (2 - p)) + m ** (2 - p) / (2 - p)
                loss -= np.where(y > 0, y * m ** (1 - p) / (1 - p), 0.0)
        possible = (m > 0) | ((m == 0) & (y == 0) & (p < 2))
        return np.where(possible, np.maximum(2 * loss, 0.0), np.inf)

    def constant(self, y: Vector, weight: Vector | None = None) -> float:
        return float(np.average(y, weights=weight))

    def shift(self, predicted: Vector, y: Vector, weight: Vector | None = None) -> float:
        if self.power == 0:
            return float(np.average(y - predicted, weights=weight))
        w = np.ones(len(y)) if weight is None else weight
        apart = y - predicted
        # predictions stay positive; from `high` on no prediction is below its target
        low = max(apart.min(), (1e-9 - 1) * predicted.min())
        high = max(apart.max(), low)
        for _ in range(60):  # the slope of the loss changes its sign between them
            middle = (low + high) / 2
            moved = predicted + middle
            if (w * (moved - y) * moved**-self.power).sum() < 0:
                low = middle
            else:
                high = middle
        return float(high)

    def factor(self, predicted: Vector, y: Vector, weight: Vector | None = None) -> float:
        w = np.ones(len(y)) if weight is None else weight
        pull = w * predicted ** (1 - self.power)
        return float((pull * y).sum() / (pull * predicted).sum())


@dataclass(frozen=True)
class Squared(Deviance):
    """Squared error (f - y)^2; with class labels (1 - y f)^2, summed over the K scores.

    Examples
    --------
    >>> import numpy as np
    >>> from mddag.losses import Squared
    >>> Squared()(np.array([[0.5], [2.0]]), np.array([1.0, 4.0]))
    array([0.25, 4.  ])
    """

    power: float = field(default=0.0, init=False, repr=False)

    def __call__(self, scores: Scores, labels: Labels) -> NDArray[np.float64]:
        scores, labels = arrays(scores, labels)
        if labels.dtype.kind == "f":
            return super().__call__(scores, labels)
        if scores.shape[1] == 1:
            return np.square(scores[:, 0] - sign_of(labels))
        signs = np.full(scores.shape, -1.0)
        signs[np.arange(len(scores)), labels] = 1.0
        total: Scores = np.square(scores - signs).sum(axis=1)
        return total

    def native(self, n_classes: int) -> Native:
        return 4, 1.0, np.empty(0)


def weighted_quantile(values: Vector, q: float, weight: Vector | None = None) -> float:
    """Return the smallest value that at least the share q of the weight does not exceed."""
    if weight is None:
        place = max(int(np.ceil(q * len(values) * (1 - 1e-12))) - 1, 0)
        return float(np.partition(values, place)[place])
    order = np.argsort(values)
    held = np.cumsum(weight[order])
    place = int(np.searchsorted(held, q * held[-1] * (1 - 1e-12)))
    return float(values[order[place]])


@dataclass(frozen=True)
class OfMeans(Loss):
    """Apply a loss to exp(f), what Poisson, Gamma and Tweedie regressors predict."""

    loss: LossFunction

    def __call__(self, scores: Scores, labels: Labels) -> NDArray[np.float64]:
        return self.loss(self.predictions(scores), labels)

    def predictions(self, scores: Scores) -> Scores:
        with np.errstate(over="ignore"):  # the MDP names the row whose loss is not finite
            return np.exp(scores)
