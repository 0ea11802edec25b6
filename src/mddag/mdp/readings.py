"""Readings: the full score of a document, as it is expected at each check point.

    reading_c = level_c + sum over blocks b <= c of weight_cb * B_b

B_b is the sum of the votes of the steps between the check points b - 1 and b. With weights and
levels of its own at each check point a reading means the same whenever a document left, so
documents that left early and late can be sorted together. The spread is the deviation of the full
score from the reading, by the value of the reading. At the last check point, behind the last step,
the reading is the full score itself.

The gain curve says what a document with a full score is worth to the metric, E[gain | F], and
`slope` how much of it a unit of score is. ``solvers.ranking`` fits all of these.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag._internal.read_only import ReadOnlyArrays, read_only

LARGEST = 1e100  # numbers whose sums and squares remain numbers


@dataclass(frozen=True, eq=False)
class Readings(ReadOnlyArrays):
    """What partial sums say of full scores, at C check points.

    checks  : int64 (C,), rising: check point c is before step checks[c]; the last is N
    weights : float64 (C, C), of block b at check point c; 0 for b > c
    level   : float64 (C,)
    edges   : float64 (C, m - 1), rising: cells of the reading
    spread  : float64 (C, m), above 0: the deviation in each of them
    gain_at, gain : float64 (n_knots,), strictly rising scores and their gains, which do not fall
    slope   : gain per unit of score
    """

    checks: NDArray[np.int64]
    weights: NDArray[np.float64]
    level: NDArray[np.float64]
    edges: NDArray[np.float64]
    spread: NDArray[np.float64]
    gain_at: NDArray[np.float64]
    gain: NDArray[np.float64]
    slope: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "checks", read_only(self.checks, np.int64))
        for name in ("weights", "level", "edges", "spread", "gain_at", "gain"):
            array = read_only(getattr(self, name), np.float64)
            if not (np.abs(array) <= LARGEST).all():
                raise ValueError(f"{name} of readings hold others than numbers up to {LARGEST:g}")
            object.__setattr__(self, name, array)
        object.__setattr__(self, "slope", float(self.slope))
        self._check_shapes()
        self._check_order()

    def __repr__(self) -> str:
        return f"<Readings at {len(self)} check points of {self.n_steps} steps>"

    def __len__(self) -> int:
        return len(self.checks)

    @property
    def n_steps(self) -> int:
        return int(self.checks[-1])

    def block(self, j: int) -> int:
        """The block that step j belongs to."""
        return int(np.searchsorted(self.checks, j, side="right"))

    def read(self, blocks: NDArray[np.float64], c: int) -> NDArray[np.float64]:
        """Readings at check point c of documents with these sums of blocks (n, C), (n,)."""
        total = np.full(len(blocks), self.level[c])
        for b in range(c + 1):  # in this order, as the kernel adds them
            total += self.weights[c, b] * blocks[:, b]
        return total

    def spreads(self, reading: NDArray[np.float64], c: int) -> NDArray[np.float64]:
        """The spreads of readings (n,) at check point c, (n,)."""
        found: NDArray[np.float64] = self.spread[c][np.searchsorted(self.edges[c], reading)]
        return found

    def gains(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """E[gain | F] of full scores, (n,)."""
        return np.interp(scores, self.gain_at, self.gain)

    def _check_shapes(self) -> None:
        n, cells = len(self.checks), np.shape(self.spread)[-1] if self.spread.ndim == 2 else 0
        wanted = {
            "checks": (n,),
            "weights": (n, n),
            "level": (n,),
            "edges": (n, cells - 1),
            "spread": (n, cells),
            "gain_at": (len(self.gain_at),),
            "gain": (len(self.gain_at),),
        }
        for name, shape in wanted.items():
            if getattr(self, name).shape != shape or 0 in shape[:1] or cells == 0:
                raise ValueError(
                    f"{name} of readings have shape {getattr(self, name).shape}; wanted {shape} "
                    f"for {n} check points, one or more"
                )

    def _check_order(self) -> None:
        sound = {
            "checks": self.checks[0] > 0 and (np.diff(self.checks) > 0).all(),
            "edges": (np.diff(self.edges, axis=1) >= 0).all(),
            "gain_at": (np.diff(self.gain_at) > 0).all(),
            "gain": (np.diff(self.gain) >= 0).all() and (self.gain >= 0).all(),
            "spread": (self.spread > 0).all(),
            "slope": 0 <= self.slope <= LARGEST,
        }
        for name, is_sound in sound.items():
            if not is_sound:
                raise ValueError(
                    f"{name} of readings are not in order; wanted rising check points, edges, "
                    "knots and gains, spreads above 0 and a slope of 0 or more"
                )
