"""Verdicts: the class that a row gets by the decision and the cell in which it quits.

    verdict[d, c] = k >= 0   a row that quits at decision d in cell c is of class k
                    -1       by its scores: the sign of f for K = 1, else the class of the largest
    verdict[-1, c]           the same of rows that have passed all steps, in their last cell

A stage of a cascade refuses a row whatever the sign of its score; a detector accepts above another
score than 0. Verdicts are of the class alone: scores stay as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._internal.checks import described
from mddag._internal.read_only import read_only

BY_SCORES = -1
MOST_CLASSES = 2**15  # that 16 bits number


def checked_verdict(
    verdict: ArrayLike | None, shape: tuple[int, int], n_classes: int
) -> NDArray[np.int16] | None:
    """A read-only copy, if there is one class code or -1 for each of (n_decisions + 1, n_cells)."""
    if verdict is None:
        return None
    array: NDArray[Any] = np.asarray(verdict)
    if array.shape != shape or array.dtype.kind not in "iu":
        raise ValueError(
            f"verdict is {described(verdict)}; wanted integers {shape}: a class for each decision "
            "and cell in which a row may quit, and one more row of them for the end"
        )
    n_classes = min(n_classes, MOST_CLASSES)
    bad = (array < BY_SCORES) | (array >= n_classes)
    if bad.any():
        d, c = np.argwhere(bad)[0]
        raise ValueError(
            f"the verdict of decision {d} in cell {c} is {array[d, c]}; wanted a class from 0 to "
            f"{n_classes - 1}, or -1 for the class by the scores"
        )
    copy: NDArray[np.int16] = read_only(array, np.int16)
    return copy


def last_decisions(quits: NDArray[np.bool_]) -> NDArray[np.int32]:
    """The decision at which a row quits that stands at decision d in cell c and evaluates no more.

    quits  : bool (n_decisions, n_cells); where it is False the row is taken to skip
    return : int32 (n_decisions + 1, n_cells), n_decisions for rows that pass the end
    """
    n_decisions, n_cells = quits.shape
    last = np.full((n_decisions + 1, n_cells), n_decisions, np.int32)
    for d in range(n_decisions - 1, -1, -1):
        last[d] = np.where(quits[d], d, last[d + 1])
    return last


def decided(codes: NDArray[np.intp], verdict: NDArray[np.int16] | None) -> NDArray[np.intp]:
    """The class codes by the scores (n,), changed in place where a verdict (n,) says otherwise."""
    if verdict is not None:
        np.copyto(codes, verdict, where=verdict != BY_SCORES)
    return codes
