"""Report of the curves: cost at equal error as ratios, a table for ann_thyroid, a picture."""

from __future__ import annotations

from pathlib import Path


def report(place: Path) -> None:
    """Write summary.csv, summary.md and curves.png."""
