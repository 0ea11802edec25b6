"""Signed weights w_ik y_ik as 64-bit integers: q_ik = llround(w_ik 2^60) y_ik.

Sums of integers are exact. So ties between splits are real ties, and no result depends on the
order of summation, on the number of threads, or on histograms being subtracted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SCALE = 2.0**60  # weights sum to 1, so that three times any sum stays below 2^63


def signed_weights(targets: NDArray[np.int8], weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """q, int64 (n, K); halves are rounded away from zero."""
    scaled = weights * SCALE
    whole = np.floor(scaled)
    up = scaled - whole >= 0.5  # exact, unlike floor(scaled + 0.5)
    return (whole.astype(np.int64) + up) * targets
