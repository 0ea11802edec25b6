"""What training makes of patches and images: copies, worse images, and negatives cut from them.

Copies of a patch are what other images might show, at the windows near the object that a scan
finds. Images without the object are usually few and good, those to be searched need not be, so
some are made worse before negatives are taken from them: windows at random, and hard ones, which
the detector of the round before takes for the object. They are cut from the scaled image that was
scanned, so that training reads what detection will read.

scipy is imported where it is needed: a detector is read and run without it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mddag.detection.windows import Levels, WindowClassifier, levels_of, scaled_down
from mddag.ensemble.patches import Window

Patches = NDArray[np.uint8]
Gray = NDArray[np.uint8]
Floats = NDArray[np.float64]
Pixels = NDArray[np.float32]

# Copies of patches; how these were chosen: docs/research/detector.md.
SHIFT, SIZE = 0.03, 0.05  # largest shares of the side; 0.05 is 5 % larger or smaller
TURN = 4.0  # standard deviation of the rotation, in degrees
BLUR, NOISE = 0.6, 0.08  # pixels, of half of the copies; share of the deviation of the patch
SURROUNDED = 0.5  # share of the copies whose corners and sides are those of another image
# Images made worse.
WORSE = 0.6  # share of the images that are changed at all
WORST_BLUR, LEAST_CONTRAST = 1.6, 0.25
WORST_NOISE, WORST_DOTS = 10.0, 14.0  # gray levels at full contrast
# Images seen otherwise.
TURNED = 0.7  # share of the images that may be turned
INVERTED = 0.3  # share of these that are inverted
SLANTED = 0.6  # share of these that are turned by other than right angles, and stretched
MOST_TURN, MOST_STRETCH = np.pi / 4, 0.3

BLOCK = 1024  # patches at a time: the coordinates of all their pixels are held
SCALE = 1.2  # of neighboring levels, for negatives
MOST_TRIES = 4  # draws for windows that are not flat


def copies(patches: Patches, window: Window, rng: np.random.Generator, others: Patches) -> Patches:
    """Return one copy of each patch (n, h, w), some of them before `others`, if there are any."""
    blocks = []
    for first in range(0, len(patches), BLOCK):
        block = patches[first : first + BLOCK]
        n = len(block)
        side = np.where(rng.random(n) < 0.5, -1.0, 1.0)
        size = np.exp(rng.uniform(-SIZE, SIZE, n))
        turn = np.deg2rad(rng.normal(0.0, TURN, n))
        shift = rng.uniform(-SHIFT, SHIFT, (n, 2))
        pixels = resampled(block, window, side, size, turn, shift)
        if len(others):
            chosen = np.flatnonzero(rng.random(n) < SURROUNDED)
            drawn = others[rng.integers(0, len(others), len(chosen))]
            pixels[chosen] = surrounded(pixels[chosen], drawn.astype(np.float64), rng)
        width = np.where(rng.random(n) < 0.5, rng.uniform(0.0, BLUR, n), 0.0)
        pixels = _softened(pixels, width)
        strength = rng.uniform(0.0, NOISE, n) * pixels.std(axis=(1, 2))
        noise = strength[:, None, None] * rng.standard_normal(pixels.shape)
        blocks.append(as_bytes(pixels + noise))
    return np.concatenate(blocks)


def made_worse(image: Gray, rng: np.random.Generator) -> Gray:
    """Return the image itself, or blurred, dull, grainy or printed in dots."""
    from scipy.ndimage import gaussian_filter

    if rng.random() >= WORSE:
        return image
    pixels: Pixels = image.astype(np.float32)
    if rng.random() < 0.5:
        width = float(rng.uniform(0.3, WORST_BLUR))
        pixels = gaussian_filter(pixels, width, mode="nearest", radius=int(np.ceil(3 * width)))
    contrast = float(rng.uniform(LEAST_CONTRAST, 1.0))
    mean = pixels.mean()
    pixels = mean + contrast * (pixels - mean)
    if rng.random() < 0.5:
        strength = contrast * float(rng.uniform(0.0, WORST_NOISE))
        pixels += strength * rng.standard_normal(pixels.shape, np.float32)
    if rng.random() < 0.25:
        pixels += contrast * float(rng.uniform(0.0, WORST_DOTS)) * _screen(pixels.shape, rng)
    return as_bytes(pixels)


def as_bytes(pixels: Floats | Pixels) -> Patches:
    """Return gray levels, rounded and held between 0 and 255."""
    return np.clip(np.rint(pixels), 0, 255).astype(np.uint8)


def _screen(shape: tuple[int, ...], rng: np.random.Generator) -> Pixels:
    """Make a grid of dots, turned, 2 to 6 pixels from one to the next: (height, width), -1 to 1."""
    turn = rng.uniform(0.0, np.pi / 2)
    periods = rng.uniform(2.2, 6.0, 2)
    y, x = (np.arange(n, dtype=np.float32) for n in shape)
    along = np.cos(turn) * x[None] + np.sin(turn) * y[:, None]
    across = np.cos(turn) * y[:, None] - np.sin(turn) * x[None]
    waves = np.sin(2 * np.pi * along / periods[0]) * np.sin(2 * np.pi * across / periods[1])
    return np.asarray(waves, np.float32)


def resized(patches: Patches, window: Window) -> Patches:
    """Return the patches (n, h, w) at the size of the window."""
    if patches.shape[1:] == window:
        return np.ascontiguousarray(patches)
    blocks = []
    for first in range(0, len(patches), BLOCK):
        block = patches[first : first + BLOCK]
        ones, none = np.ones(len(block)), np.zeros((len(block), 2))
        blocks.append(as_bytes(resampled(block, window, ones, ones, none[:, 0], none)))
    return np.concatenate(blocks)


def surrounded(pixels: Floats, others: Floats, rng: np.random.Generator) -> Floats:
    """Put the middle of each patch (n, h, w) before another one, of a brightness of its own."""
    n, height, width = pixels.shape
    y = np.abs((np.arange(height) + 0.5) / height * 2 - 1)[None, :, None]
    x = np.abs((np.arange(width) + 0.5) / width * 2 - 1)[None, None, :]
    tall, wide, power = (
        rng.uniform(a, b, (n, 1, 1)) for a, b in ((0.85, 1.05), (0.75, 1.05), (2, 4))
    )
    # The middle is an ellipse or a rounded rectangle, with a soft edge.
    far = ((y / tall) ** power + (x / wide) ** power) ** (1 / power)
    inside = np.clip((1.0 - far) / 0.15 + 0.5, 0.0, 1.0)
    mean, spread = (f(pixels, axis=(1, 2), keepdims=True) for f in (np.mean, np.std))
    plain = others - others.mean(axis=(1, 2), keepdims=True)
    plain /= np.maximum(others.std(axis=(1, 2), keepdims=True), 1.0)
    ground = mean + spread * (
        rng.uniform(0.2, 1.5, (n, 1, 1)) * plain + rng.uniform(-1.5, 1.5, (n, 1, 1))
    )
    return np.asarray(inside * pixels + (1 - inside) * ground)


def windows_near(patches: Patches, window: Window, n: int, rng: np.random.Generator) -> Patches:
    """Return n windows that overlap an object too little to be one: parts of it, or half off it."""
    out = []
    for first in range(0, n, BLOCK):
        m = min(BLOCK, n - first)
        inside = rng.random(m) < 0.6
        # A part has at most 55 % of the side: an intersection over union of at most 0.3.
        size = np.where(inside, rng.uniform(0.3, 0.55, m), rng.uniform(0.7, 1.1, m))
        angle, far = rng.uniform(0.0, 2 * np.pi, m), rng.uniform(0.55, 0.8, m)
        off = np.stack([np.sin(angle), np.cos(angle)], axis=1) * far[:, None]
        room = (0.5 - size / 2)[:, None] * rng.uniform(-1.0, 1.0, (m, 2))
        shift = np.where(inside[:, None], room, off)
        side = np.where(rng.random(m) < 0.5, -1.0, 1.0)
        chosen = patches[rng.integers(0, len(patches), m)]
        out.append(as_bytes(resampled(chosen, window, side, size, np.zeros(m), shift)))
    return np.concatenate(out)


def resampled(
    patches: Patches, window: Window, side: Floats, size: Floats, turn: Floats, shift: Floats
) -> Floats:
    """Return the patches (n, h, w) seen through windows that are placed on them, (n, *window).

    A side of -1 mirrors, sizes and shifts (n, 2) along y and x are in sides of the patch.
    """
    height, width = patches.shape[1:]
    y = (((np.arange(window[0]) + 0.5) / window[0] - 0.5) * height)[:, None]  # from the center
    x = (((np.arange(window[1]) + 0.5) / window[1] - 0.5) * width)[None, :]
    cos, sin, side = (f[:, None, None] for f in (np.cos(turn) * size, np.sin(turn) * size, side))
    at_y = height * (0.5 + shift[:, 0, None, None]) + cos * y + sin * side * x - 0.5
    at_x = width * (0.5 + shift[:, 1, None, None]) + cos * side * x - sin * y - 0.5
    # What is made smaller is blurred before, by what its pixels would lose.
    ratio = max(height / window[0], width / window[1])
    smooth = _softened(patches.astype(np.float64), (0.35 * ratio if ratio > 1.15 else 0.0) * size)
    return _interpolated(smooth, np.clip(at_y, 0, height - 1), np.clip(at_x, 0, width - 1))


def _interpolated(pixels: Floats, y: Floats, x: Floats) -> Floats:
    """Interpolate the pixels (n, h, w) at places inside of them, (n, …) each."""
    n, height, width = pixels.shape
    top = np.minimum(y.astype(np.intp), max(height - 2, 0))
    left = np.minimum(x.astype(np.intp), max(width - 2, 0))
    below, right = min(1, height - 1) * width, min(1, width - 1)
    part_y, part_x = y - top, x - left
    flat = pixels.reshape(-1)
    at = (np.arange(n) * (height * width))[:, None, None] + top * width + left
    above = flat[at] * (1 - part_x) + flat[at + right] * part_x
    under = flat[at + below] * (1 - part_x) + flat[at + below + right] * part_x
    return np.asarray(above * (1 - part_y) + under * part_y)


def _softened(pixels: Floats, width: Floats) -> Floats:
    """Blur by a Gaussian of `width` (n,) pixels: three taps along each axis, borders continued."""
    neighbor: Floats = np.exp(-0.5 / np.square(np.maximum(width, 1e-3)))
    center = (1 / (1 + 2 * neighbor))[:, None, None]
    share = neighbor[:, None, None] * center
    for axis in (1, 2):
        padded = np.pad(pixels, [(0, 0), *((int(a == axis),) * 2 for a in (1, 2))], mode="edge")
        n = pixels.shape[axis]
        before, after = (padded.take(range(k, k + n), axis) for k in (0, 2))
        pixels = center * pixels + share * (before + after)
    return pixels


def random_windows(
    images: Sequence[Gray],
    window: Window,
    n: int,
    min_deviation: float,
    rng: np.random.Generator,
) -> Patches:
    """Return about n windows as a scan reads them, none of them flat; fewer where most are."""
    levels = [levels_of(image.shape, window, scale=SCALE) for image in images]
    counts = np.array([float((of.rows * of.columns).sum()) for of in levels])
    found: list[Patches] = []
    n_found = 0
    for _ in range(MOST_TRIES):
        drawn = rng.multinomial(n - n_found, counts / counts.sum())
        for i in np.flatnonzero(drawn).tolist():
            patches = _drawn(images[i], levels[i], int(drawn[i]), rng)
            found.append(patches[patches.std(axis=(1, 2)) > min_deviation])
            n_found += len(found[-1])
        if n_found >= n:
            break
    return np.concatenate([np.empty((0, *window), np.uint8), *found])[:n]


def _drawn(image: Gray, levels: Levels, n: int, rng: np.random.Generator) -> Patches:
    """Draw n windows of an image, each of its windows being as likely as any other."""
    counts = (levels.rows * levels.columns).astype(np.float64)
    by_level = rng.multinomial(n, counts / counts.sum())
    out = [np.empty((0, *levels.window), np.uint8)]
    for level in np.flatnonzero(by_level):
        level_image = scaled_down(image, *levels.shapes[level, :2].tolist())
        windows = np.lib.stride_tricks.sliding_window_view(level_image, levels.window)
        y, x = (rng.integers(0, side, by_level[level]) for side in windows.shape[:2])
        out.append(windows[y, x])
    return np.concatenate(out)


def mined(
    classifier: WindowClassifier,
    images: Sequence[Gray],
    n: int,
    rng: np.random.Generator,
    n_jobs: int = 1,
) -> tuple[Patches, int]:
    """Return at most n of the windows that the classifier accepts, and how many there were."""
    n_pixels = sum(image.size for image in images)
    found, n_hits = [np.empty((0, *classifier.window), np.uint8)], 0
    for image in images:
        # Up to one level smaller, so that the levels are others each time.
        factor = float(rng.uniform(1.0, SCALE))
        sides = zip(image.shape, classifier.window, strict=True)
        height, width = (min(side, max(least, round(side / factor))) for side, least in sides)
        seen = scaled_down(image, height, width)
        hits = classifier.scan(seen, scale=SCALE, n_jobs=n_jobs)
        n_hits += len(hits)
        share = 1 + 4 * n * image.size // n_pixels  # no image may fill the bank
        kept = rng.permutation(len(hits))[:share]
        found.append(hits.patches(seen, np.sort(kept)))
    patches = np.concatenate(found)
    return patches[rng.permutation(len(patches))[:n]], n_hits


def seen_otherwise(image: Gray, rng: np.random.Generator) -> Gray:
    """Turn the image by any angle and stretch, mirror or invert it, at random."""
    if rng.random() < TURNED:
        image = np.rot90(image, int(rng.integers(4)))
        image = 255 - image if rng.random() < INVERTED else image
        if rng.random() < SLANTED:
            turn, stretch = rng.uniform(-MOST_TURN, MOST_TURN), rng.uniform(-1.0, 1.0, 2)
            image = slanted(image, float(turn), np.exp(MOST_STRETCH * stretch))
    if rng.random() < 0.5:
        image = image[:, ::-1]
    return np.ascontiguousarray(image)


def slanted(image: Gray, turn: float, stretch: Floats) -> Gray:
    """Turn the image about its center (radians) and stretch it; outside is its mirror image."""
    height, width = image.shape
    center_y, center_x = (height - 1) / 2, (width - 1) / 2
    y = ((np.arange(height) - center_y) / stretch[0])[:, None]
    x = ((np.arange(width) - center_x) / stretch[1])[None, :]
    at_y = _folded(np.cos(turn) * y + np.sin(turn) * x + center_y, height)
    at_x = _folded(np.cos(turn) * x - np.sin(turn) * y + center_x, width)
    pixels = _interpolated(image[None].astype(np.float64), at_y[None], at_x[None])
    return as_bytes(pixels[0])


def _folded(at: Floats, n: int) -> Floats:
    """Fold places along an axis of n pixels back into 0 .. n - 1."""
    folded = np.abs(at) % max(2 * (n - 1), 1)
    return np.asarray(np.maximum(np.minimum(folded, 2 * (n - 1) - folded), 0))
