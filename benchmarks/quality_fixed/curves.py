"""Curves of error against evaluations, and how they are read.

A curve has one point per value of a method's knob, `N_POINTS` for every method, so that no method
gains by trying more often. It is read on the test rows at a tolerance: the fewest mean evaluations
among its points whose error is at most the full ensemble's plus the tolerance, one at least, since
readings are compared by their ratios. The full ensemble itself always meets it, so a curve that
never does reads N.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

N_POINTS = 14
TOLERANCES = (0.002, 0.005)


@dataclass(frozen=True)
class Point:
    """A method at one value of its knob: what it costs and how it decides, on the test rows."""

    method: str
    knob: float
    evaluations: float
    error: float


def reading(curve: Sequence[Point], full: Point, tolerance: float) -> float:
    """The fewest evaluations within the tolerance; the full ensemble's if no point is."""
    # Errors are counts over rows: the sum of two of them is not exact.
    within = [p.evaluations for p in curve if p.error <= full.error + tolerance + 1e-9]
    return max(min([*within, full.evaluations]), 1.0)


def by_method(problem: dict[str, Any]) -> dict[str, list[Point]]:
    """The curves of a solved problem."""
    curves: dict[str, list[Point]] = {}
    for row in problem["points"]:
        curves.setdefault(row["method"], []).append(Point(**row))
    return curves


def spread(evaluations: np.ndarray, errors: np.ndarray, full_error: float) -> np.ndarray:
    """Which N_POINTS of many candidates make the curve, by what they do on the policy rows.

    From the cheapest candidate that loses less than two points to twice the evaluations of the
    cheapest that loses nothing, in equal ratios of evaluations.
    """
    order = np.argsort(evaluations, kind="stable")
    cheap = _first(errors[order] < full_error + 0.02)
    sure = max(_first(errors[order] <= full_error), cheap)
    low, high = np.maximum(evaluations[order[[cheap, sure]]], 1.0)
    wanted = np.geomspace(low, min(2 * high, evaluations.max()), N_POINTS)
    return np.unique([np.abs(evaluations - e).argmin() for e in wanted])


def _first(meets: np.ndarray) -> int:
    """The first that meets it, the last if none does."""
    return int(meets.argmax()) if meets.any() else len(meets) - 1
