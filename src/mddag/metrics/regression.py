"""Metrics of regressors, computed from targets and predictions.

Every metric is the mean of one loss per row: absolute error, pinball loss, deviance, squared error.
``D2`` of a metric is the share of the best constant's loss that predictions explain, so it has no
unit; ``R2`` is that of the squared error. Policies learn by the ``loss`` of a metric.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.arrays import checked_weight
from mddag._utils.checks import as_floats, check_is, described
from mddag.losses import Absolute, Deviance, Quantile, RegressionLoss, Squared

Vector = NDArray[np.float64]


class RegressionMetric(ABC):
    """Base class of metrics of targets (n,) and predictions (n,).

    Attributes
    ----------
    name : str
        Name in reports.
    larger_is_better : bool
        Whether larger values are better; then the value is 1 minus a mean loss.

    Examples
    --------
    >>> from mddag.metrics import MeanAbsoluteError, R2
    >>> [type(metric.loss).__name__ for metric in (R2(), MeanAbsoluteError())]
    ['Squared', 'Absolute']
    """

    larger_is_better: ClassVar[bool] = False

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in reports."""

    @property
    @abstractmethod
    def loss(self) -> RegressionLoss:
        """Loss of a row, by which policies are learned."""

    def __call__(self, y: ArrayLike, predicted: ArrayLike, sample_weight: Any = None) -> float:
        """Compute the metric.

        Parameters
        ----------
        y : array-like of shape (n,)
            Targets.
        predicted : array-like of shape (n,)
            Predictions.
        sample_weight : array-like of shape (n,), default=None
            Weights of the rows; None for equal weights.

        Returns
        -------
        float
            The value.
        """
        targets = self.loss.checked(y)
        predictions = as_floats("predicted", predicted, "one number per row")
        if predictions.shape != targets.shape or len(targets) == 0:
            raise ValueError(
                f"predicted is {described(predictions)} and y {described(targets)}; wanted one "
                "number per row in both, (n,)"
            )
        weight = None if sample_weight is None else checked_weight(sample_weight, len(targets))
        return self._value(targets, predictions, weight)

    def _value(self, y: Vector, predicted: Vector, weight: Vector | None) -> float:
        return float(np.average(self.loss.of(predicted, y), weights=weight))

    def unit(self, y: Vector, sample_weight: Vector | None = None) -> float:
        """Return the mean loss of rows that one unit of ``max_loss`` stands for.

        Parameters
        ----------
        y : ndarray of shape (n,)
            Targets.
        sample_weight : ndarray of shape (n,), default=None
            Weights of the rows.

        Returns
        -------
        float
            1.0 for mean losses; the mean loss of the best constant for `R2` and `D2`, or 1.0 where
            that is 0.
        """
        return 1.0


@dataclass(frozen=True)
class MeanSquaredError(RegressionMetric):
    """Mean of the squared errors.

    Examples
    --------
    >>> from mddag.metrics import MeanSquaredError
    >>> MeanSquaredError()([1.0, 2.0], [1.0, 4.0])
    2.0
    """

    name: ClassVar[str] = "mean squared error"
    loss: ClassVar[RegressionLoss] = Squared()


@dataclass(frozen=True)
class MeanAbsoluteError(RegressionMetric):
    """Mean of the absolute errors, for models of the median.

    Examples
    --------
    >>> from mddag.metrics import MeanAbsoluteError
    >>> MeanAbsoluteError()([1.0, 2.0], [1.0, 4.0])
    1.0
    """

    name: ClassVar[str] = "mean absolute error"
    loss: ClassVar[RegressionLoss] = Absolute()


@dataclass(frozen=True)
class Pinball(RegressionMetric):
    """Mean pinball loss, for models of a quantile.

    Parameters
    ----------
    alpha : float, default=0.5
        Quantile, above 0 and below 1.

    Examples
    --------
    >>> from mddag.metrics import Pinball
    >>> Pinball(0.75)([3.0, -1.0], [1.0, 1.0])
    1.0
    """

    alpha: float = 0.5

    def __post_init__(self) -> None:
        Quantile(self.alpha)  # checks it

    @property
    def name(self) -> str:
        return f"pinball loss ({self.alpha:g})"

    @property
    def loss(self) -> RegressionLoss:
        return Quantile(self.alpha)


