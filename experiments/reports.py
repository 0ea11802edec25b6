"""Progress and tables of the long experiments."""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any


def shown(what: str, n: int, begin: float, results: Iterable[str]) -> None:
    """Print a line for each result when it is there."""
    for k, done in enumerate(results, 1):
        minutes = (time.perf_counter() - begin) / 60
        print(f"{minutes:5.1f} min  {what} {k}/{n}  {done}", file=sys.stderr, flush=True)


def write(path: Path, lines: Iterable[dict[str, Any]]) -> None:
    """Write a table whose columns are those of its first line."""
    rows: Sequence[dict[str, Any]] = list(lines)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({k: _rounded(v) for k, v in row.items()} for row in rows)


def read(path: Path) -> list[dict[str, Any]]:
    """Read a table that `write` wrote; there is none before the first run."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [{k: _number(v) for k, v in row.items()} for row in csv.DictReader(file)]


def merged(path: Path, lines: list[dict[str, Any]], run: Sequence[str]) -> list[dict[str, Any]]:
    """Return the lines of a table that was written before, those of the same runs replaced.

    `run` names the columns that say which run a line is of.
    """
    again = {tuple(line[k] for k in run) for line in lines}
    return [line for line in read(path) if tuple(line[k] for k in run) not in again] + lines


def _number(cell: str) -> Any:
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            pass
    return cell


def _rounded(value: Any) -> Any:
    return f"{value:.6g}" if isinstance(value, float) else value
