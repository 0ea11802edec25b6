"""Progress: a bar while work goes on: rich's where rich is installed, a plain line elsewhere.

Both write to standard error, so that what a program prints stays clean. Work inside of other work
has a bar of its own, below it, which goes when it is done.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

Report = Callable[[int, str], None]

ERASE = "\x1b[K"  # to the end of the line, on a terminal
_display: list[Any] = []  # rich's, while there is one: it can hold several bars


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
    if _display:
        yield from _bar(_display[0], title, total, stays=False)
        return
    with Progress(console=Console(stderr=True)) as display:
        _display.append(display)
        try:
            yield from _bar(display, title, total, stays=True)
        finally:
            _display.clear()


def _bar(display: Any, title: str, total: int, *, stays: bool) -> Iterator[Report]:
    task = display.add_task(title, total=total)
    try:
        yield lambda n_done, note: display.update(
            task, completed=n_done, description=f"{title}, {note}"
        )
    finally:
        if not stays:
            display.remove_task(task)


def _line(title: str, total: int) -> Iterator[Report]:
    shown_at = 0.0

    def report(n_done: int, note: str) -> None:
        nonlocal shown_at
        looked_at = sys.stderr.isatty()
        if n_done == total or (looked_at and perf_counter() - shown_at > 0.2):
            text = f"{title}: {n_done}/{total}, {note}"
            sys.stderr.write(f"\r{text}{ERASE if looked_at else ''}")
            sys.stderr.flush()
            shown_at = perf_counter()

    try:
        yield report
    finally:
        sys.stderr.write("\n")
