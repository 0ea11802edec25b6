"""Templates: the text of a language, of which each model gets the sections that it needs.

The files of ``walks/<language>`` are the code that all models share: how a row is read, the walk,
probabilities, rows by name.

    //: if many            the lines up to `end` are for models of which the fact `many` holds;
    //: if not many        or does not hold;
    //: else               the lines behind this one are for all others
    //: end

Sections may stand in sections. The C header has the C preprocessor for the same.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from importlib.resources import files

from mddag.serving.export.model_tables import ModelTables

MARK = "//:"


@dataclass(frozen=True)
class Rendered:
    """Exported code.

    data        : the content of the file
    table_bytes : what its tables take up in memory
    """

    data: bytes
    table_bytes: int


PARTS = ("rows", "walk", "probabilities", "encode")


def code(path: str) -> str:
    """The text of a file, such as "c/walk.h"."""
    return files("mddag.serving.export").joinpath("walks", path).read_text(encoding="ascii")


def walk_of(language: str, end: str, facts: Collection[str]) -> str:
    """The code of a language, whose files end so, for a model of which these facts hold."""
    return with_facts("".join(code(f"{language}/{part}.{end}") for part in PARTS), facts)


def with_facts(text: str, facts: Collection[str]) -> str:
    """The lines of `text` that are for a model of which these facts hold."""
    kept: list[str] = []
    held: list[bool] = []  # whether the lines of each section that is open are wanted
    for line in text.splitlines():
        words = line.split()
        if not words or words[0] != MARK:
            if all(held):
                kept.append(line)
        elif words[1] == "if":
            held.append((words[-1] in facts) != (words[2] == "not"))
        elif words[1] == "else":
            held[-1] = not held[-1]
        else:
            held.pop()
    return "\n".join(kept) + "\n"


def joined(entries: Sequence[str], per_line: int = 16) -> str:
    """Entries with commas, so many on each line."""
    lines = (",".join(entries[i : i + per_line]) for i in range(0, len(entries), per_line))
    return ",\n".join(lines)


def array_bytes(tables: ModelTables) -> int:
    """What the arrays of a language without structs take up: 4 bytes an integer, 8 a double."""
    wide = [*tables.doubles.values(), *tables.longs.values()]
    return sum(4 * len(a) for a in tables.integers.values()) + sum(8 * len(a) for a in wide)
