"""The faces that the detector is trained on, framed alike, and the pictures without faces.

`caltech_faces` show more of the head than `vj_faces`: the square of 27 of their 36 pixels whose
upper left corner is (4.5, 4.8) has eyes and mouth where the mean of the 24 x 24 patches has them.
"""

from __future__ import annotations

import numpy as np
from PIL import Image

from benchmarks.data import loaded

SIDE = 24
CALTECH_FRAME = (4.5, 4.8, 31.5, 31.8)  # xmin, ymin, xmax, ymax


def patches() -> np.ndarray:
    """Faces, uint8 (11629, 24, 24)."""
    X, y = loaded("vj_faces")
    wide = [cropped(patch) for patch in loaded("caltech_faces")]
    return np.concatenate([X[y == 1], np.stack(wide)])


def pictures() -> list[np.ndarray]:
    """274 pictures without faces."""
    return loaded("background_scenes")


def non_faces() -> np.ndarray:
    """Patches without faces, uint8 (14585, 24, 24): those of `vj_faces`, and chins with collars.

    Pictures without faces have no people, so no clothes; pictures with faces have. The lower part
    of a wide patch overlaps the face by less than 0.3.
    """
    X, y = loaded("vj_faces")
    rng = np.random.default_rng(0)
    return np.concatenate([X[y == 0], np.stack([collar(p, rng) for p in loaded("caltech_faces")])])


def collar(patch: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A square of 12 to 16 pixels at the lower edge of a wide patch, at 24 x 24."""
    side = rng.uniform(12.0, 16.0)
    x, height = rng.uniform(0.15, 0.85) * (len(patch) - side), len(patch)
    box = (x, height - side, x + side, float(height))
    image = Image.fromarray(patch)
    return np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BILINEAR, box=box))


def scenes() -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Pictures with faces, and the boxes of each: int (m, 4), xmin, ymin, xmax, ymax."""
    gray, boxes = loaded("cmu_scenes")
    return gray, [boxes[boxes[:, 0] == i, 1:].astype(np.int64) for i in range(len(gray))]


def cropped(patch: np.ndarray) -> np.ndarray:
    """The face of a wide patch, at 24 x 24."""
    image = Image.fromarray(patch)
    return np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BILINEAR, box=CALTECH_FRAME))
