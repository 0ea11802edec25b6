"""Our face detector compared with OpenCV's four: faces found in real pictures, false boxes, speed.

    MDDAG_DATA=... python -m benchmarks.detection.faces [--seeds 0 1 2] [--repeats 5] [--fresh]

Detectors are trained with default settings on `vj_faces`, `caltech_faces` and `background_scenes`,
and kept in out/detection. The pictures are those of load.cmu_scenes(), on which nothing was trained
or tuned. OpenCV: scale 1.1, more than 3 neighbors, score the number of neighbors. Ours: cut 0 for
the curve, the default cut for hits and false boxes. Times are for all pictures, grouping included,
turn by turn; a ratio above 1 means that ours is faster. Results: benchmarks/results/detection:
faces.csv, froc.csv, froc.png.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import cv2
import matplotlib.pyplot as plt
import numpy as np

import mddag
from benchmarks.clock import turns
from benchmarks.detection import face_data
from benchmarks.detection.matching import Curve, curve
from benchmarks.places import OUT, RESULTS
from benchmarks.table import digits, kept, spread, written

FOLDER = OUT / "detection"
FILES = ("default", "alt", "alt2", "alt_tree")
FIELDS = (
    "detector",
    "AP",
    "hits",
    "false",
    "hits with 5 false",
    "training_s",
    "evaluations_per_window",
    "alt2/ours",
    "alt2/ours, two threads",
    "one/two threads",
)
Found = list[tuple[np.ndarray, np.ndarray]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--fresh", action="store_true", help="train again")
    options = parser.parse_args()
    pictures, faces = face_data.scenes()
    curves: dict[str, Curve] = {}
    table = rows(pictures, faces, options, curves)
    kept(RESULTS / "detection" / "faces.csv", FIELDS, table)
    draw_curves(curves, len(pictures))


def rows(
    pictures: list[np.ndarray],
    faces: list[np.ndarray],
    options: argparse.Namespace,
    curves: dict[str, Curve],
) -> Iterator[dict[str, Any]]:
    """One for each detector; the curves are kept by name."""
    nothing = dict.fromkeys(FIELDS, "")
    for name in FILES:
        found = [by_opencv(cascade(name), picture) for picture in pictures]
        curves[f"OpenCV {name}"] = of = curve(found, faces)
        yield nothing | {"detector": f"OpenCV {name}"} | counted(of, -np.inf)
    for seed in options.seeds:
        detector, seconds = trained(seed, fresh=options.fresh)
        found = [detector.detect(picture, cut=0) for picture in pictures]
        curves[f"mddag, seed {seed}"] = of = curve(found, faces)
        yield (
            {"detector": f"mddag, seed {seed}"}
            | counted(of, detector.cut_)
            | {"training_s": seconds, "evaluations_per_window": evaluations(detector, pictures)}
            | times(detector, pictures, options.repeats)
        )


def counted(of: Curve, cut: float) -> dict[str, Any]:
    hits, false = of.at(cut)
    return {
        "AP": f"{of.average_precision:.3f}",
        "hits": hits,
        "false": false,
        "hits with 5 false": of.hits_with(5),
    }


def trained(seed: int, *, fresh: bool) -> tuple[mddag.Detector, str]:
    """The detector of a seed, and the seconds of its training on all cores, if it was trained."""
    path = FOLDER / f"faces_{seed}.mddag"
    if path.exists() and not fresh:
        return mddag.load(path), ""
    FOLDER.mkdir(parents=True, exist_ok=True)
    detector = mddag.Detector(random_state=seed, n_jobs=-1, verbose=True)
    began = time.perf_counter()
    detector.fit(face_data.patches(), face_data.pictures(), face_data.non_faces())
    seconds = digits(time.perf_counter() - began)
    detector.save(path)
    return mddag.load(path), seconds


def cascade(name: str) -> cv2.CascadeClassifier:
    return cv2.CascadeClassifier(f"{cv2.data.haarcascades}haarcascade_frontalface_{name}.xml")


def by_opencv(
    classifier: cv2.CascadeClassifier, picture: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    boxes, neighbors = classifier.detectMultiScale2(picture, 1.1, 3)
    corners = np.asarray(boxes, np.int64).reshape(-1, 4)
    return np.c_[corners[:, :2], corners[:, :2] + corners[:, 2:]], np.ravel(neighbors)


def evaluations(detector: mddag.Detector, pictures: list[np.ndarray]) -> str:
    hits = [detector.classifier_.scan(picture) for picture in pictures]
    return digits(sum(h.n_evaluated for h in hits) / sum(h.n_windows for h in hits))


def times(detector: mddag.Detector, pictures: list[np.ndarray], n_repeats: int) -> dict[str, str]:
    """Ratios of seconds, with one and with two threads each."""
    theirs, two = cascade("alt2"), replaced(detector, 2)

    def by_theirs(n_jobs: int) -> Callable[[], None]:
        def run() -> None:
            cv2.setNumThreads(n_jobs)
            for picture in pictures:
                theirs.detectMultiScale(picture, 1.1, 3)

        return run

    def by_ours(ours: mddag.Detector) -> Callable[[], None]:
        return lambda: [None for picture in pictures if ours.detect(picture) is None]

    calls = [by_theirs(1), by_ours(detector), by_theirs(2), by_ours(two)]
    seconds = turns(calls, n_repeats)
    return {
        "alt2/ours": spread(seconds[:, 0] / seconds[:, 1]),
        "alt2/ours, two threads": spread(seconds[:, 2] / seconds[:, 3]),
        "one/two threads": spread(seconds[:, 1] / seconds[:, 3]),
    }


def replaced(detector: mddag.Detector, n_jobs: int) -> mddag.Detector:
    """The same detector with that many threads."""
    other = replace(detector, n_jobs=n_jobs)
    for name in ("classifier_", "cut_", "grouping_"):
        setattr(other, name, getattr(detector, name))
    return other


def draw_curves(curves: dict[str, Curve], n_pictures: int) -> None:
    """Hits against false boxes, as a picture and as a table."""
    fig, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
    table = []
    for name, of in curves.items():
        ours = name.startswith("mddag")
        ax.step(
            np.maximum(of.false, 0.5), of.hits / of.n_true, where="post", label=name,
            lw=2 if ours else 1.2, ls="-" if ours else "--",
        )  # fmt: skip
        table += [
            {"detector": name, "false": n, "hits": of.hits_with(n)}
            for n in (0, 1, 2, 5, 10, 20, 50, 100, 200)
        ]
    ax.set(
        xscale="log", xlim=(0.5, 300), ylim=(0.6, 1), ylabel="faces found",
        xlabel=f"false boxes in {n_pictures} pictures",
    )  # fmt: skip
    ax.grid(alpha=0.3)
    ax.legend(frameon=False, fontsize=8)
    written(RESULTS / "detection" / "froc.csv", ("detector", "false", "hits"), table)
    fig.savefig(RESULTS / "detection" / "froc.png", dpi=120)
    plt.close(fig)


if __name__ == "__main__":
    main()
