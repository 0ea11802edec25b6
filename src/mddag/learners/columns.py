"""Columns of X as the learners read them: integer codes among cut points.

The code of a value is the number of cuts below it, so ``x <= cuts[c]`` exactly when ``code <= c``:
searching over codes is searching over thresholds. Columns are coded once and serve every round of
boosting. A missing value gets the code after the last one.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag import _core
from mddag._utils.checks import checked_jobs
from mddag.ensemble.features import Floats, array_rows
from mddag.ensemble.nodes import Nodes
from mddag.ensemble.votes import Codes, starts_of

EXACT_ROWS = 65_536  # up to here every distinct value keeps its own code by default
MOST_CODES = 65_535  # a uint16 code, with one value kept for missing


@dataclass(frozen=True, eq=False)
class Columns:
    """Hold n rows of d columns as codes."""

    codes: Codes  # (d, n), C-contiguous codes; a missing value has code ``n_codes[f]``
    # increasing cut points of each column; empty for a nominal column
    cuts: tuple[NDArray[np.float64], ...]
    # (d,), number of codes of present values: cuts + 1, or the categories of a nominal column
    n_codes: NDArray[np.int32]
    nominal: NDArray[np.bool_]  # (d,), which columns are nominal
    missing: NDArray[np.bool_]  # (d,), which columns have missing values among these rows
    candidates: NDArray[np.intp]  # columns that a learner may use, increasing
    n_jobs: int = 1  # threads that learners may use; the result does not depend on it

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_jobs", checked_jobs(self.n_jobs))

    @classmethod
    def from_rows(
        cls,
        X: ArrayLike,
        *,
        max_bins: int | None = None,
        nominal: ArrayLike | None = None,
        n_jobs: int = 1,
    ) -> Columns:
        """Code the columns of X (n, d); NaN is missing.

        `max_bins` bounds the codes of a numeric column; columns with fewer distinct values are
        coded exactly, and None means no bound up to 65,536 rows and 255 beyond. `nominal` (d,)
        marks the columns whose values are category numbers 0, 1, 2, …
        """
        n_jobs = checked_jobs(n_jobs)
        rows = array_rows(X)
        n, d = rows.shape
        bins = _checked_bins(max_bins, n)
        is_nominal = _checked_nominal(nominal, d)
        with ThreadPoolExecutor(n_jobs) as threads:  # np.sort runs without the lock
            found = list(
                threads.map(lambda f: _column(rows[:, f], f, bins, bool(is_nominal[f])), range(d))
            )
        cuts = tuple(column[0] for column in found)
        n_codes = np.array([column[1] for column in found], np.int32)
        missing = np.array([column[2] for column in found], np.bool_)
        codes = _codes(rows, cuts, n_codes, is_nominal, n_jobs)
        return cls(codes, cuts, n_codes, is_nominal, missing, np.arange(d), n_jobs)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.codes.shape[1])

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.codes.shape[0])

    @property
    def native(self) -> _core.ColumnArrays:
        """Arrays that the kernels read."""
        return self.codes, self.n_codes, self.nominal, self.missing, self.candidates

    def restricted(self, candidates: ArrayLike) -> Columns:
        """Return the same rows with splits allowed on `candidates` alone."""
        given = np.asarray(candidates)
        if given.size and given.dtype.kind not in "iu":
            raise ValueError(f"candidates are {given.dtype}; wanted the numbers of columns")
        chosen = np.unique(given.astype(np.intp))
        if len(chosen) and not (chosen[0] >= 0 and chosen[-1] < self.n_features):
            bad = chosen[0] if chosen[0] < 0 else chosen[-1]
            raise ValueError(
                f"candidates contain column {bad}; columns are numbered 0..{self.n_features - 1}"
            )
        return replace(self, candidates=chosen)

    def taken(self, rows: NDArray[np.intp]) -> Columns:
        """Select rows, keeping the cuts."""
        return replace(self, codes=np.ascontiguousarray(self.codes[:, rows]))

    def threshold(self, feature: int, cut: int) -> float:
        """Return the t for which ``code <= cut`` means ``x <= t``, or infinity."""
        cuts = self.cuts[feature]
        return float(cuts[cut]) if cut < len(cuts) else float("inf")

    def leaf_codes(self, nodes: Nodes) -> Codes:
        """Return the leaf of `nodes` that each row reaches, uint8 or uint16 (n,).

        The tree may only split at this object's cuts: codes represent no other thresholds.
        """
        cuts = np.zeros(len(nodes.records), np.int32)
        for s, (threshold, feature, _, _, _, n_words, _) in enumerate(nodes.records.tolist()):
            if feature >= self.n_features:
                raise ValueError(
                    f"node {s} splits column {feature}; columns are numbered "
                    f"0..{self.n_features - 1}"
                )
            if feature >= 0 and n_words == 0:
                cuts[s] = self._cut(feature, threshold)
        leaves: Codes = np.empty(self.n_rows, np.uint8 if nodes.n_leaves <= 256 else np.uint16)
        tree = (nodes.records.view(np.uint8), cuts, nodes.words)
        _core.coded_leaves(self.native, *tree, leaves, self.n_jobs)
        return leaves

    def _cut(self, feature: int, threshold: float) -> int:
        cuts = self.cuts[feature]
        cut = int(np.searchsorted(cuts, threshold))
        if self.threshold(feature, cut) != threshold:
            raise ValueError(
                f"a split of column {feature} has threshold {threshold!r}, which is not one of its "
                f"{len(cuts)} cuts; take thresholds from Columns.threshold(feature, cut)"
            )
        return cut


def _checked_bins(max_bins: int | None, n_rows: int) -> int:
    if max_bins is None:
        return MOST_CODES + 1 if n_rows <= EXACT_ROWS else 255
    if not 2 <= max_bins <= MOST_CODES:
        raise ValueError(f"max_bins is {max_bins}; wanted None or a number from 2 to {MOST_CODES}")
    return max_bins


def _checked_nominal(nominal: ArrayLike | None, d: int) -> NDArray[np.bool_]:
    if nominal is None:
        return np.zeros(d, np.bool_)
    mask = np.asarray(nominal)
    if mask.dtype != np.bool_ or mask.shape != (d,):
        raise ValueError(
            f"nominal is {mask.dtype} {mask.shape}; wanted one bool per column, shape ({d},)"
        )
    return mask


def _column(
    values: Floats, feature: int, bins: int, nominal: bool
) -> tuple[NDArray[np.float64], int, bool]:
    """Return the cuts of a column, its number of codes, and whether values are missing."""
    ordered = np.sort(values)  # NaN goes last
    present = ordered[: len(ordered) - int(np.isnan(ordered).sum())]
    missing = len(present) < len(ordered)
    if nominal:
        return np.empty(0), _n_categories(present, feature), missing
    cuts = _cuts(present, bins)
    return cuts, len(cuts) + 1, missing


def _n_categories(present: Floats, feature: int) -> int:
    """Count the categories of a nominal column; `present` is sorted and without NaN."""
    if len(present) == 0:
        return 1
    fits = (present >= 0) & (present < MOST_CODES) & (np.floor(present) == present)
    if not fits.all():
        bad = present[~fits][0]
        raise ValueError(
            f"nominal column {feature} contains {bad}; wanted category numbers, integers from 0 to "
            f"{MOST_CODES - 1}: encode the column, or leave it numeric"
        )
    return int(present[-1]) + 1


def _cuts(present: Floats, bins: int) -> NDArray[np.float64]:
    """Place cuts between neighboring distinct values, or between groups of them.

    `present` is sorted and without NaN. There are groups, of (nearly) equally many distinct values,
    if the distinct values are more than `bins`.
    """
    if len(present) == 0:
        return np.empty(0)
    distinct = present[np.append(True, present[1:] != present[:-1])].astype(np.float64)
    if len(distinct) <= bins:
        low, high = distinct[:-1], distinct[1:]
    else:
        first = np.arange(1, bins) * len(distinct) // bins
        low, high = distinct[first - 1], distinct[first]
    with np.errstate(invalid="ignore"):
        middle = low / 2 + high / 2
    # Rounding may carry the middle onto `high`; halving denormals may carry it below `low`
    cuts: NDArray[np.float64] = np.where((low <= middle) & (middle < high), middle, low)
    return cuts


def _codes(
    rows: Floats,
    cuts: tuple[NDArray[np.float64], ...],
    n_codes: NDArray[np.int32],
    nominal: NDArray[np.bool_],
    n_jobs: int,
) -> Codes:
    n, d = rows.shape
    codes: Codes = np.empty((d, n), np.uint8 if n_codes.max(initial=0) <= 255 else np.uint16)
    flat = np.concatenate([np.empty(0), *cuts])
    starts = starts_of([len(c) for c in cuts])
    _core.encode(rows, flat, starts, n_codes, nominal, codes, n_jobs)
    return codes
