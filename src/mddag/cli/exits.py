"""Exits: the exit codes of the commands, and the errors that lead to them.

A command ends with one of the codes below; what stopped it is one line on standard error. Whatever
the library raises about rows, labels or a model is code 3, since options are checked before; an
error of the operating system is code 4, since those of reading are turned into code 3 by the
readers.
"""

from __future__ import annotations

import errno
import os
from enum import IntEnum


class Exit(IntEnum):
    """What the end of a command means."""

    OK = 0
    DIFFERENT = 1  # validate found differences, or a wanted bound or budget was not met
    USAGE = 2
    INPUT = 3  # a file that is absent, damaged, or does not fit the model
    OUTPUT = 4  # nothing could be written: full disk, no permission
    ABSENT = 5  # a library or a compiler that is not installed
    BUG = 70
    INTERRUPTED = 130


class StopError(Exception):
    """Ends a command with a code and one line."""

    code = Exit.BUG


class UsageError(StopError):
    """Options that do not go together."""

    code = Exit.USAGE


class InputError(StopError):
    """A file that cannot be used."""

    code = Exit.INPUT


class AbsentError(StopError):
    """Something that has to be installed."""

    code = Exit.ABSENT


def exit_of(error: BaseException) -> tuple[Exit, str]:
    """The code of an error, and its line; the line is empty where there is nobody to read it."""
    line = one_line(error)
    if isinstance(error, StopError):
        return error.code, line
    if isinstance(error, KeyboardInterrupt):
        return Exit.INTERRUPTED, "interrupted; nothing was written"
    if isinstance(error, BrokenPipeError):  # of a reader such as head, which has enough
        return Exit.OUTPUT, ""
    if isinstance(error, ImportError):
        return Exit.ABSENT, line
    if isinstance(error, OSError):
        return Exit.OUTPUT, _of_system(error)
    if isinstance(error, MemoryError):
        return Exit.INPUT, "there is not enough memory for these rows; give fewer, with --rows"
    if isinstance(error, (ValueError, TypeError)):
        return Exit.INPUT, line
    return Exit.BUG, (
        f"internal error, {type(error).__name__}: {line:.200}; run it with --debug, and report it"
    )


def one_line(error: BaseException) -> str:
    """The message of an error without line ends."""
    return " ".join(str(error).split())


def _of_system(error: OSError) -> str:
    """An error of writing, with the name of the file first."""
    name = "" if error.filename is None else f"cannot write {os.fspath(error.filename)!r}: "
    if error.errno == errno.ENOSPC:
        return f"{name}the disk is full; nothing was written"
    return f"{name}{error.strerror or one_line(error)}"
