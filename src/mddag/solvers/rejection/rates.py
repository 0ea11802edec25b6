"""Realised rates: what a detector does to rows that did not choose its thresholds.

A wanted FPR is met exactly on the rows that theta was taken from, and only nearly on others. The
realised one is therefore measured on rows held out, part by part: theta of the others, false
positives of this one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.metrics.detection import rate_interval
from mddag.solvers.rejection.operating_point import Ends, Target
from mddag.solvers.rejection.thresholds import shares_by_class

Floats = NDArray[np.float64]


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
    fpr_interval: tuple[float, float]
    tpr: float
    tpr_error: float
    tpr_interval: tuple[float, float]
    n_negatives: int
    n_positives: int
    n_evaluated: float

    def __str__(self) -> str:
        return (
            f"FPR {self._of('fpr')}, 95 %: {self.fpr_interval[0]:.2g} to "
            f"{self.fpr_interval[1]:.2g}, on {self.n_negatives} negatives held out; "
            f"TPR {self._of('tpr')} on {self.n_positives} positives"
        )

    def _of(self, rate: str) -> str:
        """A rate beside the one that was wanted, if it was."""
        digits = ".4g" if rate == "fpr" else ".3f"
        wanted = f"{self.wanted:g} wanted, " if self.target == f"target_{rate}" else ""
        found, error = getattr(self, rate), getattr(self, f"{rate}_error")
        return f"{wanted}{found:{digits}} +- {error:.2g} realised"


def realised(
    ends: Ends, target: Target, parts: NDArray[np.intp], n_evaluated: float
) -> RealisedRates:
    """The rates of rows held out; parts (n,) numbers those that share a theta."""
    above = np.zeros(len(parts), bool)
    for part in np.unique(parts):
        here, others = parts == part, parts != part
        others = others if _both(ends.positive[others]) else here
        share = shares_by_class(ends.positive[others], ends.share[others])
        rest = Ends(ends.scores[others], ends.positive[others], share)
        above[here] = ends.scores[here] > target.expected(rest)
    found: dict[str, Any] = {}
    for name, rows in (("fpr", ~ends.positive), ("tpr", ends.positive)):
        count, n = int(above[rows].sum()), int(rows.sum())
        rate = float((ends.share * above)[rows].sum())
        low, high = rate_interval(count, n)
        error = float(np.sqrt(rate * (1 - rate) * np.square(ends.share[rows]).sum()))
        found |= {name: rate, f"{name}_error": error, f"{name}_interval": (low, high)}
    return RealisedRates(
        target=target.name,
        wanted=target.rate,
        n_negatives=int((~ends.positive).sum()),
        n_positives=int(ends.positive.sum()),
        n_evaluated=n_evaluated,
        **found,
    )


def class_parts(positive: NDArray[np.bool_], n_parts: int, seed: int) -> NDArray[np.intp]:
    """A part 0 .. n_parts - 1 for each row at random, as many rows of each class in each."""
    random = np.random.RandomState(seed)
    parts = np.empty(len(positive), np.intp)
    for rows in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        parts[rows] = random.permutation(np.arange(len(rows)) % n_parts)
    return parts


def _both(positive: NDArray[np.bool_]) -> bool:
    return bool(positive.any() and not positive.all())
