"""Arrays: read-only ones, the `out` of predictions, weights of rows, samples of rows.

Weights are what rows count for, `sample_weight` in scikit-learn's words. In a mean a row of weight
2 counts as two rows and a row of weight 0 as none. A factor common to all weights changes nothing:
`checked_weight` divides by their mean, and rounds, so that a factor does not even decide ties.

What rows count for in a mean is not how well they estimate it: ten rows of which one has all the
weight are worth one row. `mass` is the weights in a unit in which they sum to the number of equally
weighted rows with the same standard error, (sum w)^2 / sum w^2 (Kish 1965). Priors, whose strength
is a number of rows, are compared with it.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.checks import checked_prices, typed


def read_only(array: ArrayLike, dtype: Any) -> NDArray[Any]:
    """A C-contiguous copy that cannot be written; `dtype` None keeps the type."""
    copy = np.array(array, dtype, order="C")
    copy.flags.writeable = False
    return copy


class ReadOnlyArrays:
    """For dataclasses whose arrays are read-only: so they are in copies and after unpickling.

    Only the fields are kept; what is derived from them is derived again.
    """

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]

    def __setstate__(self, state: dict[str, Any]) -> None:
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        self.__dict__.update(state)


def checked_out(
    out: NDArray[Any] | None, shape: tuple[int, ...], rows: NDArray[Any], dtype: Any = np.float64
) -> NDArray[Any]:
    """`out` if it can take the result on `rows`, a new array if it is None."""
    if out is None:
        return np.empty(shape, dtype)
    wanted = f"{np.dtype(dtype)}"
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is {typed(out)}; wanted a {wanted} array {shape}")
    in_order = out.flags.c_contiguous and out.flags.aligned
    if out.shape != shape or out.dtype != dtype or not in_order:
        order = "C-ordered" if out.flags.c_contiguous else "not C-ordered"
        order += "" if out.flags.aligned else ", not aligned"
        raise ValueError(
            f"out is {out.dtype} {out.shape}, {order}; wanted C-ordered {wanted} {shape}"
        )
    if not out.flags.writeable:
        raise ValueError("out is read-only; pass an array that can be written")
    if np.may_share_memory(out, rows):
        raise ValueError("out shares memory with X, which would change while it is read; copy one")
    return out


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


def spaced_rows(n: int, most: int) -> NDArray[np.intp]:
    """All of n rows, or `most` of them evenly spaced."""
    return np.linspace(0, n - 1, min(n, most)).astype(np.intp)


def stratified(
    labels: NDArray[Any], fraction: float, random: np.random.RandomState | np.random.Generator
) -> NDArray[np.intp]:
    """A share `fraction` of the rows of every class, of which at least one is left, sorted."""
    shuffled = random.permutation(len(labels))
    chosen = [np.empty(0, np.intp)]
    for label in np.unique(labels):
        of_class = shuffled[labels[shuffled] == label]
        chosen.append(of_class[: min(round(fraction * len(of_class)), len(of_class) - 1)])
    return np.sort(np.concatenate(chosen))
