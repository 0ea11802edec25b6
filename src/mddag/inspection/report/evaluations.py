"""Evaluations: how many base classifiers rows evaluate."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mddag.inspection.report.facts import Facts
from mddag.inspection.report.section import Section, beside, figure, legend, percent, table
from mddag.inspection.report.svg import Chart

MOST_BARS = 40
QUANTILES = (0.25, 0.5, 0.75, 0.9, 0.99, 0.999)


def evaluations(facts: Facts) -> Section | None:
    """None without rows."""
    if facts.rows is None:
        return None
    names, group = facts.coloured
    counts = facts.trace.n_evaluated
    svg = histogram(counts, group, max(len(names), 1))
    caption = "Rows by the number of base classifiers that they evaluate."
    html = beside(legend(names, facts.colours) + figure(svg, caption), _quantiles(facts, counts))
    return Section("evaluations", "Evaluations per row", html)


def histogram(counts: NDArray[np.int64], group: NDArray[np.intp], n_groups: int) -> str:
    """Bars of rows, stacked by group."""
    edges = bins(int(counts.min()), int(counts.max()))
    held = np.stack(
        [np.histogram(counts[group == g], edges)[0] for g in range(n_groups)], axis=1
    ) / len(counts)
    log = is_spread(int(counts.min()), int(counts.max()))
    x = (float(edges[0]), float(edges[-1]))
    top = float(held.sum(axis=1).max()) * 1.08
    chart = Chart(
        "histogram of evaluations", x, (0.0, top), "base classifiers evaluated", "rows",
        x_log=log, y_percent=True,
    )  # fmt: skip
    for k, (left, right) in enumerate(pairwise(edges.tolist())):
        span = f"{left:g}" if right - left == 1 else f"{left:g} to {right - 1:g}"
        title = f"{span} evaluations: {percent(float(held[k].sum()))} of rows"
        bottom = 0.0
        for g in range(n_groups):
            if held[k, g]:
                chart.bar(left, right - left, bottom, bottom + held[k, g], f"c{g}", title)
                bottom += float(held[k, g])
    return chart.svg()


def bins(low: int, high: int) -> NDArray[np.int64]:
    """Whole numbers between which counts are put together: each alone, or wider and wider."""
    if high - low < MOST_BARS:
        return np.arange(low, high + 2)
    spaced = np.geomspace if is_spread(low, high) else np.linspace  # which may begin at 0
    return np.unique(np.rint(spaced(low, high + 1, MOST_BARS + 1)).astype(np.int64))


def is_spread(low: int, high: int) -> bool:
    """Whether counts from low to high are best seen on a logarithmic scale."""
    return low > 0 and high - low >= MOST_BARS


def _quantiles(facts: Facts, counts: NDArray[np.int64]) -> str:
    found = np.quantile(counts, QUANTILES, method="higher")
    rows: list[tuple[str, str, str]] = [
        (f"{100 * q:g} % of rows", f"{n:g}", percent(n / max(facts.n_classifiers, 1)))
        for q, n in zip(QUANTILES, found, strict=True)
    ]
    rows.append(("mean", f"{counts.mean():.2f}", percent(counts.mean() / facts.n_classifiers)))
    rows.append(("longest", f"{counts.max()}", percent(counts.max() / facts.n_classifiers)))
    return table(("", "at most", "of all"), rows, "Evaluations that suffice for a share of rows")
