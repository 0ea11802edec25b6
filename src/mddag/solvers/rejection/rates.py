"""Realised rates: what a detector does to rows that did not choose its thresholds.

A wanted FPR is met exactly on the rows that theta was taken from, and only nearly on others. The
realised one is therefore measured on rows held out, part by part: theta of the others, false
positives of this one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.metrics.detection import rate_interval
from mddag.metrics.realised_rates import RealisedRates
from mddag.solvers.rejection.operating_point import Ends, Target
from mddag.solvers.rejection.thresholds import shares_by_class

Floats = NDArray[np.float64]


def realised(
    ends: Ends,
    target: Target,
    parts: NDArray[np.intp],
    n_evaluated: float,
    thetas: Floats | None = None,
) -> RealisedRates:
    """The rates of rows held out.

    parts  : (n,), rows of one number share a theta
    thetas : by part, that of the rows which learned its cascade; the safer of the two is taken
    """
    above = np.zeros(len(parts), bool)
    for part in np.unique(parts):
        here, others = parts == part, parts != part
        others = others if _both(ends.positive[others]) else here
        share = shares_by_class(ends.positive[others], ends.share[others])
        rest = Ends(ends.scores[others], ends.positive[others], share)
        theta = target.expected(rest)
        if thetas is not None:
            theta = target.safer(theta, float(thetas[part]))
        above[here] = ends.scores[here] > theta
    return rates_of(ends, above, target, n_evaluated)


def rates_of(
    ends: Ends, above: NDArray[np.bool_], target: Target, n_evaluated: float
) -> RealisedRates:
    """The rates of rows held out of which some were called positive."""
    found: dict[str, Any] = {}
    for name, rows in (("fpr", ~ends.positive), ("tpr", ends.positive)):
        count, n = int(above[rows].sum()), int(rows.sum())
        rate = min(float((ends.share * above)[rows].sum()), 1.0)
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


def _both(positive: NDArray[np.bool_]) -> bool:
    return bool(positive.any() and not positive.all())
