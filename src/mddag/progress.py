"""Progress: a bar while rounds are played: rich's where rich is installed, a plain line elsewhere.

Both write to standard error, so that what a program prints stays clean.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

Report = Callable[[int, float], None]


@contextmanager
def progress(n_rounds: int, shown: bool) -> Iterator[Report]:
    """Gives ``report(n_played, error)``, to be called after each round."""
    if not shown:
        yield lambda n_played, error: None
        return
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        yield from _line(n_rounds)
        return
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("AdaBoost.MH", total=n_rounds)
        yield lambda n_played, error: bar.update(
            task, completed=n_played, description=f"AdaBoost.MH, training error {error:.4f}"
        )


def _line(n_rounds: int) -> Iterator[Report]:
    shown_at = 0.0

    def report(n_played: int, error: float) -> None:
        nonlocal shown_at
        if n_played == n_rounds or perf_counter() - shown_at > 0.2:
            line = f"\rAdaBoost.MH: round {n_played}/{n_rounds}, training error {error:.4f}"
            sys.stderr.write(line)
            sys.stderr.flush()
            shown_at = perf_counter()

    try:
        yield report
    finally:
        sys.stderr.write("\n")
