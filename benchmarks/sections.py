"""A subject of several tables: one section each, measured one after the other.

A section is a module with FIELDS, `measure(*options)`, which yields rows, and, if it draws,
`plot(rows, path)`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType

from benchmarks.table import kept


def measured(
    sections: Mapping[str, ModuleType], names: Iterable[str], results: Path, *options: object
) -> None:
    """Write <name>.csv, and <name>.png of those that draw, to the folder `results`."""
    for name in names:
        began, section = time.monotonic(), sections[name]
        rows = kept(results / f"{name}.csv", section.FIELDS, section.measure(*options))
        if hasattr(section, "plot"):
            section.plot(rows, results / f"{name}.png")
        print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)
