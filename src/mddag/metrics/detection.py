"""Rates of detection: the share of positives found (TPR), of negatives taken for positives (FPR).

A row is called positive where its score is above the threshold, `score > threshold`. Ties are
never split: with several negatives at the threshold, none of them is above it, so the FPR of the
rows given is at most what was wanted, and may be less. A rate of other rows is not guaranteed:
a threshold that k of n negatives pass has an FPR near k / n, with a deviation near sqrt(k) / n
(`rate_interval`).

Labels are 0 and 1, -1 and 1, or booleans.

`DetectionRun` and `best_within` are the protocol of Figure 2: TPR at a fixed FPR against mean
evaluations on negatives, N. A method has settings k; each gives (TPR_k, N_k) on training rows and
on test rows. For a bound N the setting is chosen on training rows alone, and its TPR on test rows
is what is plotted:

    k*(N) = argmax over {k: train N_k <= N} of train TPR_k

The TPR on test rows needs a threshold. The paper takes it from the test rows themselves
(`test_tpr`: the FPR is met exactly, but the threshold has seen them). Without that leak it is from
validation rows (`held_out_tpr`), and then the FPR on test rows is only near the wanted one
(`held_out_fpr`).

`RealisedRates` are FPR and TPR of a detector on rows held out: a wanted FPR is met exactly on the
rows that a threshold was taken from, and only nearly on others.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.checks import as_floats, check_between, check_one_of, check_whole, described

_ROUNDING = 1e-9  # 0.29 of 100 rows are 29 rows, though 0.29 * 100 < 29 in floating point


def threshold_at_fpr(scores: ArrayLike, labels: ArrayLike, fpr: float) -> float:
    """The smallest threshold that at most `fpr` of the negatives are above."""
    values, positive = checked_scores(scores, labels)
    check_rate("fpr", fpr)
    negatives = np.sort(_some(values[~positive], "negative", "an FPR"))[::-1]
    allowed = math.floor(fpr * len(negatives) + _ROUNDING)
    return -math.inf if allowed >= len(negatives) else float(negatives[allowed])


def threshold_at_tpr(scores: ArrayLike, labels: ArrayLike, tpr: float) -> float:
    """The largest threshold that at least `tpr` of the positives are above."""
    values, positive = checked_scores(scores, labels)
    check_rate("tpr", tpr)
    positives = np.sort(_some(values[positive], "positive", "a TPR"))[::-1]
    wanted = math.ceil(tpr * len(positives) - _ROUNDING)
    return math.inf if wanted == 0 else float(np.nextafter(positives[wanted - 1], -math.inf))


def tpr_at_fpr(scores: ArrayLike, labels: ArrayLike, fpr: float) -> tuple[float, float]:
    """The TPR where at most `fpr` of the negatives are above the threshold, and the threshold."""
    values, positive = checked_scores(scores, labels)
    threshold = threshold_at_fpr(values, positive, fpr)
    found = _some(values[positive], "positive", "a TPR") > threshold
    return float(found.mean()), threshold


def fpr_at_tpr(scores: ArrayLike, labels: ArrayLike, tpr: float) -> tuple[float, float]:
    """The FPR where at least `tpr` of the positives are above the threshold, and the threshold."""
    values, positive = checked_scores(scores, labels)
    threshold = threshold_at_tpr(values, positive, tpr)
    wrong = _some(values[~positive], "negative", "an FPR") > threshold
    return float(wrong.mean()), threshold


def rate_interval(count: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Where the rate of an event lies that was seen `count` times among `n` rows.

    The interval of Clopper and Pearson: whatever the rate is, it holds it with at least this
    probability.
    """
    from scipy.special import betaincinv  # `import mddag.metrics` stays light

    check_whole("n", n, 1)
    check_whole("count", count, 0)
    if count > n:
        raise ValueError(f"count is {count}, n is {n}; wanted a count of at most n")
    check_between("confidence", confidence, 0.0, 1.0, "a probability from 0 to 1")
    tail = (1 - confidence) / 2
    low = 0.0 if count == 0 else float(betaincinv(count, n - count + 1, tail))
    high = 1.0 if count == n else float(betaincinv(count + 1, n - count, 1 - tail))
    return low, high


