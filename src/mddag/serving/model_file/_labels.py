"""Class labels <-> JSON, exactly: bools, integers, floats and strings, with their numpy type."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.serving.model_file._fields import check_fields
from mddag.serving.model_file.container import Metadata, ModelFileError

# In an array of strings every label takes the place of the longest: it may be so many characters
# long, and some for each character that there is.
MOST_CHARACTERS, MOST_TIMES = 2**21, 4
_NUMBERS = {
    "bool": bool,
    **dict.fromkeys((f"{sign}int{8 * n}" for sign in ("", "u") for n in (1, 2, 4, 8)), int),
    **dict.fromkeys(("float16", "float32", "float64"), float),
}


def labels_to_json(classes: NDArray[Any] | None) -> Metadata | None:
    """{"dtype", "values"}; None for ensembles without classes."""
    if classes is None:
        return None
    values = classes.tolist()
    name = f"U{classes.dtype.itemsize // 4}" if classes.dtype.kind == "U" else classes.dtype.name
    if name == "object" and not all(type(value) is str for value in values):
        raise TypeError(
            f"classes are Python objects such as {values[0]!r:.40}; a file keeps bools, integers, "
            "floats and strings: encode the labels"
        )
    if name not in _NUMBERS and name != "object" and classes.dtype.kind != "U":
        raise TypeError(
            f"classes are {classes.dtype}; a file keeps bools, integers, floats and strings: "
            "encode the labels"
        )
    return {"dtype": name, "values": values}


def labels_from_json(metadata: Metadata | None) -> NDArray[Any] | None:
    """The inverse of `labels_to_json`."""
    if metadata is None:
        return None
    check_fields("classes", metadata, {"dtype": str, "values": list})
    name, values = metadata["dtype"], metadata["values"]
    kind = _NUMBERS.get(name, str)
    if any(type(value) is not kind for value in values):
        raise ModelFileError(f"classes of type {name!r:.20} hold other values than {kind.__name__}")
    if kind is str:
        _check_strings(name, values)
    classes: NDArray[Any] = np.array(values, name)
    if classes.tolist() != values:
        raise ModelFileError(f"classes do not fit their type {name}")
    return classes


def _check_strings(name: str, values: list[str]) -> None:
    if name == "object":
        return
    width = int(name[1:]) if re.fullmatch(r"U[0-9]{1,8}", name) else None
    if width is None:
        raise ModelFileError(f"classes are of type {name!r:.20}; wanted one of {[*_NUMBERS]}, U<n>")
    most = MOST_CHARACTERS + MOST_TIMES * sum(map(len, values))
    if width * len(values) > most:
        raise ModelFileError(
            f"{len(values)} labels of {width} characters each are too long; "
            f"wanted at most {most} characters in all"
        )
