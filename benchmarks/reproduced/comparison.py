"""Rows made again and the committed ones, cell by cell, as text: equal to the last digit."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

Row = Mapping[str, str]


def compared(fresh: Sequence[Row], committed: Sequence[Row]) -> tuple[int, list[str]]:
    """How many cells were compared, and a line for each that differs; times are left out.

    A row is compared with the committed one that it shares most cells with, the first of equals.
    """
    n_cells, differences = 0, []
    for row in fresh:
        columns = [column for column in row if not is_time(column)]
        nearest = max(committed, key=lambda other: n_equal(columns, row, other))
        n_cells += len(columns)
        differences += [
            f"{column}: {row[column]} for {nearest.get(column)} in {', '.join(nearest.values())}"
            for column in columns
            if row[column] != nearest.get(column)
        ]
    return n_cells, differences


def is_time(column: str) -> bool:
    return "seconds" in column


def n_equal(columns: Iterable[str], row: Row, other: Row) -> int:
    return sum(row[column] == other.get(column) for column in columns)


def in_text(row: Mapping[str, object]) -> dict[str, str]:
    """As the csv module writes it."""
    return {column: str(cell) for column, cell in row.items()}


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
