"""Models given as a path: which library wrote the file, and that library's own object of it.

The content decides what a file is, and its name must agree. Whatever a library raises on a file
becomes one sentence with the library's own words. Nothing here protects against a file made to
crash a library: read files from trusted sources only.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeGuard

from mddag.adapters._content import (
    Content,
    DamagedError,
    described_content,
    is_mddag,
    known_unreadable,
)
from mddag.adapters.adapter import FileAdapter, need


def is_path(model: Any) -> TypeGuard[str | os.PathLike[str]]:
    return isinstance(model, (str, os.PathLike))


def opened(path: str | os.PathLike[str], members: Sequence[FileAdapter]) -> Any:
    """The model in a file, as an object of the library that saved it."""
    name = os.fspath(path)
    if not isinstance(name, str):
        raise TypeError(f"the path {name!r} is {type(name).__name__}; wanted str or os.PathLike")
    content = Content(_data(name, members))
    suffix = Path(name).suffix.lower()
    for member in members:
        for kind in member.formats:
            if not kind.holds(content):
                continue
            if suffix != kind.suffix:
                raise ValueError(
                    f"{name!r} holds {kind.name}, but its name ends with {suffix!r}; rename it to "
                    f"{Path(name).stem}{kind.suffix}"
                )
            need(member.library, name)
            try:
                return member.load(name, content)
            except DamagedError as error:
                raise ValueError(f"cannot read {name!r}: {error}") from None
            except Exception as error:
                raise ValueError(refusal(name, member.library, error)) from error
    raise ValueError(f"{name!r} {described_content(content)}. {readable(members)}")


def other_than_ours(data: bytes, members: Sequence[FileAdapter]) -> str | None:
    """What a file is that was given to ``mddag.load`` and is not ours; None if unknown."""
    content = Content(data)
    if is_mddag(content):
        return None
    kinds = (kind.name for m in members for kind in m.formats if kind.holds(content))
    name = next(kinds, None)
    if name is not None:
        return f"it holds {name}, which mddag.as_ensemble and mddag.sparsify read"
    known = known_unreadable(content)
    return None if known is None else f"it {known}"


def refusal(name: str, library: str, error: Exception) -> str:
    """The error of a library about a file as one sentence, without its stack trace."""
    message = " ".join(str(error).partition("Stack trace:")[0].split())
    return f"cannot read {name!r}: {library} says {type(error).__name__}: {message:.200}"


def readable(members: Sequence[FileAdapter]) -> str:
    kinds = [f"{kind.name} ({kind.suffix})" for member in members for kind in member.formats]
    return f"as_ensemble reads files of {', '.join(kinds)}"


def _data(name: str, members: Sequence[FileAdapter]) -> bytes:
    if os.path.isdir(name):
        raise IsADirectoryError(f"{name!r} is a folder; wanted a file. {readable(members)}")
    try:
        return Path(name).read_bytes()
    except PermissionError:
        raise
    except (OSError, ValueError):  # not there, or no name that a file could have
        raise FileNotFoundError(
            f"model is the string {name!r:.80}, and there is no such file; wanted a fitted model "
            f"or the path of one. {readable(members)}"
        ) from None