@dataclass(frozen=True)
class PoissonDeviance(RegressionMetric):
    """Mean Poisson deviance, for models of counts; targets are 0 or more.

    Examples
    --------
    >>> from mddag.metrics import PoissonDeviance
    >>> round(PoissonDeviance()([0, 2], [0.5, 1.5]), 4)
    0.5754
    """

    name: ClassVar[str] = "Poisson deviance"
    loss: ClassVar[RegressionLoss] = Deviance(1.0)


@dataclass(frozen=True)
class GammaDeviance(RegressionMetric):
    """Mean gamma deviance, for models of positive amounts.

    Examples
    --------
    >>> from mddag.metrics import GammaDeviance
    >>> round(GammaDeviance()([1.0, 4.0], [1.0, 2.0]), 4)
    0.3069
    """

    name: ClassVar[str] = "gamma deviance"
    loss: ClassVar[RegressionLoss] = Deviance(2.0)


@dataclass(frozen=True)
class TweedieDeviance(RegressionMetric):
    """Mean Tweedie deviance, for models of amounts that are often 0.

    Parameters
    ----------
    power : float, default=1.5
        Variance is proportional to the mean to this power: 0, or at least 1.

    Examples
    --------
    >>> from mddag.metrics import TweedieDeviance
    >>> round(TweedieDeviance(1.5)([0.0, 4.0], [1.0, 2.0]), 4)
    2.4853
    """

    power: float = 1.5

    def __post_init__(self) -> None:
        Deviance(self.power)  # checks it

    @property
    def name(self) -> str:
        return f"Tweedie deviance ({self.power:g})"

    @property
    def loss(self) -> RegressionLoss:
        return Deviance(self.power)


@dataclass(frozen=True)
class D2(RegressionMetric):
    """Share of the best constant's mean loss that predictions explain.

    It is 1 for perfect predictions and 0 for those of the best constant. Where all targets are
    equal it is 1 or 0, as in scikit-learn.

    Parameters
    ----------
    metric : RegressionMetric
        Metric whose loss is compared.

    Examples
    --------
    >>> from mddag.metrics import D2, MeanAbsoluteError
    >>> D2(MeanAbsoluteError())([1.0, 2.0, 4.0], [1.0, 2.0, 3.0])
    0.666...
    """

    metric: RegressionMetric

    larger_is_better = True

    def __post_init__(self) -> None:
        wanted = "a metric of regressors with a unit, such as MeanAbsoluteError()"
        check_is("metric", self.metric, RegressionMetric, wanted)
        if isinstance(self.metric, D2):
            raise ValueError(f"metric is {self.metric!r}, a share already; wanted {wanted}")

    @property
    def name(self) -> str:
        return f"D2 of the {self.metric.name}"

    @property
    def loss(self) -> RegressionLoss:
        return self.metric.loss

    def unit(self, y: Vector, sample_weight: Vector | None = None) -> float:
        return self.loss.of_constant(y, sample_weight)

    def _value(self, y: Vector, predicted: Vector, weight: Vector | None) -> float:
        lost = super()._value(y, predicted, weight)
        if np.ptp(y) == 0:
            return float(lost == 0)
        return 1 - lost / self.unit(y, weight)


@dataclass(frozen=True)
class R2(D2):
    """Share of the variance that predictions explain.

    Examples
    --------
    >>> from mddag.metrics import R2
    >>> round(R2()([1.0, 2.0, 3.0], [1.0, 2.0, 4.0]), 3)
    0.5
    """

    metric: RegressionMetric = field(default=MeanSquaredError(), init=False, repr=False)

    @property
    def name(self) -> str:
        return "R2"
