"""Instances: single rows, followed through the DAG and explained.

Some rows are chosen: short and long paths, and where targets are given rows that are wrong. The
page shows one at a time and marks its columns in the picture of the DAG.
"""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from mddag.inspection.explanation.explain import explain
from mddag.inspection.explanation.explanation import Explanation
from mddag.inspection.explanation.text import level, reads
from mddag.inspection.report.facts import Facts
from mddag.inspection.report.section import Section, escaped, paragraph
from mddag.inspection.report.svg import Chart, room

SHARES = {"the shortest path": 0.0, "a path in the middle": 0.5, "longer than 90 %": 0.9,
          "longer than 99 %": 0.99, "the longest path": 1.0}  # fmt: skip
MOST_WRONG = 2


def instances(facts: Facts) -> Section | None:
    """None without rows, and where the path of a row depends on other rows."""
    if facts.rows is None or facts.dag.needs_queries or len(facts.graph.nodes) == 0:
        return None
    column = _columns(facts)
    options, panels, paths = [], [], []
    for k, (what, i) in enumerate(chosen(facts).items()):
        one = explain(facts.dag, facts.calibration, facts.columns[[i]])
        options.append(f'<option value="{k}">{escape(what)}: {escaped(_name(facts, i))}</option>')
        panels.append(
            f'<div class="instance" data-instance="{k}" hidden>{_scores(one)}'
            f'<pre tabindex="0">{escape(str(one))}</pre></div>'
        )
        path = {column.get(step.classifier, -1) for step in one.steps}  # -1: on no counted path
        paths.append(sorted(path - {-1}))
    html = paragraph(
        "Choose a row to see which rules it met, why it stopped and what would change it.",
        "Its columns are marked in the picture above.",
    )
    html += (
        '<p><label for="follow">Follow </label><select id="follow">'
        f'<option value="">no row</option>{"".join(options)}</select></p>{"".join(panels)}'
    )
    return Section("instances", "Single rows", html, {"paths": paths})


def chosen(facts: Facts) -> dict[str, int]:
    """Rows with a name for each: by the length of their paths, then wrong ones."""
    order = np.argsort(facts.trace.n_evaluated, kind="stable")
    found = {what: int(order[round(q * (len(order) - 1))]) for what, q in SHARES.items()}
    if facts.codes is not None:
        wrong = np.flatnonzero(facts.predicted != facts.codes)[:MOST_WRONG]
        found |= {f"wrong row {k + 1}": int(i) for k, i in enumerate(wrong)}
    if facts.classes is not None and facts.full_predicted is not None:
        other = np.flatnonzero(facts.predicted != facts.full_predicted)[:MOST_WRONG]
        found |= {f"another label than the full model {k + 1}": int(i) for k, i in enumerate(other)}
    return found


def _name(facts: Facts, i: int) -> str:
    text = f"row {i}, {facts.trace.n_evaluated[i]} evaluations"
    if facts.codes is not None and facts.classes is not None:
        text += f", truly {facts.classes[facts.codes[i]]}"
    return text


def _columns(facts: Facts) -> dict[int, int]:
    """The column of each base classifier in the picture of the DAG."""
    found: dict[int, int] = {}
    for g, (a, b) in enumerate(zip(facts.grouping.first, facts.grouping.last, strict=True)):
        found |= {int(j): g for j in facts.graph.nodes[a : b + 1]}
    return found


def _scores(one: Explanation) -> str:
    """The score behind each step."""
    levels = [level(one, scores) for scores in (one.start, *(s.scores for s in one.steps))]
    at = [0, *(step.step + 1 for step in one.steps)]
    what: Any = reads(one)
    low, high = room([*levels, 0.0] if one.classes is not None else levels)
    chart = Chart(f"{what} by step", (0.0, float(max(at[-1], 1))), (low, high), "step", what)
    if one.classes is not None:
        chart.rule(0.0, "full")
    points = list(zip(map(float, at), levels, strict=True))
    chart.line(points, "c0", steps=True)
    chart.point(*points[-1], "here", f"stopped: {what} {levels[-1]:.4g}", 6)
    return f'<div class="chart">{chart.svg()}</div>'
