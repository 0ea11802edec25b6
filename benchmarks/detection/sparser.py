"""OpenCV's frontal face cascades made sparser by learned thresholds inside their stages.

    MDDAG_DATA=... python -m benchmarks.detection.sparser [--max-loss 0.01 0.05] [--files alt2]

Objects are the windows that the cascade accepts in the face patches of vj_faces and caltech_faces,
others are windows of background_scenes. Compared on the pictures of load.cmu_scenes(), which take
no part in learning: base classifiers evaluated per window, raw hits kept, faces found (objects of
more than 3 neighbours, intersection over union of 0.3), false objects, and processor seconds, turn
by turn. Results: benchmarks/results/detection/sparser.csv.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np

from benchmarks.clock import turns
from benchmarks.data import loaded
from benchmarks.places import RESULTS
from benchmarks.table import digits, kept, spread
from mddag.detection.grouping import group_neighbours
from mddag.detection.hits import resized
from mddag.detection.levels import levels_of
from mddag.detection.opencv import read_cascade
from mddag.detection.sparser import sparser
from mddag.detection.window_classifier import WindowClassifier

FILES = ["default", "alt", "alt2"]
FIELDS = (
    "file",
    "cascade",
    "evaluations_per_window",
    "raw_hits",
    "faces_found",
    "false_objects",
    "seconds",
    "speed-up",
)
N_OBJECTS, N_OTHERS, N_REPEATS = 4000, 12_000, 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--max-loss", type=float, nargs="+", default=[0.01, 0.05])
    parser.add_argument("--files", nargs="+", default=FILES)
    options = parser.parse_args()
    results = rows(options.files, options.max_loss)
    kept(RESULTS / "detection" / "sparser.csv", FIELDS, results)


def rows(files: list[str], max_loss: list[float]) -> Iterator[dict[str, Any]]:
    """For each file: as it is, and sparser at each loss allowed."""
    faces = patches()
    backgrounds = loaded("background_scenes")
    pictures, truth = loaded("cmu_scenes")
    for name in files:
        path = f"{cv2.data.haarcascades}haarcascade_frontalface_{name}.xml"
        whole = read_cascade(path)
        objects, others = accepted_windows(whole, faces), windows(whole, backgrounds)
        cascades = {"OpenCV's": whole} | {
            f"sparser, {loss:g} lost at most": sparser(whole, objects, others, max_loss=loss)
            for loss in max_loss
        }
        calls = [lambda c=c: [c.scan(picture) for picture in pictures] for c in cascades.values()]
        taken = turns(calls, N_REPEATS, time.process_time)
        for k, (kind, cascade) in enumerate(cascades.items()):
            row = {"file": name, "cascade": kind} | quality(cascade, pictures, truth)
            yield row | {
                "seconds": digits(np.median(taken[:, k])),
                "speed-up": spread(taken[:, 0] / taken[:, k]),
            }


def patches() -> list[np.ndarray]:
    X, y = loaded("vj_faces")
    return [*X[y == 1], *loaded("caltech_faces")]


def accepted_windows(classifier: WindowClassifier, faces: list[np.ndarray]) -> np.ndarray:
    """Windows that it accepts in patches of faces with a border, at most one of each."""
    rng = np.random.default_rng(0)
    found: list[np.ndarray] = []
    for i in rng.permutation(len(faces)):
        bordered = np.pad(faces[i], 3, mode="edge")
        hits = classifier.scan(bordered, step=1)
        if len(hits):
            found.append(hits.patches(bordered)[rng.integers(len(hits))])
        if len(found) == N_OBJECTS:
            break
    return np.stack(found)


def windows(classifier: WindowClassifier, pictures: list[np.ndarray]) -> np.ndarray:
    """Windows drawn from the levels of pictures, those of a level in proportion to its windows."""
    rng = np.random.default_rng(1)
    height, width = classifier.window
    found = []
    for picture in pictures:
        levels = levels_of(picture.shape, classifier.window)
        share = levels.rows * levels.columns
        n = N_OTHERS // len(pictures) + 1
        for level in rng.choice(len(share), n, p=share / share.sum()):
            scaled = resized(picture, *levels.shapes[level, :2])
            y = rng.integers(len(scaled) - height + 1)
            x = rng.integers(scaled.shape[1] - width + 1)
            found.append(scaled[y : y + height, x : x + width])
    patches = np.stack(found)
    deviations = patches.reshape(len(patches), -1).std(axis=1)
    return patches[deviations > classifier.min_deviation]  # flat windows cost nothing


def quality(
    classifier: WindowClassifier, pictures: list[np.ndarray], truth: np.ndarray
) -> dict[str, Any]:
    """Evaluations, hits, and faces among the grouped objects."""
    n_windows = n_evaluated = n_hits = n_found = n_false = 0
    for number, picture in enumerate(pictures):
        hits = classifier.scan(picture)
        n_windows, n_evaluated = n_windows + hits.n_windows, n_evaluated + hits.n_evaluated
        n_hits += len(hits)
        free = truth[truth[:, 0] == number, 1:].tolist()
        for box in group_neighbours(hits.boxes, 3).boxes.tolist():
            overlaps = [overlap(box, face) for face in free]
            if overlaps and max(overlaps) >= 0.3:
                free.pop(int(np.argmax(overlaps)))
                n_found += 1
            else:
                n_false += 1
    return {
        "evaluations_per_window": digits(n_evaluated / n_windows),
        "raw_hits": n_hits,
        "faces_found": n_found,
        "false_objects": n_false,
    }


def overlap(a: list[int], b: list[int]) -> float:
    """Intersection over union."""
    w = max(0, min(a[2], b[2]) - max(a[0], b[0]))
    h = max(0, min(a[3], b[3]) - max(a[1], b[1]))
    areas = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1])
    return w * h / (areas - w * h)


if __name__ == "__main__":
    main()
