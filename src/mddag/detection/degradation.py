"""Degradation: a picture as a worse camera, a scanner or the page of a newspaper would show it.

Pictures without the object are usually few and good; the pictures to be searched need not be. What
is blurred, grainy, printed in dots or poor in contrast has windows that no good picture has, and
contrast is normalised, so that grain and dots of a dull region become patterns. Some of the
pictures are made worse at random before negatives are taken from them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_between

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
