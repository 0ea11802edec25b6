"""The levels of a scan: the picture at the scales at which windows are looked at.

Scales are 1, s, s^2, ... as long as the window, that many times larger, fits the picture. At each
scale the picture is made smaller, not the window larger, so that all levels have windows of one
size. Rounding (half to even, sizes in float32) is OpenCV's, so that its windows are found again.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_whole, described

Window = tuple[int, int]  # height, width
Size = int | tuple[int, int] | None

MOST_LEVELS = 1000  # a scale so near 1 is a mistake
WINDOWS_PER_CALL = 1 << 22  # a fraction of a second; Ctrl-C is heard between calls
WINDOWS_PER_TASK = 1 << 19
LEAST_ROWS = 48  # of a task: its first rows of cells cost the most


@dataclass(frozen=True)
class Levels:
    """scales : float32 (L,); shapes : int64 (L, 3), height, width and step of each level"""

    window: Window
    scales: NDArray[np.float32]
    shapes: NDArray[np.int64]
    as_opencv: bool = False

    @property
    def rows(self) -> NDArray[np.int64]:
        """Rows of windows. OpenCV cuts each level into stripes, as many as the first level has
        columns by 32, whose whole rows may leave the last one out."""
        heights, steps = self.shapes[:, 0] - self.window[0] + 1, self.shapes[:, 2]
        rows: NDArray[np.int64] = (heights + steps - 1) // steps
        if not self.as_opencv or len(rows) == 0:
            return rows
        n_stripes = -(-(int(self.shapes[0, 1]) - self.window[1] + 1) // 32)
        stripe = np.maximum(-(-(heights // steps) // n_stripes), 1)
        covered: NDArray[np.int64] = n_stripes * stripe
        return np.minimum(rows, covered)

    @property
    def columns(self) -> NDArray[np.int64]:
        return (self.shapes[:, 1] - self.window[1]) // self.shapes[:, 2] + 1

    def calls(self, n_threads: int) -> list[NDArray[np.int64]]:
        """Tasks (level, first row, end) for each call of the kernel, in order."""
        calls: list[list[tuple[int, int, int]]] = [[]]
        share = int((self.rows * self.columns).sum()) // (4 * n_threads)
        taken = 0
        for level, (rows, columns) in enumerate(zip(self.rows, self.columns, strict=True)):
            most = WINDOWS_PER_TASK if n_threads == 1 else min(WINDOWS_PER_TASK, share)
            height = max(LEAST_ROWS, most // int(columns))
            for first in range(0, int(rows), height):
                end = min(first + height, int(rows))
                if taken > WINDOWS_PER_CALL:
                    calls.append([])
                    taken = 0
                calls[-1].append((level, first, end))
                taken += (end - first) * int(columns)
        return [np.array(call, np.int64).reshape(-1, 3) for call in calls]


def levels_of(
    shape: tuple[int, int],
    window: Window,
    *,
    scale: float = 1.1,
    min_size: Size = None,
    max_size: Size = None,
    step: int | None = None,
    as_opencv: bool = False,
) -> Levels:
    """The levels of a picture of that shape (height, width).

    min_size, max_size : of windows in the picture, pixels: (height, width), or the height alone
    step : pixels of a level between windows; None: 2 at scales below 2, else 1
    as_opencv : leave out the rows that OpenCV leaves out
    """
    check_scale(scale)
    if step is not None:
        check_whole("step", step, 1)
        step = min(int(step), max(shape))  # a longer one gives the same windows
    least = _checked_size("min_size", min_size, window, 0)
    most = _checked_size("max_size", max_size, window, 1 << 30)
    factors, factor = [], 1.0
    while all(round(side * factor) <= n for side, n in zip(window, shape, strict=True)):
        factors.append(factor)
        factor *= scale
    scales = np.array(factors, np.float32)
    sizes = np.rint(np.array(window, np.float32) * scales[:, None])
    shapes = np.rint(np.array(shape, np.float32) / scales[:, None])
    fits = (sizes >= least) & (sizes <= most) & (shapes >= window)
    chosen = fits.all(axis=1)
    steps = np.where(scales >= 2, 1, 2) if step is None else np.full(len(scales), step)
    table = np.column_stack([shapes, steps]).astype(np.int64)
    return Levels(window, scales[chosen], table[chosen], as_opencv)


def check_scale(scale: Any) -> None:
    """Refuse a ratio of neighbouring scales that is not above 1, or that makes endless levels."""
    is_number = isinstance(scale, Real) and not isinstance(scale, bool)
    if not is_number or not 1.01 <= scale <= 100:
        raise ValueError(
            f"scale is {described(scale)}; wanted the ratio of neighbouring scales, 1.01 to 100"
        )


def _checked_size(name: str, size: Any, window: Window, default: int) -> tuple[int, int]:
    """(height, width); a height alone has the width of the window at that scale."""
    if size is None:
        return default, default
    wanted = "a whole number of pixels, or two: height and width"
    pair = (size, round(size * window[1] / window[0])) if _is_whole(size) else size
    if not isinstance(pair, tuple) or len(pair) != 2 or not all(map(_is_whole, pair)):
        raise ValueError(f"{name} is {described(size)}; wanted {wanted}")
    return int(pair[0]), int(pair[1])


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and 0 < int(value) < 1 << 31
