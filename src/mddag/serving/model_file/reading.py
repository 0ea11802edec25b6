"""Reading: files of this package, of whatever kind, with one error for all that may be wrong.

Every kind has a function of the metadata and the tensors, which checks them and makes the object.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from mddag._internal.checks import checked_path
from mddag.serving.model_file.container import Metadata, ModelFileError, Tensors, unpack

Made = TypeVar("Made")


def content_of(data: bytes, make: Callable[[Metadata, Tensors], Made]) -> Made:
    """What `make` makes of a file's bytes; a ModelFileError if they are not sound."""
    try:
        return make(*unpack(data))
    except ModelFileError:
        raise
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise ModelFileError(f"the file holds no sound model: {error}") from error


def file_content(path: str | os.PathLike[str], make: Callable[[Metadata, Tensors], Made]) -> Made:
    """What `make` makes of a file; errors name it."""
    if os.path.isdir(checked_path(path)):
        raise IsADirectoryError(f"{os.fspath(path)!r} is a folder; wanted a file that save wrote")
    data = Path(path).read_bytes()
    try:
        return content_of(data, make)
    except ModelFileError as error:
        from mddag.adapters import other_than_ours  # only where something is wrong already

        other = other_than_ours(data)
        known = "" if other is None else f": {other}"
        raise ModelFileError(f"cannot read {os.fspath(path)!r}: {error}{known}") from error
