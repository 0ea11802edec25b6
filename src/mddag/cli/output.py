"""Output: what a command prints, and where: results on standard output, all else on the other.

With ``--json`` a result is one JSON object. Notes, warnings and progress go to standard error;
``--quiet`` leaves the first and the last out.
"""

from __future__ import annotations

import io
import json
import math
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mddag._internal.whole_file import write_whole
from mddag.cli.exits import AbsentError, UsageError

PICTURES = (".png", ".svg", ".pdf")


@dataclass(frozen=True)
class Output:
    """How a command talks.

    as_json : the result is one JSON object
    quiet   : no notes, no progress
    """

    as_json: bool = False
    quiet: bool = False

    @property
    def shows_progress(self) -> bool:
        """Whether somebody looks at standard error."""
        return not self.quiet and sys.stderr.isatty()

    def result(self, fields: dict[str, Any], text: str) -> None:
        """Print the result: all fields as JSON, or the text."""
        if self.as_json:
            print(json.dumps(plain(fields), indent=1, allow_nan=False))
        else:
            print(text)
        sys.stdout.flush()  # so that a full disk or a closed pipe shows here

    def note(self, text: str) -> None:
        """Tell what goes on."""
        if not self.quiet:
            print(text, file=sys.stderr, flush=True)

    @contextmanager
    def warning(self) -> Iterator[None]:
        """Warnings of the library are single lines on standard error."""

        def show(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
            if issubclass(category, UserWarning):
                print(f"warning: {' '.join(str(message).split())}", file=sys.stderr, flush=True)

        with warnings.catch_warnings():
            warnings.simplefilter("default", UserWarning)
            warnings.showwarning = show
            yield


def plain(value: Any) -> Any:
    """What JSON can hold: numpy's types as Python's, numbers that are not finite as strings."""
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)


def check_picture(path: Path | None) -> None:
    """Refuse what cannot be drawn, before any work."""
    if path is None:
        return
    if path.suffix not in PICTURES:
        raise UsageError(f"--picture is {str(path)!r}; wanted a name with {', '.join(PICTURES)}")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise AbsentError(
            "plots need matplotlib, which is not installed: pip install matplotlib"
        ) from None


def write_picture(figure: Any, path: Path) -> None:
    """Write a figure of matplotlib, whole or not at all."""
    data = io.BytesIO()
    figure.savefig(data, format=path.suffix[1:])
    write_whole(path, data.getvalue())


def table(head: list[str], rows: list[list[str]]) -> str:
    """Columns of text, the first to the left, the others to the right."""
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
