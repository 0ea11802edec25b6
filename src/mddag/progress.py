"""Progress: a bar while work goes on: rich's where rich is installed, a plain line elsewhere.

Both write to standard error, so that what a program prints stays clean.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

Report = Callable[[int, str], None]


@contextmanager
def progress(title: str, total: int, shown: bool) -> Iterator[Report]:
    """Gives ``report(n_done, note)``, to be called now and then while `total` things are done."""
    if not shown:
        yield lambda n_done, note: None
        return
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        yield from _line(title, total)
        return
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=total)
        yield lambda n_done, note: bar.update(
            task, completed=n_done, description=f"{title}, {note}"
        )


def _line(title: str, total: int) -> Iterator[Report]:
    shown_at, width = 0.0, 0

    def report(n_done: int, note: str) -> None:
        nonlocal shown_at, width
        live = sys.stderr.isatty() and perf_counter() - shown_at > 0.2
        if n_done == total or live:
            text = f"{title}: {n_done}/{total}, {note}"
            sys.stderr.write("\r" + text.ljust(width))
            sys.stderr.flush()
            shown_at, width = perf_counter(), len(text)

    try:
        yield report
    finally:
        sys.stderr.write("\n")
