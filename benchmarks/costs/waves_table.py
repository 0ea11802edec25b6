"""Table of ``waves``: ours and the best cascade at equal error, ours making no more waves.

Of the two cascades the one that pays less for the error on test rows is the rival; ours is the one
that was held to the waves of that cascade. Where the grid of prices ends above the error, nothing
is read, and the mean is over the other sets.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from benchmarks.costs.price_lists import NAMES
from benchmarks.table import markdown

CASCADES = ("cascade, labels", "cascade, teacher")
HEAD = (
    "set",
    "seeds",
    "points",
    "acquire",
    "cascade",
    "of cascade",
    "waves of acquire",
    "waves of cascade",
)
Read = tuple[float, float]  # share of the full price, and waves


def waves_section(file: Path, points: tuple[float, ...]) -> list[str]:
    """The lines of the table; none where nothing was measured."""
    if not file.exists():
        return []
    with file.open() as lines:
        rows = list(csv.DictReader(lines))
    text = ["## With no more waves than the cascade", ""]
    text += ["Made by `python -m benchmarks.costs.waves`; wave_cost is chosen on policy rows.", ""]
    table, ratios = [], {p: list[float]() for p in points}
    for name in (n for n in NAMES if any(row["set"] == n for row in rows)):
        own = [row for row in rows if row["set"] == name]
        n_seeds = len({row["seed"] for row in own})
        for p in points:
            ours, rival = compared(own, p)
            ratio = ours[0] / rival[0]
            ratios[p] += [] if np.isnan(ratio) else [ratio]
            shown = _shown((ours[0], rival[0], ratio), 3) + _shown((ours[1], rival[1]), 2)
            table.append((name, n_seeds, p, *shown))
    for p in points:
        mean = np.exp(np.mean(np.log(ratios[p])))
        table.append(("geometric mean", "", p, "", "", f"{mean:.3f}", "", ""))
    return [*text, *markdown(HEAD, table), ""]


def compared(rows: list[dict[str, str]], points: float) -> tuple[Read, Read]:
    """Ours and the cheaper cascade at so many points above the full error."""
    both = [
        (_read(rows, f"acquire, waves of {cascade}", points), _read(rows, cascade, points))
        for cascade in CASCADES
    ]
    return min(both, key=lambda pair: np.nan_to_num(pair[1][0], nan=np.inf))


def _read(rows: list[dict[str, str]], method: str, points: float) -> Read:
    """Read off the lower left edge of the curve averaged over seeds; NaN if never reached."""
    full = {r["seed"]: r for r in rows if r["method"] == "full"}
    knobs = sorted({int(r["knob"]) for r in rows if r["method"] == method})
    curve = []
    for knob in knobs:
        at = [r for r in rows if r["method"] == method and int(r["knob"]) == knob]
        numbers = [
            (
                float(r["cost"]) / float(full[r["seed"]]["cost"]),
                float(r["error"]) - float(full[r["seed"]]["error"]),
                float(r["waves"]),
            )
            for r in at
        ]
        curve.append(tuple(np.mean(numbers, axis=0).tolist()))
    edge: list[tuple[float, float, float]] = []
    for point in sorted(curve):
        if not edge or point[1] < edge[-1][1]:
            edge.append(point)
    cost, error, waves = np.array(edge).T
    if error[-1] > points:
        return float("nan"), float("nan")
    return float(np.interp(-points, -error, cost)), float(np.interp(-points, -error, waves))


def _shown(numbers: tuple[float, ...], digits: int) -> list[str]:
    return ["not reached" if np.isnan(v) else f"{v:.{digits}f}" for v in numbers]
