"""The exp of exported code: the same operations in every language, so the same bits.

It is the algorithm of Arm's optimized routines (MIT licence), which the C library of Linux has and
by which the library computes probabilities there, with fused multiply-adds as on every x86 server
since 2013:

    x = k ln 2 / 128 + r,     exp(x) = 2^(k/128) x (1 + tail + r + r^2/2 + ... + r^5/120)

Each language calls its fused multiply-add by name; JavaScript, which has none, computes it of sums
and products (Boldo and Melquiond, 2008). Here is the table of 2^(i/128); the steps are in the text
of each language. Other C libraries may differ from it by one unit in the last place.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

STEPS = 128


@cache
def two_powers() -> NDArray[np.uint64]:
    """Two entries for each i: the bits of the relative error of the double nearest to 2^(i/128),
    and the bits of that double less i 2^45, so that adding k 2^45 gives 2^(k/128)."""
    entries: list[int] = []
    with localcontext() as context:
        context.prec = 60
        for i in range(STEPS):
            exact = Decimal(2) ** (Decimal(i) / STEPS)
            nearest = float(exact)
            tail = float(Fraction(exact) / Fraction(nearest) - 1)
            entries += [_bits(tail), _bits(nearest) - (i << 45)]
    return np.array(entries, np.uint64)


def _bits(number: float) -> int:
    return int(np.float64(number).view(np.uint64))
