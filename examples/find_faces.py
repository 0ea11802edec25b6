"""Train a face detector on patches and images without faces, and find the face of an image.

    python examples/find_faces.py [--out out/faces] [--small]

With the datasets of MDDAG_DATA (see CONTRIBUTING.md) it trains on 11,629 faces and 274 images
without faces, in minutes; without them, or with --small, on the 100 faces of scikit-image and its
images of other things, which is enough for an easy image and for no other.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
from skimage import data

import mddag

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # it reads the datasets

from benchmarks.data import is_there

NO_FACES = (
    "brick", "camera", "cat", "clock", "coffee", "coins", "grass", "gravel", "hubble_deep_field",
    "immunohistochemistry", "moon", "page", "rocket", "text",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("out/faces"))
    parser.add_argument("--small", action="store_true", help="train on scikit-image's faces")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    began = perf_counter()
    detector = trained(small=options.small or not is_there())
    print(f"trained in {perf_counter() - began:.0f} s: {detector.rounds_[-1]}")
    detector.save(options.out / "faces.mddag")
    detector = mddag.load(options.out / "faces.mddag")
    image = data.astronaut()
    boxes, scores = detector.detect(image)
    for box, score in zip(boxes.tolist(), scores, strict=True):
        print(f"a face at {box}, evidence {score:.1f} (cut {detector.cut_:.1f})")
    detector.draw(image).save(options.out / "astronaut.png")
    print(f"the image with its boxes: {options.out / 'astronaut.png'}")


def trained(*, small: bool) -> mddag.Detector:
    """Train a detector on all faces there are."""
    detector = mddag.Detector(n_jobs=-1, verbose=True)
    if small:
        # 100 patches leave much to chance, and training says so.
        detector.set_params(n_trees=150, n_rounds=5, n_negatives=30_000, false_per_megapixel=2)
        return detector.fit(small_patches(), [getattr(data, name)() for name in NO_FACES])
    from benchmarks.detection import face_data

    return detector.fit(face_data.patches(), face_data.pictures(), face_data.non_faces())


def small_patches() -> np.ndarray:
    """Return the faces of scikit-image, uint8 (100, 25, 25)."""
    return np.rint(255 * data.lfw_subset()[:100]).astype(np.uint8)


if __name__ == "__main__":
    main()
