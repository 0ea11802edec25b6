"""Arrays: read-only ones, the `out` of predictions, weights of rows, samples of rows."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.checks import checked_prices, typed


def read_only(array: ArrayLike, dtype: Any) -> NDArray[Any]:
    """Return a C-contiguous copy that cannot be written; `dtype` None keeps the type."""
    copy = np.array(array, dtype, order="C")
    copy.flags.writeable = False
    return copy


class ReadOnlyArrays:
    """Base class of dataclasses whose arrays stay read-only in copies and after unpickling.

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
    """Return `out` if it can take the result on `rows`, a new array if it is None."""
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
    """Return weights (n,) after checking them; those above 0 have a mean of 1."""
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
    """Scale weights (n,) to sum to the number of equal rows with the same standard error."""
    # (sum w)^2 / sum w^2 (Kish 1965): ten rows of which one has all the weight are worth one row.
    shares = weight / weight.max()
    scaled: Vector = shares * (shares.sum() / np.square(shares).sum())
    return scaled


def are_equal(weight: Vector | None) -> bool:
    """Return whether all rows have the same weight."""
    return weight is None or bool((weight == weight[0]).all())


def part(weight: Vector | None, rows: NDArray[np.intp]) -> Vector | None:
    """Return the weights of some rows; None stays None."""
    return None if weight is None else weight[rows]


def _rounded(numbers: Vector) -> Vector:
    """Round each number to DIGITS binary digits."""
    mantissa, exponent = np.frexp(numbers)
    rounded: Vector = np.ldexp(np.rint(np.ldexp(mantissa, DIGITS)), exponent - DIGITS)
    return rounded


def spaced_rows(n: int, most: int) -> NDArray[np.intp]:
    """Return all of n rows, or `most` of them evenly spaced."""
    return np.linspace(0, n - 1, min(n, most)).astype(np.intp)


def stratified(
    labels: NDArray[Any], fraction: float, random: np.random.RandomState | np.random.Generator
) -> NDArray[np.intp]:
    """Draw a `fraction` of the rows of every class, sorted; at least one row of each is left."""
    shuffled = random.permutation(len(labels))
    chosen = [np.empty(0, np.intp)]
    for label in np.unique(labels):
        of_class = shuffled[labels[shuffled] == label]
        chosen.append(of_class[: min(round(fraction * len(of_class)), len(of_class) - 1)])
    return np.sort(np.concatenate(chosen))
