"""The contract of a loss: what QUIT pays, L(f, (x, label)) of Eq. (6).

Any callable of (scores, labels) is a loss; `as_loss` adds the other members of `Loss`, with their
defaults. A class inherits `Loss` and overrides what is different. Losses are called with many rows
at once, so a new one needs no C++.

Class labels are integers 0 … K-1; a single score (K = 1) has labels 0 and 1, its sign is the
class, and a tie is an error. Real labels (regression) are floats, which class losses refuse.
The functions below are what class losses share.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import as_floats, described

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


def checked_scale(scale: float) -> None:
    """Refuse a scale that would turn the loss round or make it constant."""
    if not isinstance(scale, Real) or not 0 < scale < np.inf:
        raise ValueError(
            f"scale is {described(scale)}; wanted a finite factor of the scores above 0"
        )


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
