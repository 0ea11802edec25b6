"""Base classifiers: which of them rows evaluate, and how often."""

from __future__ import annotations

import numpy as np

from mddag.inspection.report.facts import Facts
from mddag.inspection.report.section import Section, beside, figure, percent, table
from mddag.inspection.report.svg import Chart

MOST_LISTED = 12
FEW = 40  # base classifiers: more stand on a logarithmic scale


def classifiers(facts: Facts) -> Section | None:
    """None without rows, or where nothing is evaluated."""
    if facts.rows is None or len(facts.graph.nodes) == 0:
        return None
    nodes, uses = facts.graph.nodes, facts.graph.uses.sum(axis=1)
    shares = uses / len(facts.paths)
    chart = Chart(
        "share of rows by base classifier", (1.0, len(nodes) + 1.0), (0.0, 1.05),
        "base classifiers in the order of evaluation", "rows that evaluate it",
        x_log=len(nodes) > FEW, y_percent=True,
    )  # fmt: skip
    points = [(float(k), float(s)) for k, s in enumerate([*shares, shares[-1]], 1)]
    chart.line(_thinned(points), "c0", steps=True)
    work = np.cumsum(uses) / uses.sum()
    half = int(np.searchsorted(work, 0.5)) + 1
    caption = (
        f"{len(nodes)} of {facts.n_classifiers} base classifiers are evaluated on some row; "
        f"the first {half} in the order of evaluation make up half of all evaluations."
        + facts.of_paths
    )
    order = np.argsort(-uses, kind="stable")[:MOST_LISTED]
    rows = [
        (f"h_{nodes[k]}", int(k) + 1, int(uses[k]), percent(float(shares[k])), _reads(facts, k))
        for k in order.tolist()
    ]
    head = ("base classifier", "place", "rows", "share", "features read")
    listed = table(head, rows, f"The {len(rows)} that are evaluated most often")
    html = beside(figure(chart.svg(), caption), listed)
    return Section("classifiers", "Use of base classifiers", html)


def _thinned(points: list[tuple[float, float]], most: int = 1000) -> list[tuple[float, float]]:
    """The first of many points, and some of the others, the last one among them."""
    if len(points) <= most:
        return points
    at = np.unique(np.linspace(most / 2, len(points) - 1, most // 2).astype(int))
    return [*points[: most // 2], *(points[k] for k in at)]


def _reads(facts: Facts, k: int) -> int | str:
    read = facts.reads.get(int(facts.graph.nodes[k]))
    return "" if read is None else len(read)
