"""The `out` argument of predictions: an array of the caller's that the result is written into."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import typed


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
