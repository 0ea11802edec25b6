"""Augmentation: each object patch once more, as another image might show it.

A copy is mirrored or not, shifted, scaled and turned a little, then blurred and made noisy, all at
random. Pixels are interpolated linearly; outside of a patch its border is continued. A scan finds
an object at a window that is near it and not on it, which is what shift and scale stand for. Some
copies get other surroundings, from windows without the object: else the outline alone, bright
before dark as it happens to be in most patches, would do for an object.

Degradation is for images without the object, which are usually few and good, while those to be
searched need not be. What is blurred, grainy, printed in dots or poor in contrast has windows that
no good image has, and contrast is normalised, so that grain and dots of a dull region become
patterns. Some of the images are made worse at random before negatives are taken from them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag._utils.checks import check_between
from mddag.ensemble.patches import Window

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
    surroundings : share of the copies whose corners and sides are those of another picture
    """

    shift: float = 0.03
    scale: float = 0.05
    turn: float = 4.0
    blur: float = 0.6
    noise: float = 8.0
    mirror: bool = True
    surroundings: float = 0.5

    def __post_init__(self) -> None:
        for name, most in (
            ("shift", 1.0),
            ("scale", 1.0),
            ("turn", 360.0),
            ("surroundings", 1.0),
        ):
            check_between(name, getattr(self, name), 0.0, most, f"a number, 0 to {most:g}")
        for name in ("blur", "noise"):
            check_between(name, getattr(self, name), 0.0, np.inf, "a finite number, 0 or more")

    def copies(
        self,
        patches: Patches,
        window: Window,
        rng: np.random.Generator,
        others: Patches | None = None,
    ) -> Patches:
        """One copy of each patch (n, h, w), of the window's size.

        others : windows without the object, (m, *window), for the surroundings
        """
        blocks = [
            self._copies(patches[i : i + BLOCK], window, rng, others)
            for i in range(0, len(patches), BLOCK)
        ]
        return np.concatenate(blocks)

    def _copies(
        self, patches: Patches, window: Window, rng: np.random.Generator, others: Patches | None
    ) -> Patches:
        n = len(patches)
        side = np.where(rng.random(n) < 0.5, -1.0, 1.0) if self.mirror else np.ones(n)
        size = np.exp(rng.uniform(-self.scale, self.scale, n))
        turn = np.deg2rad(rng.normal(0.0, self.turn, n))
        shift = rng.uniform(-self.shift, self.shift, (n, 2))
        pixels = resampled(patches, window, side, size, turn, shift)
        if others is not None and len(others) and self.surroundings > 0:
            chosen = np.flatnonzero(rng.random(n) < self.surroundings)
            drawn = others[rng.integers(0, len(others), len(chosen))]
            pixels[chosen] = surrounded(pixels[chosen], drawn.astype(np.float64), rng)
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


def surrounded(pixels: Floats, others: Floats, rng: np.random.Generator) -> Floats:
    """The middle of each patch (n, h, w) before another one, of a brightness of its own.

    The middle is an ellipse or a rounded rectangle of 75 to 105 % of the patch, with a soft edge.
    """
    n, height, width = pixels.shape
    y = np.abs((np.arange(height) + 0.5) / height * 2 - 1)[None, :, None]
    x = np.abs((np.arange(width) + 0.5) / width * 2 - 1)[None, None, :]
    tall, wide, power = (
        rng.uniform(a, b, (n, 1, 1)) for a, b in ((0.85, 1.05), (0.75, 1.05), (2, 4))
    )
    far = ((y / tall) ** power + (x / wide) ** power) ** (1 / power)
    inside = np.clip((1.0 - far) / 0.15 + 0.5, 0.0, 1.0)
    mean, spread = (f(pixels, axis=(1, 2), keepdims=True) for f in (np.mean, np.std))
    plain = others - others.mean(axis=(1, 2), keepdims=True)
    plain /= np.maximum(others.std(axis=(1, 2), keepdims=True), 1.0)
    behind = mean + spread * (
        rng.uniform(0.2, 1.5, (n, 1, 1)) * plain + rng.uniform(-1.5, 1.5, (n, 1, 1))
    )
    return np.asarray(inside * pixels + (1 - inside) * behind)


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


Grey = NDArray[np.uint8]
Pixels = NDArray[np.float32]


@dataclass(frozen=True)
class Degradation:
    """How much worse a picture may become.

    share    : of the pictures, the probability that one is changed at all
    blur     : standard deviation of the widest Gaussian blur, in pixels
    contrast : the least contrast that is left
    noise    : standard deviation of the strongest noise, in grey levels at full contrast
    dots     : amplitude of the strongest printing screen, in grey levels at full contrast
    """

    share: float = 0.6
    blur: float = 1.6
    contrast: float = 0.25
    noise: float = 10.0
    dots: float = 14.0

    def __post_init__(self) -> None:
        for name in ("share", "contrast"):
            check_between(name, getattr(self, name), 0.0, 1.0, "a number, 0 to 1")
        for name in ("blur", "noise", "dots"):
            check_between(name, getattr(self, name), 0.0, 1000.0, "a number, 0 to 1000")

    def worse(self, picture: Grey, rng: np.random.Generator) -> Grey:
        """The picture itself, or made worse."""
        if rng.random() >= self.share:
            return picture
        pixels: Pixels = picture.astype(np.float32)
        if rng.random() < 0.5:
            pixels = blurred(pixels, float(rng.uniform(0.3, max(self.blur, 0.3))))
        contrast = float(rng.uniform(self.contrast, 1.0))
        mean = pixels.mean()
        pixels = mean + contrast * (pixels - mean)
        if rng.random() < 0.5:
            strength = contrast * float(rng.uniform(0.0, self.noise))
            pixels += strength * rng.standard_normal(pixels.shape, np.float32)
        if rng.random() < 0.25:
            pixels += contrast * float(rng.uniform(0.0, self.dots)) * _screen(pixels.shape, rng)
        return np.clip(np.rint(pixels), 0, 255).astype(np.uint8)


def blurred(pixels: Pixels, width: float) -> Pixels:
    """A Gaussian blur of standard deviation `width` along both axes, the border continued."""
    reach = int(np.ceil(3 * width))
    taps = np.exp(-0.5 * np.square(np.arange(-reach, reach + 1) / width))
    taps = (taps / taps.sum()).astype(np.float32)
    for axis in (0, 1):
        padded = np.pad(pixels, [(reach, reach) if a == axis else (0, 0) for a in (0, 1)], "edge")
        n = pixels.shape[axis]
        parts = (padded[k : k + n] if axis == 0 else padded[:, k : k + n] for k in range(len(taps)))
        pixels = np.asarray(sum(tap * part for tap, part in zip(taps, parts, strict=True)))
    return pixels


def _screen(shape: tuple[int, ...], rng: np.random.Generator) -> Pixels:
    """A grid of dots, turned, 2 to 6 pixels from one to the next: (height, width), -1 to 1."""
    turn = rng.uniform(0.0, np.pi / 2)
    periods = rng.uniform(2.2, 6.0, 2)
    y, x = (np.arange(n, dtype=np.float32) for n in shape)
    along = np.cos(turn) * x[None] + np.sin(turn) * y[:, None]
    across = np.cos(turn) * y[:, None] - np.sin(turn) * x[None]
    waves = np.sin(2 * np.pi * along / periods[0]) * np.sin(2 * np.pi * across / periods[1])
    return np.asarray(waves, np.float32)
