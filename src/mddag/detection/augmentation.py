"""Augmentation: each object patch once more, as another picture might show it.

A copy is mirrored or not, shifted, scaled and turned a little, then blurred and made noisy, all at
random. Pixels are interpolated linearly; outside of a patch its border is continued. A scan finds
an object at a window that is near it and not on it, which is what shift and scale stand for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_between
from mddag.features.haar import Window

Patches = NDArray[np.uint8]
Floats = NDArray[np.float64]
BLOCK = 1024  # patches at a time: the coordinates of all their pixels are held


@dataclass(frozen=True)
class Augmentation:
    """What may differ between two pictures of the same object.

    shift  : of the centre, at most, as a share of the window's side
    scale  : of the size, at most, as a logarithm: 0.05 is 5 % larger or smaller
    turn   : standard deviation of the rotation, in degrees
    blur   : standard deviation of the widest Gaussian blur, in pixels; half of the copies have one
    noise  : standard deviation of the strongest noise, in percent of the patch's own deviation
    mirror : whether left and right may change places
    """

    shift: float = 0.04
    scale: float = 0.06
    turn: float = 5.0
    blur: float = 0.8
    noise: float = 12.0
    mirror: bool = True

    def __post_init__(self) -> None:
        for name, most in (("shift", 1.0), ("scale", 1.0), ("turn", 360.0)):
            check_between(name, getattr(self, name), 0.0, most, f"a number, 0 to {most:g}")
        for name in ("blur", "noise"):
            check_between(name, getattr(self, name), 0.0, np.inf, "a finite number, 0 or more")

    def copies(self, patches: Patches, window: Window, rng: np.random.Generator) -> Patches:
        """One copy of each patch (n, h, w), of the window's size."""
        blocks = [
            self._copies(patches[i : i + BLOCK], window, rng) for i in range(0, len(patches), BLOCK)
        ]
        return np.concatenate(blocks)

    def _copies(self, patches: Patches, window: Window, rng: np.random.Generator) -> Patches:
        n = len(patches)
        side = np.where(rng.random(n) < 0.5, -1.0, 1.0) if self.mirror else np.ones(n)
        size = np.exp(rng.uniform(-self.scale, self.scale, n))
        turn = np.deg2rad(rng.normal(0.0, self.turn, n))
        shift = rng.uniform(-self.shift, self.shift, (n, 2))
        pixels = resampled(patches, window, side, size, turn, shift)
        return as_bytes(self._photographed(pixels, rng))

    def _photographed(self, pixels: Floats, rng: np.random.Generator) -> Floats:
        n = len(pixels)
        width = np.where(rng.random(n) < 0.5, rng.uniform(0.0, self.blur, n), 0.0)
        blurred = _blurred(pixels, width)
        strength = rng.uniform(0.0, self.noise / 100, n) * blurred.std(axis=(1, 2))
        return np.asarray(blurred + strength[:, None, None] * rng.standard_normal(blurred.shape))


def resized(patches: Patches, window: Window) -> Patches:
    """The patches (n, h, w) at the size of the window, as they are."""
    if patches.shape[1:] == window:
        return np.ascontiguousarray(patches)
    blocks = []
    for i in range(0, len(patches), BLOCK):
        block = patches[i : i + BLOCK]
        ones, none = np.ones(len(block)), np.zeros(len(block))
        centred = np.zeros((len(block), 2))
        blocks.append(as_bytes(resampled(block, window, ones, ones, none, centred)))
    return np.concatenate(blocks)


def beside(patches: Patches, window: Window, n: int, rng: np.random.Generator) -> Patches:
    """n windows that overlap an object too little to be one: parts of it, or half off it.

    A part has 30 to 55 % of the object's side: an intersection over union of at most 0.3. Where a
    window leaves the patch, the border is continued.
    """
    out = []
    for first in range(0, n, BLOCK):
        m = min(BLOCK, n - first)
        inside = rng.random(m) < 0.6
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
    """The patches (n, h, w) seen through windows that are placed on them, (n, *window).

    side : (n,), -1 mirrors; size : (n,), of the window beside the patch; turn : (n,), in radians
    shift : (n, 2), of the window's centre along y and x, in sides of the patch
    """
    sides = np.array(patches.shape[1:], np.float64)
    y, x = ((np.arange(s) + 0.5) / s - 0.5 for s in window)
    y, x = y[:, None] * sides[0], x[None, :] * sides[1]  # from the centre, in pixels of the patch
    cos, sin = (f(turn) * size for f in (np.cos, np.sin))
    at_y = sides[0] * (0.5 + shift[:, 0, None, None]) + _outer(cos, y) + _outer(sin * side, x)
    at_x = sides[1] * (0.5 + shift[:, 1, None, None]) + _outer(cos * side, x) - _outer(sin, y)
    smooth = _blurred(patches.astype(np.float64), _too_fine(patches.shape[1:], window) * size)
    return _interpolated(smooth, at_y - 0.5, at_x - 0.5)


def as_bytes(pixels: Floats) -> Patches:
    """Grey levels, rounded and held between 0 and 255."""
    return np.clip(np.rint(pixels), 0, 255).astype(np.uint8)


def _outer(factors: Floats, grid: Floats) -> Floats:
    return np.asarray(factors[:, None, None] * grid)


def _too_fine(shape: tuple[int, ...], window: Window) -> float:
    """The blur that a patch needs before it is made smaller, in its pixels."""
    ratio = max(shape[0] / window[0], shape[1] / window[1])
    return 0.35 * ratio if ratio > 1.15 else 0.0


def _interpolated(pixels: Floats, y: Floats, x: Floats) -> Floats:
    n, height, width = pixels.shape
    y, x = np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)
    top = np.minimum(y.astype(np.intp), max(height - 2, 0))
    left = np.minimum(x.astype(np.intp), max(width - 2, 0))
    below, right = min(1, height - 1) * width, min(1, width - 1)
    part_y, part_x = y - top, x - left
    flat = pixels.reshape(-1)
    at = (np.arange(n) * (height * width))[:, None, None] + top * width + left
    above = flat[at] * (1 - part_x) + flat[at + right] * part_x
    under = flat[at + below] * (1 - part_x) + flat[at + below + right] * part_x
    return np.asarray(above * (1 - part_y) + under * part_y)


def _blurred(pixels: Floats, width: Floats) -> Floats:
    """A Gaussian blur of `width` (n,) pixels: three taps along each axis, the border continued."""
    neighbour: Floats = np.exp(-0.5 / np.square(np.maximum(width, 1e-3)))
    centre = (1 / (1 + 2 * neighbour))[:, None, None]
    share = neighbour[:, None, None] * centre
    for axis in (1, 2):
        padded = np.pad(pixels, [(0, 0), *((int(a == axis),) * 2 for a in (1, 2))], mode="edge")
        n = pixels.shape[axis]
        before, after = (padded.take(range(k, k + n), axis) for k in (0, 2))
        pixels = centre * pixels + share * (before + after)
    return pixels
