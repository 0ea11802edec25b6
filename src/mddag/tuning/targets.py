"""Targets: a price, a budget, or a bound on what is lost, each of which chooses from a front.

`target_of` makes the target of a call from its four keyword arguments. A target then says which
rows it needs (`shares`, `require`) and chooses (`choose`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mddag._utils.arrays import are_equal
from mddag._utils.checks import check_between
from mddag._utils.warnings import doubt, doubt_few_rows
from mddag.adapters import metric_of_objective
from mddag.ensemble.tasks import Task
from mddag.metrics.classification import Accuracy, ClassMetric, RocAuc
from mddag.metrics.named import Metric
from mddag.metrics.ranking import RankingMetric
from mddag.metrics.regression import R2, RegressionMetric
from mddag.policy.mdp import checked_beta
from mddag.serving.result import MeasuredBound
from mddag.tuning.guarantee import NUISANCE, BoundedLoss, n_leading_proofs, price_of_difference
from mddag.tuning.problem import Shares

if TYPE_CHECKING:  # a front of policies measures them by the losses of a target
    from mddag.tuning.front import C, Candidate, Front

CONFIDENCE = 0.9
TINY = float(np.finfo(np.float64).eps)
FEW_RANKED = 20  # rows of a class: with less, the test of ROC AUC passes too often
LEARN_AND_CHOOSE: Shares = (0.6, 0.4, 0.0)
WITH_CERTIFYING: Shares = (0.4, 0.1, 0.5)


@dataclass(frozen=True)
class Target(ABC):
    """What a user asks for: one number, and the losses that it is about."""

    value: float
    confidence: float | None = None  # of a bound on unseen data; None without a guarantee
    losses: tuple[BoundedLoss, ...] = ()  # that candidates are compared by; see `measured`

    name: ClassVar[str]  # the keyword argument
    follows_model: ClassVar[bool] = False  # whether policies agree with it, not with labels

    def __post_init__(self) -> None:
        check_above(self.name, self.value, math.inf)
        object.__setattr__(self, "value", float(self.value))

    def __str__(self) -> str:
        return f"{self.name}={self.value:g}"

    @property
    def certifies(self) -> bool:
        """Whether rows are needed that only test a guarantee."""
        return self.confidence is not None

    @property
    def shares(self) -> Shares:
        """Shares of the rows that learn, choose and certify."""
        return WITH_CERTIFYING if self.certifies else LEARN_AND_CHOOSE

    @abstractmethod
    def choose(self, front: Front[C]) -> C:
        """Choose a candidate."""

    def measured(
        self,
        task: Task,
        *metrics: ClassMetric | RegressionMetric,
        threshold: float | None = None,
    ) -> Self:
        """Return the target with the losses that it is about."""
        if not metrics:
            metrics = (Accuracy() if task.predicts_classes else R2(),)
        return replace(self, losses=tuple(self._loss(task, m, threshold) for m in metrics))

    def protecting(
        self,
        task: Task,
        metric: Metric | None,
        threshold: float | None,
        n_classes: int,
        model: Any,
    ) -> Self:
        """Return the target with the losses of what a user wants to protect, after checks."""
        classifies = task.predicts_classes
        if metric is not None and not isinstance(
            metric, ClassMetric if classifies else RegressionMetric
        ):
            raise ValueError(
                f"metric is {metric!r}, which is not for a {task.kind}, of which "
                f"{task.quality_name} is the metric; leave it out"
            )
        if threshold is not None:
            wanted = "a probability above 0 and below 1"
            check_between("threshold", threshold, TINY, 1 - TINY, wanted)
            if not classifies or n_classes > 2 or not isinstance(metric, Accuracy | None):
                of = f" of {n_classes} classes" if classifies else ""
                raise ValueError(
                    f"threshold is {threshold:g}, but the model is a {task.kind}{of} and metric is "
                    f"{metric!r}; a threshold is for the accuracy of binary classifiers"
                )
        metrics: tuple[ClassMetric | RegressionMetric, ...] = (Accuracy(),)
        if isinstance(metric, ClassMetric | RegressionMetric):
            metrics = (metric,)
        elif not classifies:
            metrics = (metric_of_objective(model),)
        elif isinstance(self, MaxLoss):
            metrics = (Accuracy(), RocAuc())
        return self.measured(task, *metrics, threshold=threshold)

    def ranking(self, *parts: NDArray[Any]) -> Self:
        """Return the target without its bound on ROC AUC where classes cannot be compared.

        The last of the parts certifies, if any does.
        """
        if len(self.losses) > 1 and any(len(np.unique(labels)) < 2 for labels in parts):
            doubt(
                f"a part of the rows has one class alone, so {self} bounds accuracy, but not ROC "
                "AUC, which compares classes; give more rows of the rare classes"
            )
            return replace(self, losses=self.losses[:1])
        if self.certifies and any(isinstance(loss.metric, RocAuc) for loss in self.losses):
            counts = np.sort(np.unique(parts[-1], return_counts=True)[1])
            outside = int(counts[:-1].max(initial=0))
            if outside < FEW_RANKED and not self.follows_model:
                doubt(
                    f"apart from the most frequent class, none has more than {outside} certifying "
                    f"rows, so {self} may not hold for ROC AUC, whose test takes {FEW_RANKED}; "
                    "give more rows of the rare classes"
                )
        return self

    def _loss(
        self, task: Task, metric: ClassMetric | RegressionMetric, threshold: float | None
    ) -> BoundedLoss:
        if isinstance(metric, Accuracy):
            return BoundedLoss("difference", threshold=threshold)
        if isinstance(metric, ClassMetric):
            return BoundedLoss("asymptotic" if metric.span is None else "bounded", metric)
        return BoundedLoss("mean", metric)

    def measured_bounds(self, lost: Sequence[float]) -> tuple[MeasuredBound, ...]:
        """Return what a result says of the bound."""
        return ()

    def require(self, n_rows: int, n_certifying: int = 0) -> None:
        """Warn of few rows; with a confidence raise ValueError if no policy can pass the test."""
        confidence = self.confidence
        if confidence is None:
            doubt_few_rows(n_rows, self.name)
            return
        if any(loss.measure == "difference" for loss in self.losses) and 1 - confidence < NUISANCE:
            raise ValueError(
                f"confidence is {confidence}, but no number of rows proves {self} with "
                f"{1 - NUISANCE} or more; give less, or max_disagreement, which bounds it"
            )
        needed = max(loss.fewest_rows(self.value, confidence) for loss in self.losses)
        if n_certifying < needed:
            share = n_certifying / n_rows if n_certifying else WITH_CERTIFYING[-1]
            counted, in_all = self.losses[0].counted, math.ceil(needed / share)
            raise ValueError(
                f"{n_rows} {counted} are too few to guarantee {self} with confidence {confidence}: "
                f"it takes {needed} {counted} that certify, so at least {in_all} in all, and about "
                f"ten times as many to be near the bound; give more {counted}, a larger bound, or "
                "confidence=None"
            )

    def require_equal(self, weight: NDArray[np.float64] | None) -> None:
        """Raise ValueError if a guarantee is wanted for rows of unequal weight."""
        if self.confidence is not None and not are_equal(weight):
            raise ValueError(
                f"sample_weight differs from row to row, but what proves {self} with confidence "
                f"{self.confidence} counts rows, each as one; give confidence=None for the point "
                "estimate by weight, or leave sample_weight out"
            )

    def price_of_change(self, n_certifying: int) -> float:
        """Return what a changed label costs the test in addition to its loss."""
        if self.confidence is None or self.losses[0].measure != "difference":
            return 0.0
        return price_of_difference(self.value, n_certifying, self.confidence)


@dataclass(frozen=True)
class Price(Target):
    """A price of one unit of cost in units of the loss."""

    name: ClassVar[str] = "beta"

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", checked_beta(self.value))

    def choose(self, front: Front[C]) -> C:
        return front.at_price(self.value)


@dataclass(frozen=True)
class Budget(Target):
    """The largest mean cost of a row."""

    name: ClassVar[str] = "budget"

    def choose(self, front: Front[C]) -> C:
        front.near_budget(self.value)
        cheapest, nothing = front.cheapest, front.nothing()
        if cheapest > self.value:
            if nothing is None:
                raise ValueError(
                    f"budget is {self.value:g}, but policies cost {cheapest:.4g} per row or more; "
                    "give a larger budget"
                )
            doubt(
                f"budget={self.value:g}, but policies that evaluate anything cost {cheapest:.4g} "
                "per row or more. Returned is a policy that evaluates nothing and gives every row "
                "the same answer; give a larger budget, a smaller every or another solver"
            )
        # of an ordered front the full model is among the others where it is worth its cost
        able = front.candidates[1:] if front.ordered else front.candidates
        within = [candidate for candidate in able if candidate.cost("choose") <= self.value]
        if nothing is not None:
            within.append(nothing)
        if front.ordered:
            return max(within, key=lambda c: c.cost("choose"))
        return min(within, key=lambda c: (float(c.lost("choose")[0]), c.cost("choose")))


@dataclass(frozen=True)
class Bound(Target):
    """A bound on the mean of each excess loss, with a confidence or as a point estimate."""

    confidence: float | None = CONFIDENCE  # None compares means over the rows that choose
    largest: float = 1.0  # bounds of this and more could not be exceeded

    def __post_init__(self) -> None:
        check_above(self.name, self.value, self.largest)
        check_confidence(self.confidence)
        object.__setattr__(self, "value", float(self.value))
        if self.confidence is not None:
            object.__setattr__(self, "confidence", float(self.confidence))

    def choose(self, front: Front[C]) -> C:
        """Choose the cheapest candidate whose bound holds, as do those of all before it.

        Candidates are taken from expensive to cheap up to the first that fails: with tests this is
        a fixed sequence, and without them one that is merely lucky does not pass.
        """
        front.near(self.accepts)
        tested = front.sequence(self.value, self.confidence)
        if self.confidence is None:
            return [front.full, *takewhile(self.accepts, tested)][-1]
        found = (self.p_value(candidate.excess("certify")) for candidate in tested)
        n_proved = n_leading_proofs(found, self.confidence)
        if n_proved:
            return tested[n_proved - 1]
        doubt(
            f"{front.n_certifying} certifying {self.losses[0].counted} prove {self} for no policy "
            "cheaper than the full model, which is returned; give more of them or a larger bound"
        )
        return front.full

    def measured_bounds(self, lost: Sequence[float]) -> tuple[MeasuredBound, ...]:
        known = zip(self.losses, lost, strict=True)
        return tuple(MeasuredBound(loss.name, float(mean), loss.exact) for loss, mean in known)

    @property
    def counts_labels(self) -> bool:
        """Whether nothing but labels is protected."""
        return all(loss.measure in ("difference", "share") for loss in self.losses)

    def accepts(self, candidate: Candidate) -> bool:
        """Return whether the bound seems to hold on rows that may be looked at more than once."""
        if self.confidence is None:
            return bool((candidate.lost("choose") <= self.value).all())
        return self.p_value(candidate.excess("seen")) <= 1 - self.confidence

    def p_value(self, excess: NDArray[np.float64]) -> float:
        """Test that a mean excess loss is at least the bound.

        Where there are several losses, this is an intersection-union test: each is tested at the
        full level, and the largest p-value decides.
        """
        assert self.confidence is not None
        found = zip(self.losses, excess, strict=True)
        return max(loss.p_value(of_rows, self.value, self.confidence) for loss, of_rows in found)


@dataclass(frozen=True)
class MaxLoss(Bound):
    """What may be lost of the metric against the full model."""

    name: ClassVar[str] = "max_loss"


@dataclass(frozen=True)
class MaxDisagreement(Bound):
    """The share of rows whose label may differ from the full model's.

    With a metric: what may be lost of it if the full model's own probabilities were true.
    """

    name: ClassVar[str] = "max_disagreement"
    follows_model: ClassVar[bool] = True

    def _loss(
        self, task: Task, metric: ClassMetric | RegressionMetric, threshold: float | None
    ) -> BoundedLoss:
        if not task.predicts_classes:
            raise ValueError(
                f"{self}, but a {task.kind} has no labels to disagree on; give max_loss, in units "
                f"of {task.quality_name}"
            )
        if isinstance(metric, Accuracy):
            return BoundedLoss("share", threshold=threshold)
        return super()._loss(task, metric, threshold)


def target_of(
    *,
    beta: float | None = None,
    budget: float | None = None,
    max_loss: float | None = None,
    max_disagreement: float | None = None,
    confidence: float | None = CONFIDENCE,
    largest: float = 1.0,
) -> Target:
    """Make the target of a call from its keyword arguments."""
    numbers = {
        "beta": beta,
        "budget": budget,
        "max_loss": max_loss,
        "max_disagreement": max_disagreement,
    }
    given = {name: value for name, value in numbers.items() if value is not None}
    if len(given) != 1:
        got = ", ".join(f"{name}={value}" for name, value in given.items()) or "none"
        raise ValueError(f"got {got}; wanted exactly one of {', '.join(numbers)}")
    ((name, value),) = given.items()
    if name in ("max_loss", "max_disagreement"):
        kind = MaxLoss if name == "max_loss" else MaxDisagreement
        return kind(value, confidence=confidence, largest=largest)
    check_confidence(confidence)
    target = Price(value) if name == "beta" else Budget(value)
    if confidence not in (None, CONFIDENCE):  # the default may just have been left
        doubt(
            f"confidence={confidence:g} has no effect with {target}, of which nothing is "
            "certified; leave it out, or give max_loss or max_disagreement"
        )
    return target


def largest_loss(metric: Metric | None) -> float:
    """Return what bounds must be below: the largest loss in the unit of the metric."""
    bounded = metric is None or isinstance(metric, RankingMetric) or metric.larger_is_better
    return 1.0 if bounded else math.inf


def check_above(name: str, value: Any, largest: float) -> None:
    """Raise ValueError unless a number lies between 0 and the largest, without both."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not 0 < value < largest:
        raise ValueError(f"{name} is {value!r}; wanted a number above 0 and below {largest:g}")


def check_confidence(confidence: Any) -> None:
    """Raise ValueError unless it is a probability of at least a half, or None."""
    is_number = isinstance(confidence, Real)
    if confidence is not None and not (is_number and 0.5 <= confidence < 1):
        raise ValueError(
            f"confidence is {confidence!r}; wanted a number from 0.5 to below 1, or None for the "
            "point estimate"
        )
