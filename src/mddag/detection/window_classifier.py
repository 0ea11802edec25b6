"""A classifier of windows: small trees over Haar features, rejected early, as plain arrays.

The trees of a window vote one after the other. After each stage, which is some trees, the window is
rejected if the sum of votes is below the stage's threshold; a stage may start the sum from 0 (the
cascade of Viola & Jones) or add to it (a soft cascade: one tree a stage). Windows that pass all
stages with a sum of at least `accept` are hits, and the sum is their score.

A split is "value <= threshold goes to side 0", on values normalised by the deviation of the window:
see mddag.features.haar. Twin of the scan: tests/reference/scan.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag import _core
from mddag._internal.arrays import ReadOnlyArrays, read_only
from mddag._internal.cached import cached_property
from mddag._internal.checks import check_between, check_whole, checked_threads
from mddag.detection.hits import Hits, boxes_of
from mddag.detection.levels import Size, levels_of
from mddag.detection.picture import as_grey

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

        picture : see `mddag.detection.picture.as_grey`; one smaller than the window has none
        scale, min_size, max_size, step : see `mddag.detection.levels.levels_of`
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
