"""Checks of parameters: what was got, what was wanted."""

from __future__ import annotations

import math
import os
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOST_THREADS = 1024  # no machine has use for more


def check_whole(name: str, value: Any, least: int) -> None:
    """Refuse `value` unless it is a whole number of at least `least`."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} is {value!r}; wanted a whole number, {least} or more")


def check_fraction(name: str, value: Any, *, zero: bool) -> None:
    """Refuse `value` unless it lies between 0 and 1, 0 itself being allowed or not."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not (0 <= value < 1) or (value == 0 and not zero):
        interval = "[0, 1)" if zero else "(0, 1)"
        raise ValueError(f"{name} is {value!r}; wanted a fraction of the rows, in {interval}")


def check_positive(name: str, value: Any) -> None:
    """Refuse `value` unless it is a number above 0."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or math.isnan(value) or value <= 0:
        raise ValueError(f"{name} is {value!r}; wanted a number above 0")


def check_one_of(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    """Refuse `value` unless it is one of `allowed`."""
    if not any(type(value) is type(a) and value == a for a in allowed):
        raise ValueError(f"{name} is {value!r}; wanted one of {', '.join(map(repr, allowed))}")


def checked_threads(n_threads: Any) -> int:
    """`n_threads` for the kernels, if it is a whole number of at least 1; all cores for -1."""
    if type(n_threads) is not int or n_threads < 1:  # the usual case takes no time of one row's
        is_whole = isinstance(n_threads, Integral) and not isinstance(n_threads, bool)
        if not is_whole or (n_threads < 1 and n_threads != -1):
            raise ValueError(
                f"n_threads is {n_threads!r}; wanted a whole number, 1 or more, or -1 for all cores"
            )
        n_threads = _n_cores() if n_threads == -1 else n_threads
    return min(int(n_threads), MOST_THREADS)


def _n_cores() -> int:
    """How many cores this process may use: a container or taskset may leave it fewer than all."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def checked_order(order: ArrayLike, n_classifiers: int) -> NDArray[np.intp]:
    """`order` as intp, if it holds numbers of base classifiers, 0..n_classifiers-1."""
    array = _integers(order, f"wanted integers in 0..{n_classifiers - 1}")
    bad = np.flatnonzero((array < 0) | (array >= n_classifiers))
    if len(bad):
        raise ValueError(
            f"order[{bad[0]}] is {array[bad[0]]}; base classifiers are numbered "
            f"0..{n_classifiers - 1}"
        )
    return array.astype(np.intp)


def checked_permutation(order: ArrayLike, n_classifiers: int) -> NDArray[np.intp]:
    """`order` as intp, if it holds each of 0..n_classifiers-1 once."""
    wanted = f"wanted each of 0..{n_classifiers - 1} once"
    array = _integers(order, wanted)
    if not np.array_equal(np.sort(array), np.arange(n_classifiers)):
        raise ValueError(f"order holds {len(array)} numbers; {wanted}")
    return array.astype(np.intp)


def checked_prices(name: str, prices: ArrayLike | None, n: int, of: str) -> NDArray[np.float64]:
    """`prices`, one for each `of`, (n,), finite and not negative; ones for None."""
    if prices is None:
        return np.ones(n)
    array = np.ascontiguousarray(prices, np.float64)
    if array.shape != (n,):
        raise ValueError(f"{name} has shape {array.shape}; wanted one number per {of}, ({n},)")
    bad = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if len(bad):
        raise ValueError(f"{name}[{bad[0]}] is {array[bad[0]]}; wanted finite numbers, 0 or more")
    return array


def _integers(order: ArrayLike, wanted: str) -> NDArray[Any]:
    array: NDArray[Any] = np.asarray(order)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(f"order is {array.dtype} of shape {array.shape}; {wanted}")
    return array
