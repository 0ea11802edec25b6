"""Pictures with boxes drawn on them, as Pillow images."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.detection.picture import as_grey, as_levels

COLOUR = (255, 220, 0)
EDGE = (0, 0, 0)


def drawn(picture: Any, boxes: NDArray[np.int64]) -> Any:
    """The picture in its own colours with a frame around each box (xmin, ymin, xmax, ymax).

    Frames are as wide as the picture needs to be seen, with a dark edge for bright pictures.
    """
    try:
        from PIL import ImageDraw
    except ImportError:
        raise ImportError("drawing needs Pillow: pip install 'mddag[detect]'") from None
    image = _as_image(picture)
    pen = ImageDraw.Draw(image)
    width = max(1, round(min(image.size) / 200))
    for xmin, ymin, xmax, ymax in boxes.tolist():
        for grow, colour, line in ((1, EDGE, width + 2), (0, COLOUR, width)):
            frame = (xmin - grow, ymin - grow, xmax - 1 + grow, ymax - 1 + grow)
            pen.rectangle(frame, outline=colour, width=line)
    return image


def _as_image(picture: Any) -> Any:
    """A copy of the picture as an RGB image."""
    from PIL import Image

    if isinstance(picture, (str, os.PathLike)):
        with Image.open(picture) as image:
            return image.convert("RGB")
    if isinstance(picture, Image.Image):
        return picture.convert("RGB")
    if isinstance(picture, np.ndarray) and picture.ndim == 3 and picture.shape[2] >= 3:
        return Image.fromarray(np.ascontiguousarray(as_levels(picture)[..., :3]))
    return Image.fromarray(as_grey(picture)).convert("RGB")
