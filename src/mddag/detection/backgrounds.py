"""Pictures without the object, as they are given: arrays, Pillow images, paths, or a folder."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import typed
from mddag._internal.warnings import doubt
from mddag.detection.picture import as_grey
from mddag.features.haar import Window

Grey = NDArray[np.uint8]
FEWEST = 2  # one to take negatives from, one held out
KINDS = (".bmp", ".gif", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp")


def checked_backgrounds(backgrounds: Any, window: Window) -> list[Grey]:
    """Grey pictures that have at least one window each; the others are left out, with a warning."""
    given = _listed(backgrounds)
    pictures = [as_grey(picture) for picture in given]
    large = [p for p in pictures if p.shape[0] >= window[0] and p.shape[1] >= window[1]]
    if len(large) < FEWEST:
        sizes = sorted({p.shape for p in pictures}, reverse=True)
        few = f", the largest of {sizes[0]}" if sizes else ""
        raise ValueError(
            f"{len(large)} of {len(pictures)} backgrounds are as large as the window of {window}"
            f"{few}; wanted {FEWEST} or more pictures without the object: whole pictures, not "
            "patches of them"
        )
    if len(large) < len(pictures):
        doubt(
            f"{len(pictures) - len(large)} of {len(pictures)} backgrounds are smaller than the "
            f"window of {window} and are left out"
        )
    return large


def _listed(backgrounds: Any) -> list[Any]:
    """The pictures of a list, or the picture files of a folder, by name."""
    if isinstance(backgrounds, (str, os.PathLike)):
        folder = Path(backgrounds)
        if not folder.is_dir():
            raise ValueError(
                f"backgrounds is {os.fspath(backgrounds)!r}, which is no folder; wanted a folder "
                "of pictures without the object, or a list of pictures"
            )
        return sorted(p for p in folder.iterdir() if p.suffix.lower() in KINDS)
    one = isinstance(backgrounds, np.ndarray) and backgrounds.ndim < 3
    if one or not isinstance(backgrounds, Iterable):
        raise TypeError(
            f"backgrounds is {typed(backgrounds)}; wanted a list of pictures without the object, "
            "or a folder of them"
        )
    return list(backgrounds)
