"""A classifier of windows, the scan of an image at all scales, and its hits grouped into objects.

After each stage, which is some trees, a window is rejected if the sum of votes is below the stage's
threshold; a stage may start the sum from 0 (the cascade of Viola & Jones) or add to it (a soft
cascade: one tree a stage). Windows that pass all stages with a sum of at least `accept` are hits,
and the sum is their score. A split is "value <= threshold goes to side 0", on values normalized by
the deviation of the window.

At each scale the image is made smaller, not the window larger, so that all levels have windows of
one size. Rounding (half to even, sizes in float32) is OpenCV's: its windows are found again.

Twins: tests/reference/scan.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.arrays import ReadOnlyArrays, read_only
from mddag._utils.cached import cached_property
from mddag._utils.checks import check_between, check_whole, checked_jobs, described
from mddag.detection.images import ImageLike, as_gray

Window = tuple[int, int]  # height, width
Size = int | tuple[int, int] | None

WINDOWS_PER_CALL = 1 << 22  # a fraction of a second; Ctrl-C is heard between calls
WINDOWS_PER_TASK = 1 << 19
LEAST_ROWS = 48  # of a task: its first rows of cells cost the most
LEAF = -1
OVERLAP = 0.3  # intersection over union with the strongest hit of an object, at least
STRONGEST = 3  # hits that make the evidence of an object
LEAST_EVIDENCE = 1e-3  # of a hit that is just accepted
SIMILAR = 0.2  # of a side, by which edges of boxes of a chain may differ
TAIL = 40  # false objects of which the tail is made


@dataclass(frozen=True)
class Levels:
    """The scales at which an image is scanned."""

    window: Window
    scales: NDArray[np.float32]  # float32 (L,)
    shapes: NDArray[np.int64]  # int64 (L, 3), height, width and step of each level
    as_opencv: bool = False  # whether the rows that OpenCV leaves out are left out

    @property
    def rows(self) -> NDArray[np.int64]:
        """Count the rows of windows of each level."""
        heights, steps = self.shapes[:, 0] - self.window[0] + 1, self.shapes[:, 2]
        rows: NDArray[np.int64] = (heights + steps - 1) // steps
        if not self.as_opencv or len(rows) == 0:
            return rows
        # OpenCV cuts each level into stripes, as many as the first level has columns by 32, whose
        # whole rows may leave the last one out.
        n_stripes = -(-(int(self.shapes[0, 1]) - self.window[1] + 1) // 32)
        stripe = np.maximum(-(-(heights // steps) // n_stripes), 1)
        covered: NDArray[np.int64] = n_stripes * stripe
        return np.minimum(rows, covered)

    @property
    def columns(self) -> NDArray[np.int64]:
        """Count the columns of windows of each level."""
        return (self.shapes[:, 1] - self.window[1]) // self.shapes[:, 2] + 1

    def calls(self, n_jobs: int) -> list[NDArray[np.int64]]:
        """Return tasks (level, first row, end) for each call of the kernel, in order."""
        calls: list[list[tuple[int, int, int]]] = [[]]
        share = int((self.rows * self.columns).sum()) // (4 * n_jobs)
        taken = 0
        for level, (rows, columns) in enumerate(zip(self.rows, self.columns, strict=True)):
            most = WINDOWS_PER_TASK if n_jobs == 1 else min(WINDOWS_PER_TASK, share)
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
    shape: tuple[int, ...],
    window: Window,
    *,
    scale: float = 1.1,
    min_size: Size = None,
    max_size: Size = None,
    as_opencv: bool = False,
) -> Levels:
    """Return the levels of an image of that shape whose windows are of these sizes."""
    is_number = isinstance(scale, Real) and not isinstance(scale, bool)
    if not is_number or not 1.01 <= scale <= 100:  # nearer to 1 there are endless levels
        raise ValueError(
            f"scale is {described(scale)}; wanted the ratio of neighboring scales, 1.01 to 100"
        )
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
    steps = np.where(scales >= 2, 1, 2)  # pixels of a level between windows
    table = np.column_stack([shapes, steps]).astype(np.int64)
    return Levels(window, scales[chosen], table[chosen], as_opencv)


def _checked_size(name: str, size: Any, window: Window, default: int) -> tuple[int, int]:
    """Return (height, width); a height alone has the width of the window at that scale."""
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
    """Accepted windows, ordered by level, row and column."""

    boxes: NDArray[np.int64]  # (m, 4), xmin, ymin, xmax, ymax; the last two are exclusive
    scores: NDArray[np.float64]  # (m,)
    levels: NDArray[np.int64]  # (m,), the number of the scale, 0 the smallest
    places: NDArray[np.int64]  # (m, 2), x and y of the window in the image of that scale
    n_windows: int  # windows looked at
    n_evaluated: int  # base classifiers evaluated, over all windows
    shapes: NDArray[np.int64]  # (L, 3), of the levels
    window: Window

    def __len__(self) -> int:
        return len(self.scores)

    def patches(self, gray: NDArray[np.uint8], chosen: NDArray[np.intp]) -> NDArray[np.uint8]:
        """Cut some of the windows, as the scan saw them, from the gray image that was scanned."""
        out = np.empty((len(chosen), *self.window), np.uint8)
        for level in np.unique(self.levels[chosen]):
            scaled = scaled_down(gray, *self.shapes[level, :2])
            windows = np.lib.stride_tricks.sliding_window_view(scaled, self.window)
            here = self.levels[chosen] == level
            x, y = self.places[chosen[here]].T
            out[here] = windows[y, x]
        return out


def scaled_down(gray: NDArray[np.uint8], height: int, width: int) -> NDArray[np.uint8]:
    """Return an image made smaller as a scan does it: see native/scan/resize.hpp."""
    out = np.empty((height, width), np.uint8)
    _core.resize(np.ascontiguousarray(gray), out)
    return out


def boxes_of(
    levels: Levels, level: NDArray[np.int64], places: NDArray[np.int64], shape: tuple[int, int]
) -> NDArray[np.int64]:
    """Return windows of the levels as boxes of the image, cut off at its edges."""
    scales = levels.scales[level, None]
    corners = np.rint(places.astype(np.float32) * scales).astype(np.int64)
    sizes = np.rint(np.array(levels.window[::-1], np.float32) * scales).astype(np.int64)
    ends = np.minimum(corners + sizes, np.array(shape[::-1]))
    return np.concatenate([corners, ends], axis=1)


@dataclass(frozen=True, eq=False)
class WindowClassifier(ReadOnlyArrays):
    """Trees over rectangles of a window, in stages."""

    window: tuple[int, int]  # height, width
    features: NDArray[np.int32]  # int32 (m, 3, 5): x, y, w, h, weight of rectangles; 0: none
    node_feature: NDArray[np.int32]  # int32 (n,)
    node_threshold: NDArray[np.float32]  # float32 (n,)
    node_next: NDArray[np.int32]  # int32 (n, 2), by side: a later node of the tree, or LEAF
    node_votes: NDArray[np.float64]  # float64 (n, 2), of sides that are leaves
    tree_starts: NDArray[np.int64]  # int64 (T + 1,), the first node of each tree, and n
    stage_starts: NDArray[np.int64]  # int64 (S + 1,), the first tree of each stage, and T
    stage_fresh: NDArray[np.bool_]  # bool (S,), whether the sum starts from 0
    stage_reject: NDArray[np.float64]  # float64 (S,), windows of a lower sum leave; -inf: none does
    accept: float = -np.inf  # the least score of a hit
    margin: int = 0  # pixels at each side that the deviation of the window leaves out
    min_deviation: float = 0.0  # windows of this deviation or less are rejected unseen; 0: none are
    # as in OpenCV: a window that the first stage rejects hides its right neighbor, and the last row
    # of some levels is left out
    skips: bool = False

    def __post_init__(self) -> None:
        for name, dtype in TYPES.items():
            object.__setattr__(self, name, read_only(getattr(self, name), dtype))
        check_whole("margin", self.margin, 0)
        check_between("min_deviation", self.min_deviation, 0, 255, "gray levels, 0 to 255")
        if not self.accept < np.inf:
            raise ValueError(f"accept is {self.accept}; wanted a number, or -inf to accept all")
        _core.check_window_classifier(self.native)

    @property
    def n_trees(self) -> int:
        """Count the trees."""
        return len(self.tree_starts) - 1

    @cached_property
    def native(self) -> tuple[Any, ...]:
        """Return what the kernel takes."""
        height, width = (int(side) for side in self.window)
        settings = (height, width, self.margin, self._flattest, self.skips, float(self.accept))
        nodes = (self.node_feature, self.node_threshold, self.node_next, self.node_votes)
        stages = (self.tree_starts, self.stage_starts, self.stage_fresh, self.stage_reject)
        return settings, self.features, nodes, stages

    @property
    def _flattest(self) -> float:
        """Return the least scale, 1 / (area x deviation), of windows that are rejected unseen."""
        height, width = self.window
        area = (height - 2 * self.margin) * (width - 2 * self.margin)
        if self.min_deviation < 1 or area <= 0:  # no scale is of a smaller deviation; no pixel left
            return np.inf
        scale = np.float32(1 / (self.min_deviation * area))
        while area * float(scale) >= 1 / self.min_deviation:
            scale = np.nextafter(scale, np.float32(0))
        while area * float(scale) < 1 / self.min_deviation:
            scale = np.nextafter(scale, np.float32(np.inf))
        return float(scale)

    def scan(
        self,
        picture: ImageLike,
        *,
        scale: float = 1.1,
        min_size: Size = None,
        max_size: Size = None,
        n_jobs: int = 1,
    ) -> Hits:
        """Find the windows of an image that are accepted, at all scales, and do not group them."""
        n_jobs = checked_jobs(n_jobs)
        gray = as_gray(picture)
        levels = levels_of(
            gray.shape,
            self.window,
            scale=scale,
            min_size=min_size,
            max_size=max_size,
            as_opencv=self.skips,
        )
        parts = [
            _core.scan(gray, levels.shapes, tasks, self.native, n_jobs)
            for tasks in levels.calls(n_jobs)
        ]
        found = np.concatenate([part[0] for part in parts]).reshape(-1, 3).astype(np.int64)
        level, places = found[:, 0], found[:, 1:]
        return Hits(
            boxes=boxes_of(levels, level, places, gray.shape),
            scores=np.concatenate([part[1] for part in parts]),
            levels=level,
            places=places,
            n_windows=sum(part[2] for part in parts),
            n_evaluated=sum(part[3] for part in parts),
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


class Groups(NamedTuple):
    """Objects, that of the most evidence first."""

    boxes: NDArray[np.int64]  # int64 (g, 4)
    evidence: NDArray[np.float64]  # float64 (g,)
    members: NDArray[np.int64]  # int64 (g,), hits of each

    def kept(self, keep: NDArray[np.bool_]) -> Groups:
        """Return some of the objects, by falling evidence."""
        order = np.argsort(-self.evidence, kind="stable")
        order = order[keep[order]]
        return Groups(self.boxes[order], self.evidence[order], self.members[order])


def group_by_evidence(
    boxes: NDArray[np.int64], evidence: NDArray[np.float64], cut: float = 0.0
) -> Groups:
    """Group hits of some evidence above 0 that overlap the strongest one of them."""
    group = np.empty(len(boxes), np.int64)
    n = _core.group_greedily(boxes, evidence, OVERLAP, group)
    groups = _summed(boxes, evidence, group, n)
    order = np.lexsort((-evidence, group))
    rank = np.arange(len(order)) - np.searchsorted(group[order], np.arange(n))[group[order]]
    counted = order[rank < STRONGEST]
    sums = np.bincount(group[counted], evidence[counted], n).astype(np.float64)
    return groups._replace(evidence=sums).kept(sums >= cut)


def objects_of(hits: Hits, accept: float, cut: float) -> Groups:
    """Return the objects that hits with scores of `accept` or more stand for."""
    return without_nested(group_by_evidence(hits.boxes, hits.scores - accept + LEAST_EVIDENCE, cut))


def without_nested(groups: Groups) -> Groups:
    """Drop objects whose center lies in a stronger one, or that hold the center of one."""
    # Hits of parts of an object, or of much more than it, overlap it too little to be grouped.
    centers = (groups.boxes[:, :2] + groups.boxes[:, 2:]) / 2
    left = np.ones(len(centers), np.bool_)
    keep = np.zeros(len(centers), np.bool_)
    for i, box in enumerate(groups.boxes):  # by falling evidence
        if not left[i]:
            continue
        keep[i] = True
        left &= ~((centers > box[:2]) & (centers < box[2:])).all(axis=1)
        around = (groups.boxes[:, :2] < centers[i]) & (centers[i] < groups.boxes[:, 2:])
        left &= ~around.all(axis=1)
    return groups.kept(keep)


def group_neighbors(hits: NDArray[np.int64], min_neighbors: int = 3) -> Groups:
    """Group similar boxes as `cv2.groupRectangles` does; each hit is evidence of 1."""
    ones = np.ones(len(hits))
    if min_neighbors == 0:
        return Groups(hits, ones, np.ones(len(hits), np.int64))
    group = np.empty(len(hits), np.int64)
    n = _core.group_similar(hits, SIMILAR, group)
    groups = _summed(hits, ones, group, n)
    groups = groups.kept(groups.members > min_neighbors)
    boxes, members = groups.boxes, groups.members
    # Inside another one, widened a little, of more than 3 members and more than theirs; groups of
    # fewer than 3 inside any.
    slack = np.rint((boxes[:, 2:] - boxes[:, :2]) * SIMILAR)
    low, high = boxes[:, :2] - slack, boxes[:, 2:] + slack
    inside = np.zeros(len(members), np.bool_)
    for i, box in enumerate(boxes):
        around = ((box[:2] >= low) & (box[2:] <= high)).all(axis=1)
        around[i] = False
        inside[i] = (around & ((members > max(3, members[i])) | (members[i] < 3))).any()
    return groups.kept(~inside)


def _summed(
    hits: NDArray[np.int64], weights: NDArray[np.float64], group: NDArray[np.int64], n: int
) -> Groups:
    """Return mean corners and sizes, weighted and rounded, with summed weights and members."""
    evidence = np.bincount(group, weights, n).astype(np.float64)
    corner_and_size = np.concatenate([hits[:, :2], hits[:, 2:] - hits[:, :2]], axis=1)
    means = [np.bincount(group, weights * column, n) / evidence for column in corner_and_size.T]
    boxes = np.rint(np.stack(means, axis=1)).astype(np.int64)
    boxes[:, 2:] += boxes[:, :2]
    return Groups(boxes, evidence, np.bincount(group, minlength=n))


def cut_for(evidence: NDArray[np.float64], megapixels: float, per_megapixel: float) -> float:
    """Return the evidence above which `per_megapixel` false objects are expected.

    `evidence` is that of objects found in images without any. At a useful cut less than one of
    these is left, so the cut lies beyond all evidence seen: the tail is taken to be exponential,

        false(c) = n exp(-(c - s_n) / m),     m = mean of s_1 - s_n, … s_n - s_n,

    s_1 >= … >= s_n being the strongest of them.
    """
    wanted = megapixels * per_megapixel
    ordered = np.sort(evidence)[::-1]
    strongest = ordered[:TAIL]
    n = len(strongest)
    if n < 2 or wanted >= len(ordered):
        return 0.0
    if wanted >= n:
        return float(ordered[int(wanted)])
    mean_excess = float((strongest[:-1] - strongest[-1]).mean())
    return float(strongest[-1]) + mean_excess * math.log(n / wanted)
