"""Calibration by exit: is what is predicted true, for rows that leave early and for those that
leave late?

Exits are put together as the model's calibration does it. Of classifiers the probability of the
predicted class stands beside the share of rows where it is right, of regressors the mean prediction
beside the mean target.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.inspection.report.facts import Facts
from mddag.inspection.report.markup import (
    Chart,
    Section,
    beside,
    figure,
    paragraph,
    percent,
    room,
    table,
)
from mddag.inspection.report.summary import r2

TITLE = "Calibration by exit"
MOST_LISTED = 20
FEW = 30  # rows: fewer say little

Rows = list[tuple[str, int, float, float]]


def calibration(facts: Facts) -> Section | None:
    """None without a calibration, rows or targets."""
    if facts.calibration is None or facts.targets is None or facts.ensemble.kind == "ranker":
        return None
    groups = facts.calibration.groups
    group = groups[facts.trace.exit_step]
    sure, right = _compared(facts)
    found: Rows = []
    for g in np.unique(group):
        here = group == g
        means = float(sure[here].mean()), float(right[here].mean())
        found.append((_exits(groups, int(g)), int(here.sum()), *means))
    return _classes(facts, found) if facts.classes is not None else _means(facts, found, group)


def _compared(facts: Facts) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """What is predicted and what is true, row by row."""
    if facts.probabilities is None:
        return np.asarray(facts.predicted, float), np.asarray(facts.targets, float)
    sure = facts.probabilities[np.arange(facts.n_rows), facts.predicted]
    return sure, facts.predicted == facts.codes


def _classes(facts: Facts, found: Rows) -> Section:
    low = min(0.5, *(min(sure, right) for _, _, sure, right in found))
    chart = _chart(found, (low * 0.98, 1.01), "mean probability of the predicted class",
                   "share that is right", share=True)  # fmt: skip
    listed = table(
        ("steps taken", "rows", "mean probability", "right"),
        [(name, n, f"{sure:.3f}", f"{right:.3f}") for name, n, sure, right in found[:MOST_LISTED]],
        "Probability of the predicted class by exit",
    )
    gap = sum(n * abs(sure - right) for _, n, sure, right in found) / facts.n_rows
    said = (
        "One dot per group of exits, the larger the more rows; on the line, probabilities are "
        f"true. The mean distance from it is {percent(float(gap))}, weighted by rows. Groups of "
        f"fewer than {FEW} rows are hollow."
    )
    html = beside(figure(chart.svg(), said), listed + _rest(found))
    return Section("calibration", TITLE, html)


def _means(facts: Facts, found: Rows, group: NDArray[np.intp]) -> Section:
    ends = room([v for _, _, a, b in found for v in (a, b)])
    chart = _chart(found, ends, "mean prediction", "mean target", share=False)
    targets, rows = np.asarray(facts.targets, float), []
    for (name, n, mean, target), g in zip(found, np.unique(group), strict=True):
        here = group == g
        error = np.sqrt(np.square(targets[here] - facts.predicted[here]).mean())
        rows.append((name, n, f"{mean:.4g}", f"{target:.4g}", f"{error:.4g}"))
    listed = table(
        ("steps taken", "rows", "mean prediction", "mean target", "root mean square error"),
        rows[:MOST_LISTED],
        "Predictions by exit",
    )
    said = f"One dot per group of exits. R2 of all rows: {r2(facts.predicted, targets):.4f}."
    html = beside(figure(chart.svg(), said), listed + _rest(found))
    return Section("calibration", TITLE, html)


def _chart(found: Rows, ends: tuple[float, float], x: str, y: str, *, share: bool) -> Chart:
    chart = Chart(f"{y} against {x}", ends, ends, x, y, x_percent=share, y_percent=share)
    chart.line([(ends[0], ends[0]), (ends[1], ends[1])], "full")
    most = max(n for _, n, _, _ in found)
    for name, n, sure, right in found:
        kind = "c0" if n >= FEW else "hollow"
        title = f"{name} steps: {n} rows, predicted {sure:.4g}, true {right:.4g}"
        chart.point(sure, right, kind, title, 3 + 6 * float(np.sqrt(n / most)))
    return chart


def _exits(groups: NDArray[np.intp], g: int) -> str:
    steps = np.flatnonzero(groups == g)
    return f"{steps[0]}" if len(steps) == 1 else f"{steps[0]} to {steps[-1]}"


def _rest(found: Rows) -> str:
    left = len(found) - MOST_LISTED
    return paragraph(f"{left} more groups are in the picture alone.") if left > 0 else ""
