"""A classifier of windows, the scan of an image at all scales, and the windows that it accepts.

The trees of a window vote one after the other. After each stage, which is some trees, the window is
rejected if the sum of votes is below the stage's threshold; a stage may start the sum from 0 (the
cascade of Viola & Jones) or add to it (a soft cascade: one tree a stage). Windows that pass all
stages with a sum of at least `accept` are hits, and the sum is their score. A split is "value <=
threshold goes to side 0", on values normalised by the deviation of the window, see
``features.patches``.

Scales are 1, s, s^2, ... as long as the window, that many times larger, fits the image. At each
scale the image is made smaller, not the window larger, so that all levels have windows of one size.
Rounding (half to even, sizes in float32) is OpenCV's, so that its windows are found again.

Twin of the scan: tests/reference/scan.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag import _core
from mddag._utils.arrays import ReadOnlyArrays, read_only
from mddag._utils.cached import cached_property
from mddag._utils.checks import check_between, check_whole, checked_threads, described
from mddag.detection.images import as_grey

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


@dataclass(frozen=True, eq=False)
class Hits:
    """Accepted windows, ordered by level, row and column.

    boxes : int64 (m, 4), xmin, ymin, xmax, ymax in the picture; the last two are exclusive
    scores : float64 (m,)
    levels : int64 (m,), the number of the scale, 0 the smallest
    places : int64 (m, 2), x and y of the window in the picture of that scale
    n_windows : windows looked at
    n_evaluated : base classifiers evaluated, over all windows
    scales : float32 (L,), of the levels
    """

    boxes: NDArray[np.int64]
    scores: NDArray[np.float64]
    levels: NDArray[np.int64]
    places: NDArray[np.int64]
    n_windows: int
    n_evaluated: int
    scales: NDArray[np.float32]
    shapes: NDArray[np.int64]
    window: tuple[int, int]

    def __len__(self) -> int:
        return len(self.scores)

    def taken(self, chosen: NDArray[np.intp]) -> Hits:
        """Some of the hits, by number."""
        return replace(
            self,
            boxes=self.boxes[chosen],
            scores=self.scores[chosen],
            levels=self.levels[chosen],
            places=self.places[chosen],
        )

    def patches(self, grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The windows as the scan saw them, cut from the scaled pictures: uint8 (m, h, w).

        grey : the picture that was scanned, as `as_grey` gives it
        """
        height, width = self.window
        out = np.empty((len(self), height, width), np.uint8)
        for level in np.unique(self.levels):
            scaled = resized(grey, *self.shapes[level, :2])
            windows = np.lib.stride_tricks.sliding_window_view(scaled, self.window)
            here = self.levels == level
            x, y = self.places[here].T
            out[here] = windows[y, x]
        return out


def resized(grey: NDArray[np.uint8], height: int, width: int) -> NDArray[np.uint8]:
    """A picture made smaller as a scan does it: see native/scan/resize.hpp."""
    out = np.empty((height, width), np.uint8)
    _core.resize(np.ascontiguousarray(grey), out)
    return out


def boxes_of(
    levels: Levels, level: NDArray[np.int64], places: NDArray[np.int64], shape: tuple[int, int]
) -> NDArray[np.int64]:
    """Windows of the levels as boxes of the picture of that shape, cut off at its edges."""
    scales = levels.scales[level, None]
    corners = np.rint(places.astype(np.float32) * scales).astype(np.int64)
    sizes = np.rint(np.array(levels.window[::-1], np.float32) * scales).astype(np.int64)
    ends = np.minimum(corners + sizes, np.array(shape[::-1]))
    return np.concatenate([corners, ends], axis=1)


LEAF = -1


