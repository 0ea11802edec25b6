"""Readings of solved problems: what each method costs at each tolerance, and ratios of them.

Ratios are of methods on the same rows, so errors are paired: the standard error is that of the
logarithm of the ratio over the seeds. `sparsify` has a variant for each unit of cost, which is
read in that unit alone; `train` runs for nodes, and the same points are read by evaluations. Its
points are also compared with the full model that was trained on all rows, as its own models are.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.quality.boosters import LIBRARIES
from benchmarks.quality.curves import ALL_ROWS, TOLERANCES, UNITS, compared_with, cost, reading
from benchmarks.quality.ours import SPARSIFY, TRAIN
from benchmarks.quality.rivals import JOINT
from benchmarks.quality.rows import DATA, SEALED
from benchmarks.table import markdown, written

OURS = ("sparsify", "train")
FULL = "full"


@dataclass(frozen=True)
class Case:
    """A data set, a library, a unit and a tolerance: method -> seed -> cost."""

    data: str
    library: str
    unit: str
    tolerance: float
    costs: dict[str, dict[int, float]]

    @property
    def group(self) -> str:
        return "sealed" if self.data in SEALED else self.library

    def mean(self, method: str) -> float:
        """The geometric mean over the seeds."""
        return float(np.exp(np.mean(np.log(list(self.costs[method].values())))))

    def ratio(self, method: str, other: str) -> Ratio:
        """How many times the other's cost, on the seeds that both have."""
        seeds = [s for s in self.costs.get(method, {}) if s in self.costs.get(other, {})]
        return Ratio([np.log(self.costs[method][s] / self.costs[other][s]) for s in seeds])

    def rivals(self) -> list[str]:
        """Single methods, without those that pool others and without ours."""
        pooled = (*OURS, FULL, "best rival")
        return [m for m in self.costs if m not in pooled and not m.endswith(ALL_ROWS)]


@dataclass(frozen=True)
class Ratio:
    """A ratio by its logarithms, one for each seed."""

    logs: list[float]

    def __bool__(self) -> bool:
        return len(self.logs) > 0

    @property
    def mean(self) -> float:
        return float(np.exp(np.mean(self.logs)))

    @property
    def error(self) -> float:
        """The standard error of the mean logarithm; 0 with one seed, of which nothing is known."""
        n = len(self.logs)
        return float(np.std(self.logs, ddof=1) / np.sqrt(n)) if n > 1 else 0.0

    def __str__(self) -> str:
        if not self:
            return ""
        tie = " =" if len(self.logs) > 1 and abs(np.log(self.mean)) <= 2 * self.error else ""
        spread = f" ± {100 * self.error:.0f} %" if len(self.logs) > 1 else ""
        return f"{self.mean:.2f}{spread}{tie}"


def over(ratios: Iterable[Ratio]) -> tuple[float, float]:
    """The geometric mean over problems and its standard error (of the logarithm)."""
    there = [r for r in ratios if r]
    mean = np.mean([np.log(r.mean) for r in there])
    error = np.sqrt(np.sum([r.error**2 for r in there])) / len(there)
    return float(np.exp(mean)), float(error)


