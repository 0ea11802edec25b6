"""Weights: what rows count for, `sample_weight` in scikit-learn's words.

In a mean a row of weight 2 counts as two rows and a row of weight 0 as none. A factor common to
all weights changes nothing: `checked_weight` divides by their mean, and rounds, so that a factor
does not even decide ties.

What rows count for in a mean is not how well they estimate it: ten rows of which one has all the
weight are worth one row. `mass` is the weights in a unit in which they sum to the number of equally
weighted rows with the same standard error, (sum w)^2 / sum w^2 (Kish 1965). Priors, whose strength
is a number of rows, are compared with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import checked_prices

DIGITS = 32  # binary ones, that are left of a weight
Vector = NDArray[np.float64]


def checked_weight(weight: Any, n: int, name: str = "sample_weight") -> Vector:
    """Weights (n,) of rows, if they are finite, 0 or more and not all 0; those that count have a
    mean of 1."""
    try:
        numbers = np.asarray(weight, np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is not numbers ({error}); wanted one number per row") from None
    array = checked_prices(name, numbers, n, "row")
    largest = array.max(initial=0.0)
    if largest == 0:
        raise ValueError(f"{name} is zero for all {n} rows; wanted some above 0")
    shares = array / largest
    return _rounded(shares / shares[shares > 0].mean())


def mass(weight: Vector) -> Vector:
    """Weights (n,) that sum to the number of equal rows with the same standard error."""
    shares = weight / weight.max()
    scaled: Vector = shares * (shares.sum() / np.square(shares).sum())
    return scaled


def are_equal(weight: Vector | None) -> bool:
    """Whether all rows count alike."""
    return weight is None or bool((weight == weight[0]).all())


def part(weight: Vector | None, rows: NDArray[np.intp]) -> Vector | None:
    """The weights of some rows; None where all rows count alike."""
    return None if weight is None else weight[rows]


def _rounded(numbers: Vector) -> Vector:
    """To DIGITS binary digits each."""
    mantissa, exponent = np.frexp(numbers)
    rounded: Vector = np.ldexp(np.rint(np.ldexp(mantissa, DIGITS)), exponent - DIGITS)
    return rounded