@dataclass(frozen=True, eq=False)
class WindowClassifier(ReadOnlyArrays):
    """Trees over rectangles of a window, in stages.

    window : height, width
    features : int32 (m, 3, 5): x, y, w, h, weight of up to three rectangles; weight 0: none
    node_feature, node_threshold : (n,), int32 and float32
    node_next : int32 (n, 2), of both sides: a later node of the same tree, or LEAF
    node_votes : float64 (n, 2), of sides that are leaves
    tree_starts : int64 (T + 1,), the first node of each tree, and n
    stage_starts : int64 (S + 1,), the first tree of each stage, and T
    stage_fresh : bool (S,), whether the sum starts from 0
    stage_reject : float64 (S,), windows of a lower sum leave; -inf: none does
    accept : the least score of a hit
    margin : pixels at each side that the deviation of the window leaves out
    min_deviation : windows of this deviation or less are rejected unseen; 0: none are
    skips : windows are visited as in OpenCV: one that the first stage rejects hides its right
        neighbour, and the last row of some levels is left out
    """

    window: tuple[int, int]
    features: NDArray[np.int32]
    node_feature: NDArray[np.int32]
    node_threshold: NDArray[np.float32]
    node_next: NDArray[np.int32]
    node_votes: NDArray[np.float64]
    tree_starts: NDArray[np.int64]
    stage_starts: NDArray[np.int64]
    stage_fresh: NDArray[np.bool_]
    stage_reject: NDArray[np.float64]
    accept: float = -np.inf
    margin: int = 0
    min_deviation: float = 0.0
    skips: bool = False

    def __post_init__(self) -> None:
        for name, dtype in TYPES.items():
            object.__setattr__(self, name, read_only(getattr(self, name), dtype))
        check_whole("margin", self.margin, 0)
        check_between("min_deviation", self.min_deviation, 0, 255, "grey levels, 0 to 255")
        if not self.accept < np.inf:
            raise ValueError(f"accept is {self.accept}; wanted a number, or -inf to accept all")
        _core.check_window_classifier(self.native)

    @classmethod
    def of_stumps(
        cls,
        window: tuple[int, int],
        features: ArrayLike,
        thresholds: ArrayLike,
        votes: ArrayLike,
        reject: ArrayLike,
        **settings: Any,
    ) -> WindowClassifier:
        """A soft cascade: stump j has features[j] (3, 5), thresholds[j], votes[j] (2,) for values
        up to the threshold and above, and reject[j]: a lower sum of votes ends the window."""
        reject = np.asarray(reject, np.float64)
        n = len(reject)
        starts = np.arange(n + 1)
        return cls(
            window=window,
            features=np.asarray(features, np.int32),
            node_feature=starts[:-1].astype(np.int32),
            node_threshold=np.asarray(thresholds, np.float32),
            node_next=np.full((n, 2), LEAF, np.int32),
            node_votes=np.asarray(votes, np.float64),
            tree_starts=starts,
            stage_starts=starts,
            stage_fresh=np.arange(n) == 0,
            stage_reject=reject,
            **settings,
        )

    @property
    def n_trees(self) -> int:
        return len(self.tree_starts) - 1

    @cached_property
    def native(self) -> tuple[Any, ...]:
        """What the kernel takes."""
        height, width = (int(side) for side in self.window)
        settings = (height, width, self.margin, self._flattest, self.skips, float(self.accept))
        nodes = (self.node_feature, self.node_threshold, self.node_next, self.node_votes)
        stages = (self.tree_starts, self.stage_starts, self.stage_fresh, self.stage_reject)
        return settings, self.features, nodes, stages

    @property
    def _flattest(self) -> float:
        """The least scale (1 / (area x deviation), float32) of windows that are rejected unseen."""
        if self.min_deviation < 1:  # no scale is of a smaller deviation
            return np.inf
        height, width = self.window
        area = (height - 2 * self.margin) * (width - 2 * self.margin)
        scale = np.float32(1 / (self.min_deviation * area))
        while area * float(scale) >= 1 / self.min_deviation:
            scale = np.nextafter(scale, np.float32(0))
        while area * float(scale) < 1 / self.min_deviation:
            scale = np.nextafter(scale, np.float32(np.inf))
        return float(scale)

    def scan(
        self,
        picture: Any,
        *,
        scale: float = 1.1,
        min_size: Size = None,
        max_size: Size = None,
        step: int | None = None,
        n_threads: int = 1,
    ) -> Hits:
        """The accepted windows of a picture, at all scales; not grouped.

        picture : see `mddag.detection.images.as_grey`; one smaller than the window has none
        scale, min_size, max_size, step : see `mddag.detection.window_classifier.levels_of`
        """
        n_threads = checked_threads(n_threads)
        grey = as_grey(picture)
        shape = (grey.shape[0], grey.shape[1])
        levels = levels_of(
            shape,
            self.window,
            scale=scale,
            min_size=min_size,
            max_size=max_size,
            step=step,
            as_opencv=self.skips,
        )
        parts = [
            _core.scan(grey, levels.shapes, tasks, self.native, n_threads)
            for tasks in levels.calls(n_threads)
        ]
        found = np.concatenate([part[0] for part in parts]).reshape(-1, 3).astype(np.int64)
        level, places = found[:, 0], found[:, 1:]
        return Hits(
            boxes=boxes_of(levels, level, places, shape),
            scores=np.concatenate([part[1] for part in parts]),
            levels=level,
            places=places,
            n_windows=sum(part[2] for part in parts),
            n_evaluated=sum(part[3] for part in parts),
            scales=levels.scales,
            shapes=levels.shapes,
            window=self.window,
        )


TYPES = {
    "features": np.int32,
    "node_feature": np.int32,
    "node_threshold": np.float32,
    "node_next": np.int32,
    "node_votes": np.float64,
    "tree_starts": np.int64,
    "stage_starts": np.int64,
    "stage_fresh": np.bool_,
    "stage_reject": np.float64,
}
