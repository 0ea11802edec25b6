"""A table of results: printed row by row as it is measured, written as CSV once it is complete.

A row is a dict by the fields of its table. Numbers have three digits that count; ratios of repeats
are told as median (lowest-highest).
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np


def kept(
    path: Path, fields: Sequence[str], rows: Iterable[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """The rows, printed as they come and written once all are there."""
    print(*markdown(fields, []), sep="\n", flush=True)
    told = []
    for row in rows:
        print(line(row[field] for field in fields), flush=True)
        told.append(row)
    written(path, fields, told)
    return told


def written(path: Path, fields: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write CSV; its folder is made where absent."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fields, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def markdown(head: Sequence[str], rows: Iterable[Iterable[object]]) -> list[str]:
    """The lines of a Markdown table."""
    return [line(cells) for cells in (head, ["---"] * len(head), *rows)]


def line(cells: Iterable[object]) -> str:
    """One line of a Markdown table."""
    return "| " + " | ".join(map(str, cells)) + " |"


def spread(ratios: Sequence[float] | np.ndarray) -> str:
    """Median (lowest-highest)."""
    return f"{digits(np.median(ratios))} ({digits(np.min(ratios))}-{digits(np.max(ratios))})"


def digits(number: float) -> str:
    """Three digits that count, without an exponent."""
    return np.format_float_positional(float(f"{number:.3g}"), trim="-")
