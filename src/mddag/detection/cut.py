"""The cut: the least evidence of an object, for a wanted number of false ones.

Pictures held out, without the object, are searched, and what is found there is known to be false.
At a useful cut less than one of these is left, so the cut lies beyond all evidence seen: the tail
is taken to be exponential,

    false(c) = n exp(-(c - s_n) / m),     m = mean of s_1 - s_n, … s_n - s_n,

s_1 >= … >= s_n being the strongest of them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

TAIL = 40  # false objects of which the tail is made


def cut_for(evidence: NDArray[np.float64], megapixels: float, per_megapixel: float) -> float:
    """The evidence above which `per_megapixel` false objects are expected.

    evidence : (n,), of the false objects found in pictures of that many `megapixels`
    """
    wanted = megapixels * per_megapixel
    strongest = np.sort(np.asarray(evidence))[::-1][:TAIL]
    n = len(strongest)
    if n < 2 or wanted >= len(evidence):
        return 0.0
    if wanted >= n:
        return float(np.sort(evidence)[::-1][int(wanted)])
    mean_excess = float((strongest[:-1] - strongest[-1]).mean())
    return float(strongest[-1]) + mean_excess * math.log(n / wanted)
