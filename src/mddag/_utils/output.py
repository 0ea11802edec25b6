"""Output: files written completely or not at all, JSON, and progress on standard error."""

from __future__ import annotations

import math
import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

KEPT = 50  # characters of the name: at 4 bytes each, the rest still fits into the 255 of a name


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Replace the content of a file; if that fails, the file stays as it was.

    The content goes to a temporary file in the same folder, which then replaces the old one. Links
    are followed, and an existing file keeps its mode.
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name[:KEPT]}.{secrets.token_hex(4)}.unfinished")
    try:
        old = target.stat().st_mode if target.exists() else None
        if old is not None and not (stat.S_ISREG(old) and os.access(target, os.W_OK)):
            target.write_bytes(data)  # a pipe or a device; folders and read-only files raise
            return
        mode = 0o666 if old is None else stat.S_IMODE(old)
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # before the old content goes
        if old is not None:
            temporary.chmod(mode)  # the umask has taken some of it
        os.replace(temporary, target)
    except OSError as error:
        reason = f"{error.strerror}; nothing was written"
        raise OSError(error.errno, reason, os.fspath(path)) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def plain(value: Any) -> Any:
    """Return what JSON can hold: Python's types, and strings for infinite numbers."""
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


Report = Callable[[int, str], None]

ERASE = "\x1b[K"  # to the end of the line, on a terminal
_open: list[str] = []  # titles: what is done within other work leaves no line on a terminal


@contextmanager
def progress(title: str, total: int, shown: bool) -> Iterator[Report]:
    """Yield ``report(n_done, note)``, to be called now and then while `total` things are done."""
    if not shown:
        yield lambda n_done, note: None
        return
    terminal, shown_at = sys.stderr.isatty(), 0.0
    _open.append(title)

    def report(n_done: int, note: str) -> None:
        nonlocal shown_at
        if n_done == total or (terminal and perf_counter() - shown_at > 0.2):
            end = ERASE if terminal else ""
            print(f"\r{title}: {n_done}/{total}, {note}{end}", end="", file=sys.stderr, flush=True)
            shown_at = perf_counter()

    try:
        yield report
    finally:
        _open.pop()
        print(end=f"\r{ERASE}" if terminal and _open else "\n", file=sys.stderr, flush=True)
