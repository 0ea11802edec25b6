"""Sampling: some rows in place of many, where a sample tells enough. No seed, so no surprise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def spaced_rows(n: int, most: int) -> NDArray[np.intp]:
    """All of n rows, or `most` of them evenly spaced."""
    return np.linspace(0, n - 1, min(n, most)).astype(np.intp)