def rows_of(solved: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """The lines of the CSV."""
    full = solved["full"]
    for tolerance in TOLERANCES:
        for unit in UNITS:
            for method, curves in of_methods(solved):
                if named(method, unit) is None:
                    continue
                test = compared_with(full, method)
                whole = cost(test, unit), test[0]
                points = sorted(
                    curves[unit] or curves["nodes"], key=lambda p: cost(p["test"], unit)
                )
                pairs = [(cost(p["test"], unit), p["test"][0]) for p in points]
                read, at = reading(pairs, whole, tolerance)
                point = points[at] if at < len(points) else {}
                yield {
                    "data": solved["data"],
                    "library": solved["library"],
                    "sealed": solved["data"] in SEALED,
                    "seed": solved["seed"],
                    "unit": unit,
                    "tolerance": tolerance,
                    "method": named(method, unit),
                    "cost": round(read, 2),
                    "full_cost": round(whole[0], 2),
                    "full_error": round(whole[1], 5),
                    "full_setting": full["setting"],
                    "setting": setting(point),
                    "at_end_of_grid": "cheapest point" if at == 0 else point.get("ends", ""),
                }


def of_methods(solved: dict[str, Any]) -> Iterable[tuple[str, Any]]:
    """All curves; that of `train`, whose models have all rows, is compared with both full
    models."""
    for method, curves in solved["curves"].items():
        yield method, curves
        if method in TRAIN.values() and "all_rows" in solved["full"]:
            yield method + ALL_ROWS, curves


def setting(point: dict[str, Any]) -> str:
    """The first point within the tolerance, in words."""
    return f"{point['method']}: {point['setting']}" if point else "full model"


def named(method: str, unit: str) -> str | None:
    """Ours without its unit; None where it was made for another one."""
    if method.endswith(ALL_ROWS):
        name = named(method.removesuffix(ALL_ROWS), unit)
        return name and name + ALL_ROWS
    for ours, variants in zip(OURS, (SPARSIFY, TRAIN), strict=True):
        if method in variants.values():
            return ours if variants.get(unit, method) == method else None
    return method


def gathered(rows: Iterable[dict[str, Any]]) -> list[Case]:
    """The lines of the CSV by problem."""
    found: dict[tuple[str, str, str, float], dict[str, dict[int, float]]] = {}
    for row in rows:
        key = row["data"], row["library"], row["unit"], float(row["tolerance"])
        methods = found.setdefault(key, {})
        methods.setdefault(row["method"], {})[int(row["seed"])] = float(row["cost"])
        full = FULL + ALL_ROWS if row["method"].endswith(ALL_ROWS) else FULL
        methods.setdefault(full, {})[int(row["seed"])] = float(row["full_cost"])
    return [Case(*key, methods) for key, methods in found.items()]


LADDER = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 1.4, 2.0]) / 100
UNIT = "nodes"
TICKS = [n * 10**k for k in range(6) for n in (1, 3)]
LINES = {
    "prefix": ("prefix", {"color": "0.75"}),
    "margin": ("margin rule", {"color": "C0", "lw": 1}),
    "smaller model": ("smaller model", {"color": "C2", "lw": 1}),
    JOINT: ("best rival", {"color": "k", "lw": 1.8}),
    SPARSIFY[UNIT]: ("mddag.sparsify", {"color": "C1", "lw": 1.8}),
    TRAIN[UNIT]: ("mddag.train", {"color": "C3", "lw": 2.2}),
}


def plot(solved: list[dict[str, Any]], path: Path) -> None:
    """Draw all problems."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    panels: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for problem in solved:
        panels.setdefault((problem["library"], problem["data"]), []).append(problem)
    columns = min(len(panels), 5)
    rows = -(-len(panels) // columns)
    size = (2.7 * columns, 2.3 * rows + 0.8)
    figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False, sharey=True)
    for axis, (key, seeds) in zip(axes.flat, panels.items(), strict=False):
        panel(axis, key, seeds)
    for axis in axes.flat[len(panels) :]:
        axis.set_axis_off()
    handles = [plt.Line2D([], [], **style) for _, style in LINES.values()]
    names = [name for name, _ in LINES.values()]
    figure.supxlabel("nodes visited per row")
    figure.supylabel("points above the full model's error")
    figure.legend(handles, names, loc="outside upper center", ncols=len(names), fontsize=9)
    figure.set_layout_engine("constrained")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def panel(axis: Any, key: tuple[str, str], seeds: list[dict[str, Any]]) -> None:
    """One data set and library."""
    from matplotlib.ticker import FixedLocator

    for method, (_, style) in LINES.items():
        logs = [read(seed, method) for seed in seeds if method in seed["curves"]]
        if logs:
            axis.semilogx(np.exp(np.mean(logs, axis=0)), 100 * LADDER, **style)
    full = np.exp(np.mean([np.log(cost(seed["full"]["test"], UNIT)) for seed in seeds]))
    axis.plot([full], [0], "x", color="k", ms=5, clip_on=False)
    for tolerance in TOLERANCES:
        axis.axhline(100 * tolerance, color="k", lw=0.5, ls=":")
    axis.set_title(f"{key[1]}, {key[0]}", fontsize=8.5)
    axis.xaxis.set_major_locator(FixedLocator(TICKS))
    axis.xaxis.set_major_formatter("{x:g}")
    axis.xaxis.set_minor_formatter("")
    axis.set_ylim(0, 100 * LADDER[-1])
    axis.tick_params(labelsize=8)


def read(problem: dict[str, Any], method: str) -> list[float]:
    """The logarithm of the cost on each rung of the ladder."""
    full = problem["full"]["test"]
    points = [(cost(p["test"], UNIT), p["test"][0]) for p in problem["curves"][method][UNIT]]
    return [np.log(reading(points, (cost(full, UNIT), full[0]), t)[0]) for t in LADDER]


NOTE = """Cost per row on test rows at a tolerance above the error of the full model, which is tuned
on validation rows, its shape included. Numbers are geometric means over seeds. A ratio is below 1
where mddag needs less; ± is its standard error over the seeds, paired, and = marks a ratio that is
within two of them of 1. "Best rival": all rivals pooled, settings chosen on policy rows. "In
hindsight": compared with the single rival that is cheapest on the test rows. "All rows": full model
and rivals are trained once more with the settings chosen, on training and policy rows, which
`train` has anyway. How it is measured: docs/yardstick.md. An empty cell was not measured."""
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
        plot(solved, results / "curves.png")


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
