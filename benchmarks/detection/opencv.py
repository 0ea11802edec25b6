"""OpenCV's frontal face cascades, run by OpenCV 4 and by mddag: the same windows? how fast?

    MDDAG_DATA=... python -m benchmarks.detection.opencv [--repeats 5] [--every 1]

The pictures are those of load.cmu_scenes(). Raw windows (before grouping) are compared one by one.
Times are seconds for all pictures, grouping included, scales of ratio 1.1, more than 3 neighbors,
in one process, turn by turn: of the processor with one thread, of the clock with two, which need
two idle cores. Ratios are told as median (lowest-highest) over the repeats; above 1 means that
ours, or two threads, are faster. Results: benchmarks/results/detection/opencv.csv.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np

from benchmarks.clock import turns
from benchmarks.data import loaded
from benchmarks.places import RESULTS
from benchmarks.table import digits, kept, spread
from mddag.detection.opencv import read_cascade
from mddag.detection.windows import WindowClassifier, group_neighbors

FILES = ("default", "alt", "alt2", "alt_tree")
FIELDS = (
    "file",
    "raw_windows",
    "differing",
    "evaluations_per_window",
    "opencv_s",
    "mddag_s",
    "opencv/mddag",
    "opencv/mddag, two threads",
    "mddag one/two threads",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--every", type=int, default=1, help="time one of so many pictures")
    options = parser.parse_args()
    results = rows(loaded("cmu_scenes")[0], options.every, options.repeats)
    kept(RESULTS / "detection" / "opencv.csv", FIELDS, results)


def rows(pictures: list[np.ndarray], every: int, n_repeats: int) -> Iterator[dict[str, Any]]:
    """One for each file."""
    for name in FILES:
        path = f"{cv2.data.haarcascades}haarcascade_frontalface_{name}.xml"
        theirs, ours = cv2.CascadeClassifier(path), read_cascade(path)
        found = windows(pictures, theirs, ours)
        yield {"file": name} | found | times(pictures[::every], theirs, ours, n_repeats)


def windows(
    pictures: list[np.ndarray], theirs: cv2.CascadeClassifier, ours: WindowClassifier
) -> dict[str, Any]:
    """How many raw windows OpenCV has, and how many only one of the two has."""
    n_raw = n_differing = n_windows = n_evaluated = 0
    for picture in pictures:
        raw = np.asarray(theirs.detectMultiScale(picture, 1.1, 0), np.int64).reshape(-1, 4)
        raw[:, 2:] += raw[:, :2]
        hits = ours.scan(picture)
        wanted, found = (Counter(map(tuple, boxes.tolist())) for boxes in (raw, hits.boxes))
        n_raw += len(raw)
        n_differing += ((wanted - found) + (found - wanted)).total()
        n_windows, n_evaluated = n_windows + hits.n_windows, n_evaluated + hits.n_evaluated
    return {
        "raw_windows": n_raw,
        "differing": n_differing,
        "evaluations_per_window": digits(n_evaluated / n_windows),
    }


def times(
    pictures: list[np.ndarray],
    theirs: cv2.CascadeClassifier,
    ours: WindowClassifier,
    n_repeats: int,
) -> dict[str, Any]:
    """Seconds and ratios with one and with two threads."""

    def by_opencv(n_jobs: int) -> None:
        cv2.setNumThreads(n_jobs)
        for picture in pictures:
            theirs.detectMultiScale(picture, 1.1, 3)

    def by_mddag(n_jobs: int) -> None:
        for picture in pictures:
            group_neighbors(ours.scan(picture, n_jobs=n_jobs).boxes, 3)

    one = [lambda: by_opencv(1), lambda: by_mddag(1)]
    opencv_1, mddag_1 = turns(one, n_repeats, time.process_time).T
    more = [lambda: by_opencv(2), lambda: by_mddag(2), lambda: by_mddag(1)]
    opencv_2, mddag_2, mddag_alone = turns(more, n_repeats).T
    return {
        "opencv_s": digits(np.median(opencv_1)),
        "mddag_s": digits(np.median(mddag_1)),
        "opencv/mddag": spread(opencv_1 / mddag_1),
        "opencv/mddag, two threads": spread(opencv_2 / mddag_2),
        "mddag one/two threads": spread(mddag_alone / mddag_2),
    }


if __name__ == "__main__":
    main()
