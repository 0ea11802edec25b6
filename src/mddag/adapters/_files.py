"""Models given as a path: find out which library wrote the file and load it with that library.

The content decides what a file is, and its name must agree. The libraries do not check files:
LightGBM ends the process on a truncated one, CatBoost takes JSON without its last brace; so JSON is
parsed here first. A file made to crash a library still crashes it, unless it is read in a process
of its own.
"""

from __future__ import annotations

import json
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

from mddag._utils.cached import cached_property
from mddag.adapters.adapter import FileAdapter, need
from mddag.ensemble.ensemble import Ensemble


class DamagedError(ValueError):
    """Raised for an incomplete file before its library reads it."""


@dataclass(frozen=True, eq=False)
class Content:
    """The bytes of a file."""

    data: bytes

    @cached_property
    def is_json(self) -> bool:
        """Whether it begins like a JSON object, complete or not; XGBoost's binary JSON does not."""
        return re.match(rb'\s*\{\s*["}]', self.data) is not None

    @cached_property
    def keys(self) -> frozenset[str]:
        """Keys of the JSON object; none if it is not one."""
        return frozenset(self.json) if isinstance(self.json, dict) else frozenset()

    @cached_property
    def json(self) -> Any:
        """The JSON value, None if it is not JSON or damaged."""
        try:
            return json.loads(self.data) if self.is_json else None
        except (ValueError, RecursionError):
            return None


@dataclass(frozen=True)
class Format:
    """A kind of file: its name in messages, suffix, and a test of the content."""

    name: str
    suffix: str
    holds: Callable[[Content], bool]


def is_mddag(content: Content) -> bool:
    """Return whether a file begins like our own model files."""
    length = int.from_bytes(content.data[:8], "little")
    return length < len(content.data) and b'"mddag"' in content.data[8 : 8 + length]


def _is_pickle(content: Content) -> bool:
    # No instruction of a pickle is 0, which stands there in lengths.
    return re.match(rb"\x80[\x02-\x05][^\x00]", content.data) is not None


# Files that are recognized but not read, and what to do instead.
UNREADABLE: tuple[tuple[Callable[[Content], bool], str], ...] = (
    (lambda content: not content.data, "is empty (0 bytes); save the model again"),
    (is_mddag, "is a model that mddag saved, sparse already; mddag.load reads it"),
    (
        _is_pickle,
        "is a pickle, which can run any code when it is read; load it yourself if you trust "
        "its source, and pass the model",
    ),
    (
        lambda content: "tree_info" in content.keys,
        "is LightGBM's dump_model, which cannot be loaded again; save the model with "
        "booster.save_model('model.txt')",
    ),
    (
        lambda content: content.data.startswith(b"binf"),
        "is in XGBoost's old binary format; load it with an XGBoost that can, and save it as .json",
    ),
)


def known_unreadable(content: Content) -> str | None:
    """Describe a known kind of file that is not read here, and what to do with it."""
    return next((text for is_one, text in UNREADABLE if is_one(content)), None)


def is_path(model: Any) -> TypeGuard[str | os.PathLike[str]]:
    """Return whether the model is a path."""
    return isinstance(model, (str, os.PathLike))


def opened(path: str | os.PathLike[str], members: Sequence[FileAdapter]) -> Any:
    """Load the model in a file as an object of the library that saved it."""
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
    what = known_unreadable(content)
    if what is None and content.is_json and content.json is None:
        what = "is JSON that is damaged or cut short; get a whole copy"
    elif what is None and content.keys:
        what = f"is JSON of another kind (its keys are {', '.join(sorted(content.keys)[:4])})"
    elif what is None:
        what = f"holds no known format (it begins with {content.data[:12]!r})"
    raise ValueError(f"{name!r} {what}. {readable(members)}")


# Libraries print to standard output, so the answer goes to a file.
_READ = """
import pickle, sys
path, answer, sys.path = pickle.load(sys.stdin.buffer)
from mddag.adapters import as_ensemble
try:
    found = as_ensemble(path)
except Exception as error:
    found = error
with open(answer, "wb") as file:
    pickle.dump(found, file)
"""
SECONDS, SECONDS_PER_BYTE = 60, 1e-6  # far more than any library takes for a sound file


def isolated(path: str | os.PathLike[str]) -> Ensemble:
    """Return the Ensemble in a file, read in another process, whose crash becomes a ValueError."""
    name = os.fspath(path)
    size = os.path.getsize(name) if os.path.exists(name) else 0
    seconds = SECONDS + SECONDS_PER_BYTE * size
    with tempfile.TemporaryDirectory(prefix="mddag-") as folder:
        answer = Path(folder) / "answer"
        given = pickle.dumps((name, str(answer), sys.path))
        command = [sys.executable, "-c", _READ]
        try:
            done = subprocess.run(command, input=given, capture_output=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            raise ValueError(
                f"cannot read {name!r}: its library does not come to an end with it; the file is "
                "damaged, or made to do harm"
            ) from None
        if not answer.exists():
            signalled = done.returncode < 0
            end = signal.Signals(-done.returncode).name if signalled else f"exit {done.returncode}"
            raise ValueError(
                f"cannot read {name!r}: its library crashed ({end}); the file is damaged, or made "
                "to do harm"
            )
        found: Ensemble | Exception = pickle.loads(answer.read_bytes())
    if isinstance(found, Exception):
        raise found
    return found


def other_than_ours(data: bytes, members: Sequence[FileAdapter]) -> str | None:
    """Describe a file that was given to ``mddag.load`` and is not ours; None if unknown."""
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
    """Return the error of a library about a file as one sentence, without its stack trace."""
    message = " ".join(str(error).partition("Stack trace:")[0].split())
    return f"cannot read {name!r}: {library} says {type(error).__name__}: {message:.200}"


def readable(members: Sequence[FileAdapter]) -> str:
    """List the formats that can be read."""
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
