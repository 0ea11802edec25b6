"""What the long figures tell while they run and when they are done: progress, and tables."""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any


def shown(what: str, n: int, begin: float, results: Iterable[str]) -> None:
    """Tell of each result when it is there."""
    for k, done in enumerate(results, 1):
        minutes = (time.perf_counter() - begin) / 60
        print(f"{minutes:5.1f} min  {what} {k}/{n}  {done}", file=sys.stderr, flush=True)


def write(path: Path, lines: Iterable[dict[str, Any]]) -> None:
    """A table whose columns are those of its first line."""
    rows: Sequence[dict[str, Any]] = list(lines)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({k: _rounded(v) for k, v in row.items()} for row in rows)


def _rounded(value: Any) -> Any:
    return f"{value:.6g}" if isinstance(value, float) else value