def checked_scores(
    scores: ArrayLike, labels: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Scores as (n,), and which rows are positive."""
    values = as_floats("scores", scores, "one number for each row, (n,)")
    if values.ndim != 1:
        raise ValueError(f"scores have shape {values.shape}; wanted one for each row, (n,)")
    positive = checked_positive(labels, len(values))
    bad = np.flatnonzero(np.isnan(values))
    if len(bad):
        raise ValueError(f"scores[{bad[0]}] is NaN; wanted numbers")
    return values, positive


def checked_positive(labels: ArrayLike, n: int) -> NDArray[np.bool_]:
    """Which of `n` rows are positive, from labels of two values."""
    array: NDArray[Any] = np.asarray(labels)
    if array.shape != (n,):
        raise ValueError(f"labels have shape {array.shape}; wanted one for each row, ({n},)")
    if array.dtype.kind == "b":
        return np.asarray(array)
    values = set(np.unique(array).tolist()) if array.dtype.kind in "iuf" else {None}
    if not (values <= {0, 1} or values <= {-1, 1}):
        raise ValueError(f"labels are {described(labels)}; wanted 0 and 1, -1 and 1, or booleans")
    return np.asarray(array > 0)


def check_rate(name: str, value: Any) -> None:
    """Refuse `value` unless it is a rate."""
    check_between(name, value, 0.0, 1.0, "a rate from 0 to 1, such as 0.001")


def _some(values: NDArray[np.float64], kind: str, rate: str) -> NDArray[np.float64]:
    """`values`, if there are any."""
    if not len(values):
        raise ValueError(f"no row is {kind}; {rate} needs one at least")
    return values


class Scored:
    """Rows with scores, labels and the base classifiers evaluated for each."""

    def __init__(self, scores: ArrayLike, labels: ArrayLike, n_evaluated: ArrayLike) -> None:
        self.scores, self.positive = checked_scores(scores, labels)
        wanted = f"one number for each row, ({len(self.scores)},)"
        self.n_evaluated = as_floats("n_evaluated", n_evaluated, wanted)
        if self.n_evaluated.shape != self.scores.shape:
            raise ValueError(f"n_evaluated has shape {self.n_evaluated.shape}; wanted {wanted}")

    @property
    def cost(self) -> float:
        """Mean evaluations on negatives."""
        return float(self.n_evaluated[~self.positive].mean())

    def rates(self, threshold: float) -> tuple[float, float]:
        """TPR and FPR at a threshold."""
        above = self.scores > threshold
        return float(above[self.positive].mean()), float(above[~self.positive].mean())


@dataclass(frozen=True)
class DetectionRun:
    """One setting of one method at a fixed FPR.

    train_tpr, train_cost : TPR and mean evaluations on negatives of training rows
    test_tpr, test_cost   : those of test rows, the threshold from the test rows (the paper's)
    held_out_tpr, held_out_fpr : rates of test rows at the threshold of validation rows
    """

    train_tpr: float
    train_cost: float
    test_tpr: float
    test_cost: float
    held_out_tpr: float
    held_out_fpr: float

    @classmethod
    def of(
        cls, train: Scored, test: Scored, fpr: float, validation: Scored | None = None
    ) -> DetectionRun:
        """The run of a setting; without validation rows the training rows are those."""
        train_tpr, threshold = tpr_at_fpr(train.scores, train.positive, fpr)
        if validation is not None:
            threshold = tpr_at_fpr(validation.scores, validation.positive, fpr)[1]
        test_tpr = tpr_at_fpr(test.scores, test.positive, fpr)[0]
        return cls(train_tpr, train.cost, test_tpr, test.cost, *test.rates(threshold))


def best_within(runs: Sequence[DetectionRun], bounds: Iterable[float]) -> list[DetectionRun | None]:
    """The run k*(N) for each bound N on the evaluations; None where every run needs more.

    Among runs of equal TPR the first in the list is taken.
    """
    tprs = np.array([run.train_tpr for run in runs])
    costs = np.array([run.train_cost for run in runs])
    chosen: list[DetectionRun | None] = []
    for bound in bounds:
        within = np.flatnonzero(costs <= bound)
        chosen.append(runs[within[tprs[within].argmax()]] if len(within) else None)
    return chosen


@dataclass(frozen=True)
class RealisedRates:
    """Rates on held-out rows, beside the one that was wanted.

    target, wanted           : "target_fpr" or "target_tpr", and its number
    fpr, tpr                 : as measured
    fpr_error, tpr_error     : their standard errors
    fpr_interval, tpr_interval : of Clopper and Pearson, 95 %
    n_negatives, n_positives : rows that they were measured on
    n_evaluated              : mean evaluations on negatives
    """

    target: str
    wanted: float
    fpr: float
    fpr_error: float
    fpr_interval: Sequence[float]
    tpr: float
    tpr_error: float
    tpr_interval: Sequence[float]
    n_negatives: int
    n_positives: int
    n_evaluated: float

    def __post_init__(self) -> None:
        check_one_of("target", self.target, ("target_fpr", "target_tpr"))
        for name in ("fpr_interval", "tpr_interval"):
            low, high = getattr(self, name)
            object.__setattr__(self, name, (float(low), float(high)))

    def __str__(self) -> str:
        return "\n".join([self.line("fpr"), self.line("tpr")])

    def line(self, rate: str) -> str:
        """One of the rates, "fpr" or "tpr", beside the one that was wanted, if it was."""
        check_one_of("rate", rate, ("fpr", "tpr"))
        name, found, error = rate.upper(), getattr(self, rate), getattr(self, f"{rate}_error")
        low, high = getattr(self, f"{rate}_interval")
        wanted = f"{self.wanted:g} wanted, " if self.target == f"target_{rate}" else ""
        rows = f"{self.n_negatives} negatives" if rate == "fpr" else f"{self.n_positives} positives"
        return (
            f"{name}: {wanted}{found:.4g} +- {error:.2g} realised on {rows} held out "
            f"(95 %: {low:.4g} to {high:.4g})"
        )
