"""Images as they come, as gray pixels uint8 (height, width); boxes drawn on them; backgrounds.

Arrays are gray (h, w), or color (h, w, 3) or (h, w, 4) in the order red, green, blue; the fourth
channel is not looked at. Whole numbers are gray levels 0 to 255, floats are 0 (black) to 1 (white),
as in scikit-image. Color becomes gray by the weights .299, .587, .114 of the standard BT.601, with
the rounding of Pillow, so that an array and a file of the same image are the same. Files and
Pillow images are turned as their EXIF data says. Pillow is imported for these alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mddag._utils.checks import described, typed
from mddag._utils.warnings import doubt
from mddag.ensemble.patches import Window

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

Gray = NDArray[np.uint8]
ImageLike: TypeAlias = "NDArray[Any] | PillowImage | str | os.PathLike[str]"

WANTED = "wanted an array (height, width) or (height, width, 3), a Pillow image, or a path"
MOST_SIDE = 1 << 20
# Those that Pillow converts to gray levels without cutting values off.
MODES = ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "RGBX", "CMYK", "YCbCr")


def as_gray(picture: ImageLike) -> Gray:
    """Return gray pixels (h, w) of an array, a Pillow image or the path of a file."""
    if not isinstance(picture, np.ndarray):
        gray = np.asarray(_opened(picture).convert("L"))
        _check_shape(gray)
        return np.ascontiguousarray(gray)
    levels = as_levels(picture)
    if levels.ndim == 3:
        levels = levels[..., 0] if levels.shape[2] == 1 else _luma(levels)
    return np.ascontiguousarray(levels)


def _check_shape(picture: NDArray[Any]) -> None:
    color = picture.ndim == 3 and picture.shape[2] in (1, 3, 4)
    if picture.ndim != 2 and not color:
        raise ValueError(f"picture is an array of shape {picture.shape}; {WANTED}")
    if picture.size == 0:
        raise ValueError(f"picture is empty: its shape is {picture.shape}; wanted some pixels")
    if max(picture.shape[:2]) > MOST_SIDE:
        raise ValueError(
            f"picture is of shape {picture.shape}; wanted at most {MOST_SIDE} pixels a side: "
            "scan it in parts"
        )


def as_levels(picture: NDArray[Any]) -> NDArray[np.uint8]:
    """Return an array of any type, gray or color, as levels 0 to 255."""
    _check_shape(picture)
    if picture.dtype == np.uint8:
        return np.asarray(picture, np.uint8)
    if picture.dtype.kind == "b":
        return np.where(picture, np.uint8(255), np.uint8(0))
    if picture.dtype.kind not in "iuf":
        raise TypeError(f"picture is an array of {picture.dtype}; wanted uint8, or floats 0 to 1")
    low, high = picture.min(), picture.max()
    if picture.dtype.kind in "iu":
        if low < 0 or high > 255:
            raise ValueError(
                f"picture has values from {low} to {high}; wanted gray levels 0 to 255: scale it, "
                "such as (picture / 257).astype('uint8') for 16 bits"
            )
        return np.asarray(picture.astype(np.uint8))
    if np.isnan(low):
        raise ValueError("picture has NaN; wanted numbers: fill them first")
    if low < 0 or high > 1:
        raise ValueError(
            f"picture has floats from {low:g} to {high:g}; wanted 0 (black) to 1 (white), or uint8 "
            "0 to 255"
        )
    return np.asarray(np.rint(picture * 255), np.uint8)


def _luma(color: NDArray[np.uint8]) -> Gray:
    """Return the gray of red, green and blue in 16 bits of fixed point, some rows at a time."""
    out = np.empty(color.shape[:2], np.uint8)
    n = max(1, (1 << 20) // color.shape[1])
    for first in range(0, len(color), n):
        red, green, blue = np.moveaxis(color[first : first + n, :, :3].astype(np.uint32), 2, 0)
        out[first : first + n] = (red * 19595 + green * 38470 + blue * 7471 + (1 << 15)) >> 16
    return out


def _opened(picture: Any) -> PillowImage:
    """Return the Pillow image of a path or of itself, turned as viewers show it (EXIF)."""
    name = f"the image {os.fspath(picture)!r}" if _is_path(picture) else "picture"
    if _is_path(picture):
        picture = _read(picture)
    elif type(picture).__module__.split(".")[0] != "PIL":
        raise TypeError(f"picture is {described(picture)}; {WANTED}")
    mode = getattr(picture, "mode", None)
    if mode not in MODES:
        raise ValueError(
            f"{name} is a Pillow image of mode {mode!r}; wanted one of {', '.join(MODES)}: convert "
            "it to 8 bits first"
        )
    from PIL import ImageOps

    return ImageOps.exif_transpose(picture)


def _is_path(picture: Any) -> bool:
    return isinstance(picture, (str, os.PathLike))


def _read(path: str | os.PathLike[str]) -> PillowImage:
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        raise ImportError(
            "reading an image from a file needs Pillow: pip install 'mddag[detect]', or give the "
            "pixels as an array"
        ) from None
    try:
        with Image.open(path) as image:
            image.load()
            return image
    except UnidentifiedImageError:
        raise ValueError(
            f"cannot read {os.fspath(path)!r}: it is no image that Pillow knows"
        ) from None
    except OSError as error:
        if error.errno is not None:  # of the system: no such file
            raise
        raise ValueError(f"cannot read {os.fspath(path)!r}: {error}") from None


FRAME, EDGE = (255, 220, 0), (0, 0, 0)


def drawn(picture: ImageLike, boxes: NDArray[np.int64]) -> PillowImage:
    """Draw a frame around each box (xmin, ymin, xmax, ymax) of the image in its own colors."""
    try:
        from PIL import Image, ImageDraw
    except ImportError:
        raise ImportError("drawing needs Pillow: pip install 'mddag[detect]'") from None
    if not isinstance(picture, np.ndarray):
        image = _opened(picture).convert("RGB")
    elif picture.ndim == 3 and picture.shape[2] >= 3:
        image = Image.fromarray(np.ascontiguousarray(as_levels(picture)[..., :3]))
    else:
        image = Image.fromarray(as_gray(picture)).convert("RGB")
    pen = ImageDraw.Draw(image)
    width = max(1, round(min(image.size) / 200))
    for xmin, ymin, xmax, ymax in boxes.tolist():
        for grow, color, line in ((1, EDGE, width + 2), (0, FRAME, width)):
            frame = (xmin - grow, ymin - grow, xmax - 1 + grow, ymax - 1 + grow)
            pen.rectangle(frame, outline=color, width=line)
    return image


FEWEST = 2  # one to take negatives from, one held out
KINDS = (".bmp", ".gif", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp")


def checked_backgrounds(backgrounds: Any, window: Window) -> list[Gray]:
    """Return gray images of at least one window each; others are left out, with a warning."""
    given = _listed(backgrounds)
    images = [as_gray(image) for image in given]
    large = [p for p in images if p.shape[0] >= window[0] and p.shape[1] >= window[1]]
    if len(large) < FEWEST:
        sizes = sorted({p.shape for p in images}, reverse=True)
        few = f", the largest of {sizes[0]}" if sizes else ""
        raise ValueError(
            f"{len(large)} of {len(images)} backgrounds are as large as the window of {window}"
            f"{few}; wanted {FEWEST} or more images without the object: whole images, not "
            "patches of them"
        )
    if len(large) < len(images):
        doubt(
            f"{len(images) - len(large)} of {len(images)} backgrounds are smaller than the "
            f"window of {window} and are left out"
        )
    return large


def _listed(backgrounds: Any) -> list[Any]:
    """Return the images of a list, or the image files of a folder, by name."""
    if isinstance(backgrounds, (str, os.PathLike)):
        folder = Path(backgrounds)
        if not folder.is_dir():
            raise ValueError(
                f"backgrounds is {os.fspath(backgrounds)!r}, which is no folder; wanted a folder "
                "of images without the object, or a list of images"
            )
        return sorted(p for p in folder.iterdir() if p.suffix.lower() in KINDS)
    one = isinstance(backgrounds, np.ndarray) and backgrounds.ndim < 3
    if one or not isinstance(backgrounds, Iterable):
        raise TypeError(
            f"backgrounds is {typed(backgrounds)}; wanted a list of images without the object, "
            "or a folder of them"
        )
    return list(backgrounds)
