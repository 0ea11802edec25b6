"""Writing a file whole or not at all: no reader gets half of it, and no failure loses the old one.

The content goes to a file of another name in the same folder, ``.<name>.<8 digits>.unfinished``,
which then takes the place of the old one. A link is followed to the file that it names. An existing
file keeps its mode (and its owner, where the system lets us); a new one gets 0o666 less the umask.
Hard links to the old file keep the old content.

A process that is killed while it writes leaves its unfinished file behind; the next write of the
same file removes it. A write holds a lock on its unfinished file, so that only those of dead writes
are removed. Windows has no such lock: there they stay.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import sys
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

KEPT = 50  # characters of the name: at 4 bytes each, the rest still fits into the 255 of a name


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Make `data` the content of the file; where that fails, the file is as it was before."""
    name, target = os.fspath(path), Path(os.path.realpath(path))
    try:
        old = _status(target, name)
        if old is not None and not stat.S_ISREG(old.st_mode):
            target.write_bytes(data)  # a pipe or a device: nothing to put a file in the place of
            return
        _remove_dead(target)
        _replace(target, data, old)
    except OSError as error:
        if error.filename == name:  # it has the name already
            raise
        raise _error(error.errno, f"{error.strerror}; nothing was written", name) from error


def _status(target: Path, name: str) -> os.stat_result | None:
    """That of a file that is there already; what cannot be written is refused."""
    folder = str(target.parent)
    if not os.path.exists(folder):
        raise _error(errno.ENOENT, f"the folder {folder!r} does not exist; make it first", name)
    if not os.path.isdir(folder):
        raise _error(errno.ENOTDIR, f"{folder!r} is a file; wanted a folder to write into", name)
    if os.path.isdir(target):
        raise _error(errno.EISDIR, "this is a folder; wanted the name of a file", name)
    try:
        old = target.stat()
    except FileNotFoundError:
        old = None
    if old is not None and not os.access(target, os.W_OK):
        advice = "the file may not be written to; change its mode or choose another name"
        raise _error(errno.EACCES, advice, name)
    if (old is None or stat.S_ISREG(old.st_mode)) and not os.access(folder, os.W_OK | os.X_OK):
        advice = f"the folder {folder!r} may not be written to; change its mode or choose another"
        raise _error(errno.EACCES, advice, name)
    return old


def _error(code: int | None, advice: str, name: str) -> OSError:
    """An OSError of the kind of the code, such as FileNotFoundError."""
    return OSError(code, advice, name)


def _replace(target: Path, data: bytes, old: os.stat_result | None) -> None:
    unfinished, descriptor = _opened(target, secret=old is not None)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
            if sys.platform != "win32":
                if old is not None:
                    _give(descriptor, old)
                unfinished.replace(target)  # while the lock is held
        if sys.platform == "win32":
            unfinished.replace(target)  # where an open file cannot be renamed
    finally:
        unfinished.unlink(missing_ok=True)


def _opened(target: Path, *, secret: bool) -> tuple[Path, int]:
    """A new file beside the target, locked; if secret, only its owner may read it."""
    while True:
        unfinished = target.with_name(f".{target.name[:KEPT]}.{secrets.token_hex(4)}.unfinished")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(unfinished, flags, 0o600 if secret else 0o666)
        if _lock(descriptor) is not False and os.fstat(descriptor).st_nlink > 0:
            return unfinished, descriptor
        os.close(descriptor)  # another write took it for dead before it was locked


def _give(descriptor: int, old: os.stat_result) -> None:
    """The owner and the mode of the old file, as far as the system lets us."""
    if sys.platform != "win32":
        with suppress(PermissionError):
            os.fchown(descriptor, old.st_uid, old.st_gid)
        with suppress(PermissionError):
            os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _remove_dead(target: Path) -> None:
    """Remove what killed writes of this target have left behind."""
    pattern = re.compile(rf"\.{re.escape(target.name[:KEPT])}\.[0-9a-f]{{8}}\.unfinished")
    for name in filter(pattern.fullmatch, os.listdir(target.parent)):
        with suppress(OSError):  # it may be gone by now, or belong to another user
            descriptor = os.open(target.with_name(name), os.O_RDWR)
            try:
                if _lock(descriptor):
                    target.with_name(name).unlink()
            finally:
                os.close(descriptor)


def _lock(descriptor: int) -> bool | None:
    """Whether this process holds the lock of the file now; None where there are no locks."""
    if sys.platform == "win32":
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return None
    return True
