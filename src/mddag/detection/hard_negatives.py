"""Negatives from pictures without the object: windows at random, and hard ones.

A hard negative is a window that the detector of the round before takes for the object. It is cut
from the scaled picture that was scanned, so that training reads what detection will read. Every
round sees the pictures otherwise: turned, stretched, mirrored, inverted, at other scales.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from mddag.detection.window_classifier import Levels, WindowClassifier, levels_of, resized
from mddag.ensemble.patches import Window

Grey = NDArray[np.uint8]
Patches = NDArray[np.uint8]
SCALE = 1.2  # of neighbouring levels, for negatives
TURNED = 0.7  # share of the pictures that may be turned
INVERTED = 0.3  # share of these that are inverted
SLANTED = 0.6  # share of these that are turned by other than right angles, and stretched
MOST_TURN, MOST_STRETCH = np.pi / 4, 0.3
MOST_TRIES = 4  # draws for windows that are not flat


def random_windows(
    pictures: Sequence[Grey],
    window: Window,
    n: int,
    min_deviation: float,
    rng: np.random.Generator,
) -> Patches:
    """About n windows as a scan reads them, none of them flat; fewer where most are flat."""
    levels = [levels_of(_shape(picture), window, scale=SCALE) for picture in pictures]
    counts = np.array([float((of.rows * of.columns).sum()) for of in levels])
    found: list[Patches] = []
    n_found = 0
    for _ in range(MOST_TRIES):
        drawn = rng.multinomial(n - n_found, counts / counts.sum())
        for i in np.flatnonzero(drawn).tolist():
            patches = _drawn(pictures[i], levels[i], int(drawn[i]), rng)
            found.append(patches[patches.std(axis=(1, 2)) > min_deviation])
            n_found += len(found[-1])
        if n_found >= n:
            break
    return np.concatenate([np.empty((0, *window), np.uint8), *found])[:n]


def mined(
    classifier: WindowClassifier,
    pictures: Sequence[Grey],
    n: int,
    rng: np.random.Generator,
    n_threads: int = 1,
    report: Callable[[int], None] = lambda n_done: None,
) -> tuple[Patches, int]:
    """At most n of the windows that the classifier accepts, at random, and how many there were."""
    n_pixels = sum(picture.size for picture in pictures)
    found, n_hits = [np.empty((0, *classifier.window), np.uint8)], 0
    for i, picture in enumerate(pictures):
        seen = _smaller(picture, classifier.window, rng)
        hits = classifier.scan(seen, scale=SCALE, n_threads=n_threads)
        n_hits += len(hits)
        share = 1 + 4 * n * picture.size // n_pixels  # no picture may fill the bank
        kept = rng.permutation(len(hits))[:share]
        found.append(hits.taken(np.sort(kept)).patches(seen))
        report(i + 1)
    patches = np.concatenate(found)
    return patches[rng.permutation(len(patches))[:n]], n_hits


def seen_otherwise(picture: Grey, rng: np.random.Generator) -> Grey:
    """The picture turned by any angle and stretched, mirrored, or as a negative, at random.

    None of these puts an object into a picture that has none, and one picture of trees, turned, has
    other windows each time.
    """
    if rng.random() < TURNED:
        picture = np.rot90(picture, int(rng.integers(4)))
        picture = 255 - picture if rng.random() < INVERTED else picture
        if rng.random() < SLANTED:
            turn, stretch = rng.uniform(-MOST_TURN, MOST_TURN), rng.uniform(-1.0, 1.0, 2)
            picture = slanted(picture, float(turn), np.exp(MOST_STRETCH * stretch))
    if rng.random() < 0.5:
        picture = picture[:, ::-1]
    return np.ascontiguousarray(picture)


def slanted(picture: Grey, turn: float, stretch: NDArray[np.float64]) -> Grey:
    """The picture turned about its centre (radians) and stretched along y and x.

    It keeps its shape; outside of it there is its mirror image. Pixels are interpolated linearly.
    """
    height, width = picture.shape
    y = ((np.arange(height) - (height - 1) / 2) / stretch[0])[:, None]
    x = ((np.arange(width) - (width - 1) / 2) / stretch[1])[None, :]
    at_y = _mirrored(np.cos(turn) * y + np.sin(turn) * x + (height - 1) / 2, height)
    at_x = _mirrored(np.cos(turn) * x - np.sin(turn) * y + (width - 1) / 2, width)
    top, left = at_y.astype(np.intp), at_x.astype(np.intp)
    below, right = np.minimum(top + 1, height - 1), np.minimum(left + 1, width - 1)
    part_y, part_x = at_y - top, at_x - left
    above = picture[top, left] * (1 - part_x) + picture[top, right] * part_x
    under = picture[below, left] * (1 - part_x) + picture[below, right] * part_x
    slanted: Grey = np.rint(above * (1 - part_y) + under * part_y).astype(np.uint8)
    return slanted


def _mirrored(at: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Places along an axis of n pixels, folded back into 0 .. n - 1."""
    if n == 1:
        return np.zeros_like(at)
    folded = np.abs(at) % (2 * (n - 1))
    inside: NDArray[np.float64] = np.minimum(folded, 2 * (n - 1) - folded)
    return inside


def _smaller(picture: Grey, window: Window, rng: np.random.Generator) -> Grey:
    """The picture up to one level smaller, so that its levels are others each time."""
    factor = float(rng.uniform(1.0, SCALE))
    height, width = (
        min(n, max(side, round(n / factor))) for side, n in zip(window, picture.shape, strict=True)
    )
    return resized(picture, height, width)


def _drawn(picture: Grey, levels: Levels, n: int, rng: np.random.Generator) -> Patches:
    """n windows of a picture, each of its windows being as likely as any other."""
    counts = (levels.rows * levels.columns).astype(np.float64)
    by_level = rng.multinomial(n, counts / counts.sum())
    out = [np.empty((0, *levels.window), np.uint8)]
    for level in np.flatnonzero(by_level):
        height, width, _ = levels.shapes[level]
        windows = np.lib.stride_tricks.sliding_window_view(
            resized(picture, int(height), int(width)), levels.window
        )
        y, x = (rng.integers(0, side, by_level[level]) for side in windows.shape[:2])
        out.append(windows[y, x])
    return np.concatenate(out)


def _shape(picture: Grey) -> tuple[int, int]:
    return picture.shape[0], picture.shape[1]
