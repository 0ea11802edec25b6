"""Readings of solved problems: what each method costs at each tolerance, and ratios of them.

Ratios are of methods on the same rows, so errors are paired: the standard error is that of the
logarithm of the ratio over the seeds. `sparsify` has a variant for each unit of cost, which is
read in that unit alone; `train` runs for nodes, and the same points are read by evaluations. Its
points are also compared with the full model that was trained on all rows, as its own models are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.quality.curves import ALL_ROWS, TOLERANCES, UNITS, compared_with, cost, reading
from benchmarks.quality.ours import SPARSIFY, TRAIN
from benchmarks.quality.rows import SEALED

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
