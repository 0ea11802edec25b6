"""Thresholds: leave out the cuts that have too little weight on one side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mddag.learners.columns import Columns


def without_rare_sides(columns: Columns, weight: NDArray[np.float64], fraction: float) -> Columns:
    """The columns with those cuts alone that have `fraction` of the weight (n,) on both sides.

    Missing values are on neither side. Nominal columns stay as they are.
    """
    least = fraction * weight.sum()
    codes, cuts, n_codes = columns.codes.copy(), list(columns.cuts), columns.n_codes.copy()
    for f in np.flatnonzero(~columns.nominal):
        by_code = np.bincount(columns.codes[f], weight, n_codes[f] + 1)[:-1]
        left = np.cumsum(by_code)
        stays = ((left >= least) & (left[-1] - left >= least))[:-1]
        cuts[f] = columns.cuts[f][stays]
        n_codes[f] = len(cuts[f]) + 1
        new_code = np.concatenate([[0], np.cumsum(stays), [n_codes[f]]])
        codes[f] = new_code[columns.codes[f]]
    return replace(columns, codes=codes, cuts=tuple(cuts), n_codes=n_codes)
