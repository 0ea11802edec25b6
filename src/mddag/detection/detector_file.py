"""A detector <-> a file: the container of model files, with the arrays of a WindowClassifier.

``mddag.load`` comes here for files of the kind "detector". What is read is checked as the arguments
of a caller are, by `WindowClassifier` and by the native core: a file runs no code.
"""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import Any

import numpy as np

from mddag._internal.checks import check_between, check_one_of, checked_path
from mddag._internal.output import write_whole
from mddag.detection.detector import GROUPINGS, SETTINGS, Detector
from mddag.detection.window_classifier import TYPES, WindowClassifier
from mddag.serving.model_file.container import (
    Metadata,
    ModelFileError,
    Tensors,
    Types,
    check_fields,
    check_tensors,
    content_of,
    pack,
)

VERSION = 1
FIELDS: dict[str, Types] = {
    "kind": str,
    "version": int,
    "window": list,
    "margin": int,
    "min_deviation": float,
    "skips": bool,
    "cut": float,
    "grouping": str,
    "parameters": dict,
}
STORED = {
    np.int32: "I32",
    np.int64: "I64",
    np.float32: "F64",  # float32 thresholds as float64, which is exact
    np.float64: "F64",
    np.bool_: "U8",
}
TWO_DIMENSIONS = ("features", "node_next", "node_votes")
TENSORS = {
    name: (STORED[dtype], 2 if name in TWO_DIMENSIONS else 1) for name, dtype in TYPES.items()
} | {"accept": ("F64", 1)}
NUMBERS_OF_A_FEATURE = 15


def write(path: str | os.PathLike[str], detector: Detector) -> None:
    """Write the file, whole or not at all; what cannot be read again is not written."""
    data = to_bytes(detector)
    content_of(data, of_content)
    write_whole(checked_path(path), data)


def to_bytes(detector: Detector) -> bytes:
    """The content of a detector's file; the same for the same detector."""
    classifier = detector.classifier_
    metadata = {
        "kind": "detector",
        "version": VERSION,
        "window": [int(side) for side in classifier.window],
        "margin": int(classifier.margin),
        "min_deviation": float(classifier.min_deviation),
        "skips": bool(classifier.skips),
        "cut": float(detector.cut_),
        "grouping": detector.grouping_,
        "parameters": {
            name: _plain(asdict(value) if name in SETTINGS else value)
            for name, value in detector.get_params(deep=False).items()
            if name != "n_threads"
        },
    }
    tensors = {name: getattr(classifier, name) for name in TYPES}
    tensors["features"] = tensors["features"].reshape(-1, NUMBERS_OF_A_FEATURE)
    stored = {name: tensor.astype(_numpy_type(name)) for name, tensor in tensors.items()}
    return pack(metadata, stored | {"accept": np.array([classifier.accept], np.float64)})


def of_content(metadata: Metadata, tensors: Tensors, n_threads: int = 1) -> Detector:
    """The detector that these hold, checked throughout."""
    if metadata.get("version") != VERSION:
        raise ModelFileError(
            f"the detector has format version {metadata.get('version')!r:.20}, but this mddag "
            f"reads version {VERSION}; upgrade it: pip install --upgrade mddag"
        )
    check_fields("the metadata", metadata, FIELDS)
    check_tensors(tensors, TENSORS)
    check_one_of("grouping", metadata["grouping"], GROUPINGS)
    check_between("min_deviation", metadata["min_deviation"], 0, 255, "grey levels, 0 to 255")
    if len(tensors["accept"]) != 1 or not np.isfinite(tensors["node_votes"]).all():
        raise ModelFileError("the votes are not finite, or there is no single accepting threshold")
    arrays: dict[str, Any] = {name: tensors[name].astype(dtype) for name, dtype in TYPES.items()}
    arrays["features"] = arrays["features"].reshape(-1, 3, 5)
    window = _window(metadata["window"])
    classifier = WindowClassifier(
        window=window,
        **arrays,
        accept=float(tensors["accept"][0]),
        margin=_margin(metadata["margin"], window),
        min_deviation=metadata["min_deviation"],
        skips=metadata["skips"],
    )
    detector = Detector(**_parameters(metadata["parameters"]), n_threads=n_threads)
    detector.check()
    detector.classifier_, detector.cut_ = classifier, metadata["cut"]
    detector.grouping_ = metadata["grouping"]
    return detector


def _plain(value: Any) -> Any:
    """A parameter as JSON has it: numbers of numpy, which users may give, are no numbers there."""
    if isinstance(value, dict):
        return {name: _plain(v) for name, v in value.items()}
    return value.item() if isinstance(value, np.generic) else value


def _numpy_type(name: str) -> Any:
    return {"I32": np.int32, "I64": np.int64, "F64": np.float64, "U8": np.uint8}[TENSORS[name][0]]


def _window(sides: list[Any]) -> tuple[int, int]:
    if len(sides) != 2:
        raise ModelFileError(f"the window is {sides!r:.40}; wanted height and width")
    return _count(sides[0]), _count(sides[1])


def _margin(margin: Any, window: tuple[int, int]) -> int:
    if 2 * _count(margin) >= min(window):
        raise ModelFileError(f"a margin of {margin} pixels leaves nothing of the window {window}")
    return int(margin)


def _count(number: Any) -> int:
    if type(number) is not int or not 0 <= number < 2**31:
        raise ModelFileError(f"a number of pixels is {number!r:.40}")
    return number


def _parameters(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of Detector."""
    for name, kind in SETTINGS.items():
        if not isinstance(given.get(name), dict):
            raise ModelFileError(f"{name} is {given.get(name)!r:.40}; wanted its settings by name")
        given = given | {name: kind(**given[name])}
    if isinstance(given.get("window"), list):
        given = given | {"window": tuple(given["window"])}
    return given
