"""Docstrings of this project as reStructuredText.

Docstrings of estimators are those of numpydoc. All others are written for a terminal: tables of
`name : meaning`, with names aligned, and indented blocks of code or formulas. Here the tables
become definition lists, and the blocks literal ones.
"""

from __future__ import annotations

import re
from typing import Any

FIRST = re.compile(r"^(?P<names>\*{0,2}\w[\w, .*]*?) +: (?P<text>.*)$")
ENTRY = re.compile(r"^(?P<names>\*{0,2}\w[\w, .*]*?) *: (?P<text>.*)$")
NUMPYDOC = re.compile(r"^-{4,}$")


def as_restructured(lines: list[str]) -> list[str]:
    """The lines of a docstring, tables and blocks marked."""
    out: list[str] = []
    position = 0
    while position < len(lines):
        table = _length_of_table(lines, position)
        if table:
            out += [*_definitions(lines[position : position + table]), ""]
            position += table
        elif lines[position].startswith("    ") and (not out or not out[-1].strip()):
            block = _length_of_block(lines, position)
            out += [".. code-block:: text", ""]
            out += [f"    {line}" for line in lines[position : position + block]] + [""]
            position += block
        else:
            out.append(_escaped(lines[position]))
            position += 1
    return out


def _length_of_table(lines: list[str], start: int) -> int:
    """How many lines from `start` on are entries and their continuations."""
    if not FIRST.match(lines[start]):
        return 0
    end = start + 1
    while end < len(lines) and (ENTRY.match(lines[end]) or lines[end].startswith("  ")):
        end += 1
    return end - start


def _definitions(lines: list[str]) -> list[str]:
    definitions: list[str] = []
    for line in lines:
        entry = ENTRY.match(line)
        if entry:
            names = ", ".join(f"``{name.strip()}``" for name in entry["names"].split(","))
            definitions += ["", names, f"    {_escaped(entry['text'])}"]
        else:
            definitions.append(f"    {_escaped(line.strip())}")
    return definitions


def _length_of_block(lines: list[str], start: int) -> int:
    end = start
    while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
        end += 1
    return end - start


def _escaped(text: str) -> str:
    """Outside of backticks stars and bars of formulas, and names like ``dag_``, are not markup."""
    parts = re.split(r"(`+[^`]*`+)", text)
    parts[::2] = [re.sub(r"([*|]|_(?!\w))", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def _process(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    if not any(NUMPYDOC.match(line) for line in lines):
        lines[:] = as_restructured(lines)


def setup(app: Any) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _process, priority=100)  # before numpydoc
    return {"parallel_read_safe": True}
