"""Print results and errors of commands, and end them.

What the library raises about rows, labels or a model is code 3; an error of the operating system is
code 4, because the readers turn theirs into code 3.
"""

from __future__ import annotations

import errno
import io
import json
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from mddag._utils.output import plain, write_whole


class ExitCode(IntEnum):
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

    code = ExitCode.BUG


class UsageError(StopError):
    """Options that do not go together."""

    code = ExitCode.USAGE


class InputError(StopError):
    """A file that cannot be used."""

    code = ExitCode.INPUT


class AbsentError(StopError):
    """A compiler that has to be installed; for libraries there is ImportError."""

    code = ExitCode.ABSENT


def exit_of(error: BaseException) -> tuple[ExitCode, str]:
    """Return the code of an error, and its line; the line is empty if nobody can read it."""
    line = one_line(error)
    if isinstance(error, StopError):
        return error.code, line
    if isinstance(error, KeyboardInterrupt):
        return ExitCode.INTERRUPTED, "interrupted; nothing was written"
    if isinstance(error, BrokenPipeError):  # of a reader such as head, which has enough
        return ExitCode.OUTPUT, ""
    if isinstance(error, ImportError):
        return ExitCode.ABSENT, line
    if isinstance(error, OSError):
        return ExitCode.OUTPUT, _of_system(error)
    if isinstance(error, MemoryError):
        return ExitCode.INPUT, "there is not enough memory for these rows; give fewer, with --rows"
    if isinstance(error, (ValueError, TypeError)):
        return ExitCode.INPUT, line
    return ExitCode.BUG, (
        f"internal error, {type(error).__name__}: {line:.200}; run it with --debug, and report it"
    )


def one_line(error: BaseException) -> str:
    """Return the message of an error without line ends."""
    return " ".join(str(error).split())


def _of_system(error: OSError) -> str:
    """Describe an error of writing, with the name of the file first."""
    name = "" if error.filename is None else f"cannot write {os.fspath(error.filename)!r}: "
    if error.errno == errno.ENOSPC:
        return f"{name}the disk is full; nothing was written"
    return f"{name}{error.strerror or one_line(error)}"


PLOTS = (".png", ".svg", ".pdf")


@dataclass(frozen=True)
class Output:
    """How a command prints: its result as one JSON object, or with notes and progress."""

    as_json: Annotated[bool, Option("--json", help="Print the result as one JSON object.")] = False
    quiet: Annotated[bool, Option("--quiet", "-q", help="No notes, no progress.")] = False
    debug: Annotated[bool, Option("--debug", help="Show tracebacks of errors.")] = False

    @property
    def shows_progress(self) -> bool:
        """Whether standard error is a terminal that wants progress."""
        return not self.quiet and sys.stderr.isatty()

    def result(self, fields: dict[str, Any], text: str) -> None:
        """Print the result: all fields as JSON, or the text."""
        if self.as_json:
            print(json.dumps(plain(fields), indent=1, allow_nan=False))
        else:
            print(text)
        sys.stdout.flush()  # so that a full disk or a closed pipe shows here

    def note(self, text: str) -> None:
        """Print a note."""
        if not self.quiet:
            print(text, file=sys.stderr, flush=True)

    @contextmanager
    def warning(self) -> Iterator[None]:
        """Print warnings of the library as single lines on standard error."""

        def show(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
            if issubclass(category, UserWarning):
                print(f"warning: {' '.join(str(message).split())}", file=sys.stderr, flush=True)

        with warnings.catch_warnings():
            warnings.simplefilter("default", UserWarning)
            warnings.showwarning = show
            yield


def needed(module: str, what: str) -> Any:
    """Import an optional library, or say what to install."""
    library = module.partition(".")[0]
    try:
        return import_module(module)
    except ImportError:
        raise ImportError(
            f"{what} need {library}, which is not installed: pip install {library}"
        ) from None


def check_plot(path: Path | None) -> None:
    """Reject what cannot be drawn, before any work."""
    if path is None:
        return
    if path.suffix not in PLOTS:
        raise UsageError(f"--plot is {str(path)!r}; wanted a name with {', '.join(PLOTS)}")
    needed("matplotlib", "plots")


def write_plot(figure: Any, path: Path) -> None:
    """Write a figure of matplotlib, whole or not at all."""
    data = io.BytesIO()
    figure.savefig(data, format=path.suffix[1:])
    write_whole(path, data.getvalue())


def aligned(head: list[str], rows: list[list[str]]) -> str:
    """Align columns of text, the first to the left, the others to the right."""
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
