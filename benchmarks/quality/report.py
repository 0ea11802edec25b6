"""Tables from the solved problems: every reading (readings.csv), and what they come to (tables.md).

The yardstick is "best rival": all rivals pooled, settings chosen on policy rows. "Best in
hindsight" is harder than what a user has: the single rival that has the least cost on the test rows
of all seeds.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.quality.boosters import LIBRARIES
from benchmarks.quality.curves import ALL_ROWS, TOLERANCES, UNITS
from benchmarks.quality.picture import picture
from benchmarks.quality.readings import OURS, Case, Ratio, gathered, over, rows_of
from benchmarks.quality.rivals import JOINT
from benchmarks.quality.rows import DATA, SEALED
from benchmarks.table import markdown, written

NOTE = """Cost per row on test rows at a tolerance above the error of the full model, which is tuned
on validation rows, its shape included. Numbers are geometric means over seeds. A ratio is below 1
where mddag needs less; ± is its standard error over the seeds, paired, and = marks a ratio that is
within two of them of 1. "Best rival": all rivals pooled, settings chosen on policy rows. "In
hindsight": beside the single rival that is cheapest on the test rows. "All rows": full model and
rivals are trained once more with the settings chosen, on training and policy rows, which `train`
has anyway. How it is measured: docs/yardstick.md. An empty cell was not measured."""
AGAIN = f"{OURS[1]} / {JOINT}{ALL_ROWS}"
FIELDS = ("data", "library", "sealed", "seed", "unit", "tolerance", "method", "cost", "full_cost",
          "full_error", "full_setting", "setting", "at_end_of_grid")  # fmt: skip
GROUPS: dict[str, Callable[[Case], bool]] = {
    "LightGBM, eight sets": lambda c: c.library == "LightGBM" and c.data in DATA,
    "AdaBoost.MH, eight sets": lambda c: c.library == "AdaBoost.MH",
    "all sixteen": lambda c: c.library in LIBRARIES[:2] and c.data in DATA,
    "LightGBM, sealed sets": lambda c: c.data in SEALED,
    "XGBoost, CatBoost": lambda c: c.library in LIBRARIES[2:],
}


KEY = ("data", "library", "seed", "unit", "tolerance", "method")


def joined(made: list[dict[str, Any]], path: Path) -> list[dict[str, Any]]:
    """Lines made now, and those of the file that are of other problems or methods: what one machine
    has measured, another need not measure again."""
    lines = [{name: str(row[name]) for name in FIELDS} for row in made]
    known = {tuple(line[name] for name in KEY) for line in lines}
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            kept = list(csv.DictReader(file))
        lines += [line for line in kept if tuple(line[name] for name in KEY) not in known]
    names = [*DATA, *SEALED]

    def place(line: dict[str, str]) -> tuple[int, int, int]:
        problem = LIBRARIES.index(line["library"]), names.index(line["data"])
        return *problem, int(line["seed"])

    return sorted(lines, key=place)


def write(folder: Path, results: Path, *, with_picture: bool) -> None:
    """Make tables and picture of the problems solved so far."""
    solved = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")]
    names = [*DATA, *SEALED]
    solved.sort(key=lambda p: (LIBRARIES.index(p["library"]), names.index(p["data"]), p["seed"]))
    rows = joined([row for problem in solved for row in rows_of(problem)], results / "readings.csv")
    written(results / "readings.csv", FIELDS, rows)
    cases = gathered(rows)
    text = [NOTE, "## Summary: ours in units of the best rival\n", *summary(cases)]
    each = list(product(UNITS, TOLERANCES))
    for unit, tolerance in each:
        lines = table(of_case(cases, unit, tolerance))
        text += [f"\n## {unit.capitalize()} at {100 * tolerance:.1f} points\n", *lines]
    for unit, tolerance in each:
        lines = methods(of_case(cases, unit, tolerance))
        text += [f"\n## All rivals: {unit} at {100 * tolerance:.1f} points\n", *lines]
    (results / "tables.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    if with_picture:
        picture(solved, results / "curves.png")


def of_case(cases: list[Case], unit: str, tolerance: float) -> list[Case]:
    return [c for c in cases if (c.unit, c.tolerance) == (unit, tolerance)]


def summary(cases: list[Case]) -> list[str]:
    """Geometric means over groups of problems."""
    lines = []
    for (group, belongs), unit, tolerance in product(GROUPS.items(), UNITS, TOLERANCES):
        here = [c for c in of_case(cases, unit, tolerance) if belongs(c)]
        cells = [total([c.ratio(ours, JOINT) for c in here]) for ours in OURS]
        cells += [total([c.ratio(OURS[1] + ALL_ROWS, JOINT + ALL_ROWS) for c in here])]
        cells += [total([c.ratio(ours, in_hindsight(c)) for c in here]) for ours in OURS]
        if here:
            lines.append([group, unit, f"{100 * tolerance:.1f}", *cells])
    heads = [f"{ours} / {JOINT}" for ours in OURS]
    heads += [AGAIN, *(f"{ours} / in hindsight" for ours in OURS)]
    return markdown(["problems", "unit", "points", *heads], lines)


def total(ratios: list[Ratio]) -> str:
    """Geometric mean, standard error, worst, and how many problems are above 1 beyond noise."""
    there = [r for r in ratios if r]
    if not there:
        return ""
    mean, error = over(there)
    worst = max(r.mean for r in there)
    worse = sum(np.log(r.mean) > 2 * r.error and len(r.logs) > 1 for r in there)
    spread = f" ± {100 * error:.0f} %" if error else ""
    beyond = f", {worse} above 1" if worse else ""
    return f"**{mean:.2f}**{spread} ({len(there)} problems, worst {worst:.2f}{beyond})"


def in_hindsight(case: Case) -> str:
    """The single rival that is cheapest on the test rows."""
    return min(case.rivals(), key=case.mean, default="full")


def table(cases: list[Case]) -> list[str]:
    """A line for each problem."""
    lines = []
    for case in cases:
        best = in_hindsight(case)
        costs = [f"{case.mean(m):.1f}" if m in case.costs else "" for m in ("full", JOINT, *OURS)]
        seeds = len(case.costs.get(JOINT, {}))
        ratios = [str(case.ratio(ours, JOINT)) for ours in OURS]
        ratios += [str(case.ratio(OURS[1] + ALL_ROWS, JOINT + ALL_ROWS))]
        ratios += [str(case.ratio(ours, best)) for ours in OURS]
        sealed = " (sealed)" if case.data in SEALED else ""
        lines.append([f"{case.data}{sealed}, {case.library}", seeds, *costs, *ratios, best])
    heads = ["problem", "seeds", "full", JOINT, *OURS,
             *(f"{ours} / {JOINT}" for ours in OURS), AGAIN,
             *(f"{ours} / in hindsight" for ours in OURS), "in hindsight"]  # fmt: skip
    return markdown(heads, lines)


def methods(cases: list[Case]) -> list[str]:
    """A column for each rival."""
    names = list(dict.fromkeys(m for case in cases for m in case.rivals()))
    lines = [
        [f"{c.data}, {c.library}", *(f"{c.mean(m):.1f}" if m in c.costs else "" for m in names)]
        for c in cases
    ]
    return markdown(["problem", *names], lines)
