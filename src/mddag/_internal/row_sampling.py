"""Samples of rows: evenly spaced ones, and a share of every class.

The first needs no seed, so the same rows give the same sample. The second never takes the last row
of a class.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


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
