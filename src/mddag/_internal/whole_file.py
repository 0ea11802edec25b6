"""Writing a file whole or not at all: no reader gets half of it, no failure loses the old one."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

KEPT = 50  # characters of the name: at 4 bytes each, the rest still fits into the 255 of a name


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Make `data` the content of the file; if that fails, the file is as it was before.

    The content goes to a temporary file in the same folder, which then replaces the old one. A link
    is followed to the file that it names, and an existing file keeps its mode.
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
