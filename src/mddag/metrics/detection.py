"""Rates of detectors: TPR, the share of positives found, and FPR, the share of negatives accepted.

A row is positive where ``score > threshold``. Thresholds never split ties, so the FPR of the given
rows is at most the wanted one; curves may (`tpr_at_fpr`). On unseen rows the FPR differs: if k of n
negatives pass, its standard deviation is about sqrt(k) / n (see `rate_interval`). Labels are 0 and
1, -1 and 1, or booleans.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.checks import as_floats, check_between, check_one_of, check_whole, described

Ties = Literal["whole", "split"]

_ROUNDING = 1e-9  # 0.29 of 100 rows are 29 rows, though 0.29 * 100 < 29 in floating point


def threshold_at_fpr(scores: ArrayLike, labels: ArrayLike, fpr: float) -> float:
    """Return the smallest threshold that at most `fpr` of the negatives exceed.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Scores; larger for positives.
    labels : array-like of shape (n,)
        Labels 0 and 1, -1 and 1, or booleans.
    fpr : float
        False positive rate from 0 to 1.

    Returns
    -------
    float
        The threshold.

    Examples
    --------
    >>> from mddag.metrics import threshold_at_fpr
    >>> threshold_at_fpr([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1], fpr=0.5)
    1.0
    """
    values, positive = checked_scores(scores, labels)
    check_between("fpr", fpr, 0.0, 1.0, "a rate from 0 to 1, such as 0.001")
    negatives = np.sort(_some(values[~positive], "negative", "an FPR"))[::-1]
    allowed = math.floor(fpr * len(negatives) + _ROUNDING)
    return -math.inf if allowed >= len(negatives) else float(negatives[allowed])


def tpr_at_fpr(
    scores: ArrayLike, labels: ArrayLike, fpr: float, *, ties: Ties = "whole"
) -> tuple[float, float]:
    """Return the TPR at a given FPR, and the threshold.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Scores; larger for positives.
    labels : array-like of shape (n,)
        Labels 0 and 1, -1 and 1, or booleans.
    fpr : float
        Largest false positive rate, from 0 to 1.
    ties : {"whole", "split"}, default="whole"
        Whether rows that tie with the threshold are all negative, or that share of them is positive
        which exhausts `fpr`. "split" reads the usual ROC curve, linear between its corners; its
        rate is that of a detector that draws lots among equal scores.

    Returns
    -------
    tpr : float
        Share of the positives above the threshold; with "split", and of those at it.
    threshold : float
        Smallest threshold that at most `fpr` of the negatives exceed.

    Examples
    --------
    >>> from mddag.metrics import tpr_at_fpr
    >>> tpr_at_fpr([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1], fpr=0.0)
    (0.5, 3.0)
    >>> tpr_at_fpr([1.0, 1.0, 1.0, 1.0], [0, 1, 0, 1], fpr=0.25, ties="split")[0]
    0.25
    """
    values, positive = checked_scores(scores, labels)
    check_one_of("ties", ties, ("whole", "split"))
    threshold = threshold_at_fpr(values, positive, fpr)
    found = _some(values[positive], "positive", "a TPR")
    tpr = float((found > threshold).mean())
    if ties == "split":
        wrong = values[~positive]
        above, tied = float((wrong > threshold).mean()), float((wrong == threshold).mean())
        share = (fpr - above) / tied if tied else 0.0
        tpr += float((found == threshold).mean()) * share
    return tpr, threshold


def rate_interval(count: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a rate.

    Parameters
    ----------
    count : int
        How often the event occurred.
    n : int
        Number of rows.
    confidence : float, default=0.95
        Smallest probability with which the interval contains the rate.

    Returns
    -------
    low, high : float
        Ends of the interval.

    Examples
    --------
    >>> from mddag.metrics import rate_interval
    >>> low, high = rate_interval(5, 10_000)
    >>> round(low, 5), round(high, 5)
    (0.00016, 0.00117)
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
    """Return scores as (n,) and a mask of the positive rows."""
    values, n = as_floats("scores", scores, "one number for each row, (n,)"), np.shape(scores)[:1]
    array: NDArray[Any] = np.asarray(labels)
    for name, given in (("scores", values), ("labels", array)):
        if given.ndim != 1 or given.shape != n:
            raise ValueError(f"{name} have shape {given.shape}; wanted one for each row, {n}")
    bad = np.flatnonzero(np.isnan(values))
    if len(bad):
        raise ValueError(f"scores[{bad[0]}] is NaN; wanted numbers")
    if array.dtype.kind == "b":
        return values, array
    known = set(np.unique(array).tolist()) if array.dtype.kind in "iuf" else {None}
    if not (known <= {0, 1} or known <= {-1, 1}):
        raise ValueError(f"labels are {described(labels)}; wanted 0 and 1, -1 and 1, or booleans")
    return values, np.asarray(array > 0)


def _some(values: NDArray[np.float64], kind: str, rate: str) -> NDArray[np.float64]:
    """Return `values`, or raise ValueError if there are none."""
    if not len(values):
        raise ValueError(f"no row is {kind}; {rate} needs one at least")
    return values


@dataclass(frozen=True)
class RealisedRates:
    """Hold the FPR and TPR of a detector on held-out rows next to the wanted rate.

    Parameters
    ----------
    target : {"target_fpr", "target_tpr"}
        Which rate was asked for.
    wanted : float
        Its value.
    fpr, fpr_error : float
        Measured FPR and its standard error.
    fpr_interval : pair of float
        Its 95 % interval by Clopper and Pearson.
    tpr, tpr_error : float
        Measured TPR and its standard error.
    tpr_interval : pair of float
        Its 95 % interval.
    n_negatives, n_positives : int
        Rows that the rates were measured on.
    n_evaluated : float
        Mean evaluations on negatives.

    Examples
    --------
    >>> from mddag.metrics import RealisedRates
    >>> found = RealisedRates(
    ...     "target_fpr", wanted=0.01, fpr=0.012, fpr_error=0.003, fpr_interval=(0.007, 0.019),
    ...     tpr=0.9, tpr_error=0.02, tpr_interval=(0.86, 0.94), n_negatives=1000, n_positives=200,
    ...     n_evaluated=3.5,
    ... )
    >>> found.line("fpr")
    'FPR: 0.01 wanted, 0.012 +- 0.003 realised on 1000 negatives held out (95 %: 0.007 to 0.019)'
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
        """Return one line of text about one of the rates.

        Parameters
        ----------
        rate : {"fpr", "tpr"}
            Which rate.

        Returns
        -------
        str
            The wanted value, if it was the target, and the measured one with its interval.
        """
        check_one_of("rate", rate, ("fpr", "tpr"))
        name, found, error = rate.upper(), getattr(self, rate), getattr(self, f"{rate}_error")
        low, high = getattr(self, f"{rate}_interval")
        wanted = f"{self.wanted:g} wanted, " if self.target == f"target_{rate}" else ""
        rows = f"{self.n_negatives} negatives" if rate == "fpr" else f"{self.n_positives} positives"
        return (
            f"{name}: {wanted}{found:.4g} +- {error:.2g} realised on {rows} held out "
            f"(95 %: {low:.4g} to {high:.4g})"
        )
