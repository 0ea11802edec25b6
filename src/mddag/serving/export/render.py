"""Fill templates: the text of a language, of which a model gets the sections that it needs.

The files of ``walks/<language>`` are the code that all models share: how a row is read, the walk,
probabilities, rows by name.

    //: if many            the lines up to `end` are for models of which the fact `many` holds;
    //: if not many        or does not hold;
    //: else               the lines after this one are for all others
    //: end

Sections may stand in sections. The C header has the C preprocessor for the same.

Every file begins with a comment that says what the model is. Labels and names are any text:
``shown`` makes them ASCII, at most 60 characters, without line ends. What a language reads inside
comments besides is up to its renderer. Long lists are cut, since the tables have all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from mddag.serving.export.tables import ModelTables

MARK = "//:"


@dataclass(frozen=True)
class Rendered:
    """The content of a file, and what its tables take up in memory."""

    data: bytes
    table_bytes: int


PARTS = ("rows", "walk", "probabilities", "encode")


def code(path: str) -> str:
    """Read a template, such as "c/walk.h"."""
    return files("mddag.serving.export").joinpath("walks", path).read_text(encoding="ascii")


def walk_of(language: str, end: str, facts: Collection[str]) -> str:
    """Return the code of a language, whose files end so, for a model with these facts."""
    return with_facts("".join(code(f"{language}/{part}.{end}") for part in PARTS), facts)


def with_facts(text: str, facts: Collection[str]) -> str:
    """Return the lines of `text` that are for a model with these facts."""
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
    """Join entries with commas, `per_line` on each line."""
    lines = (",".join(entries[i : i + per_line]) for i in range(0, len(entries), per_line))
    return ",\n".join(lines)


def array_bytes(tables: ModelTables) -> int:
    """Count the bytes of arrays without structs: 4 for an integer, 8 for a double."""
    wide = [*tables.doubles.values(), *tables.longs.values()]
    return sum(4 * len(a) for a in tables.integers.values()) + sum(8 * len(a) for a in wide)


MOST_FEATURES, MOST_VALUES = 200, 10


def about(tables: ModelTables, table_bytes: int) -> list[str]:
    """Describe the model, in lines for a comment."""
    ensemble, worst = tables.ensemble, tables.worst
    classes = [] if ensemble.classes is None else ensemble.classes.tolist()
    return [
        "A sparse decision DAG, written by mddag.",
        f"{ensemble.kind} of {len(ensemble)} base classifiers, {ensemble.n_trees} trees",
        f"worst case of a row: {worst.evaluations} base classifiers, {worst.comparisons} "
        "comparisons",
        f"tables: {table_bytes} bytes",
        *_features(tables),
        *(f"class {k}: {shown(label)}" for k, label in enumerate(classes)),
    ]


def _features(tables: ModelTables) -> list[str]:
    features = tables.ensemble.features
    if tables.patches is not None:
        height, width = tables.patches.window
        return [f"a row: the gray levels of a patch, {height} lines of {width}"]
    lines = []
    for i in range(features.n if features.names is not None or features.categories else 0):
        name = "" if features.names is None else f": {shown(features.names[i])}"
        values = features.categories.get(i, ())
        codes = ", ".join(f"{c} = {shown(v)}" for c, v in enumerate(values[:MOST_VALUES]))
        more = ", ..." if len(values) > MOST_VALUES else ""
        lines.append(f"feature {i}{name}" + (f"; codes {codes}{more}" if values else ""))
    rest = len(lines) - MOST_FEATURES
    return lines if rest <= 0 else [*lines[:MOST_FEATURES], f"and {rest} features more"]


def shown(label: Any) -> str:
    """Return a label as one line of ASCII."""
    text = ascii(label)
    return text if len(text) <= 60 else f"{text[:57]}..."
