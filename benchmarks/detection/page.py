"""Many pictures on one page, found boxes in yellow, faces that were missed in red.

The pictures may not be passed on: the page is for looking at, not for the repository.
"""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

import mddag
from benchmarks.detection.matching import OVERLAP, overlaps

HEIGHT, WIDTH = 220, 2000
MISSED = (255, 60, 60)


def page(
    detector: mddag.Detector, pictures: list[np.ndarray], faces: list[np.ndarray]
) -> Image.Image:
    """Rows of pictures of one height."""
    tiles = [tile(detector, *pair) for pair in zip(pictures, faces, strict=True)]
    rows: list[list[Image.Image]] = [[]]
    for image in tiles:
        if rows[-1] and sum(t.width for t in rows[-1]) + image.width > WIDTH:
            rows.append([])
        rows[-1].append(image)
    sheet = Image.new("RGB", (WIDTH, HEIGHT * len(rows)), "white")
    for y, row in enumerate(rows):
        x = 0
        for image in row:
            sheet.paste(image, (x, y * HEIGHT))
            x += image.width
    return sheet


def tile(detector: mddag.Detector, picture: np.ndarray, faces: np.ndarray) -> Image.Image:
    """One picture with its boxes."""
    found = detector.detect(picture).boxes
    image = detector.draw(picture)
    pen = ImageDraw.Draw(image)
    for face in faces:
        if not len(found) or overlaps(face, found).max() < OVERLAP:
            pen.rectangle(tuple(face.tolist()), outline=MISSED, width=2)
    width = min(WIDTH, round(image.width * HEIGHT / image.height))
    return image.resize((width, HEIGHT), Image.Resampling.LANCZOS)
