"""Show the DAG as a river of rows, single rows in it, and the use of base classifiers.

Columns of the river are groups of neighboring base classifiers (``Grouping``), so hundreds stay
readable. Every column is a button: the script shows its base classifiers with their rules, counts
and votes, and marks the columns on the path of a single row. Of single rows some are chosen:
short and long paths, and where targets are given rows that are wrong.
"""

from __future__ import annotations

from html import escape
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.inspection.explanation.explain import explain
from mddag.inspection.explanation.explanation import Explanation, reads
from mddag.inspection.explanation.rules import leaf_rules, one_line
from mddag.inspection.plotting.graph import Grouping
from mddag.inspection.report.facts import Facts
from mddag.inspection.report.markup import (
    Chart,
    Section,
    escaped,
    figure,
    label,
    legend,
    padded,
    pair,
    paragraph,
    percent,
    rect,
    table,
)

WIDTH, RIVER, FOOT = 1100.0, 200.0, 70.0
TOP, GAP, UNDER = 64.0, 30.0, 46.0  # above the river; between river and exits; for labels
BAR = 0.62  # of a column's width
LETTER = 9.5  # about the width of one, in the names of columns
MOST_LEAVES = 6  # of a tree, those with the largest votes
MOST_TREES = 4  # of a base classifier


def flow(facts: Facts) -> Section | None:
    """Show the DAG; None without rows, or if nothing is evaluated."""
    if facts.rows is None or len(facts.graph.nodes) == 0:
        return None
    names, _ = facts.colored
    caption = (
        f"{len(facts.graph.nodes)} base classifiers in {len(facts.grouping)} columns, in the order "
        "of evaluation; columns hold about as many evaluations each. The height is the share of "
        "rows that come there, an arc is a jump over columns, and bars below are rows that quit."
        + facts.counted_on
    )
    html = paragraph(
        "Hover a column, or reach it by Tab and the arrow keys, for its rules, counts and votes.",
        "Enter keeps it in view.",
    )
    html += legend(names, facts.colors) + figure(_svg(facts), caption, wide=True)
    html += '<div id="node" class="panel" aria-live="polite"><p>No column is chosen.</p></div>'
    return Section("dag", "The decision DAG", html, {"groups": _groups(facts)})


def _svg(facts: Facts) -> str:
    grouping = facts.grouping
    step = WIDTH / (len(grouping) + 1.2)
    scale = RIVER / max(len(facts.paths), 1)
    parts = [*_bands(grouping, step, scale), *_arcs(grouping, step, scale)]
    parts += _columns(grouping, step, scale)
    height = TOP + RIVER + GAP + FOOT + UNDER
    return (
        f'<svg id="river" viewBox="0 0 {WIDTH:g} {height:g}" role="group" '
        f'aria-label="the decision DAG">{"".join(parts)}</svg>'
    )


def _center(column: int, step: float) -> float:
    """Return the middle of a column; -1 is the start."""
    return (column + 1.6) * step


def _columns(grouping: Grouping, step: float, scale: float) -> list[str]:
    names, totals, quits = grouping.names(), grouping.rows, grouping.quits
    most = max(quits.sum(axis=1).max(), 1)
    floor = TOP + RIVER
    crowded = max(map(len, names)) * LETTER > step  # then every second name is lower
    start = "".join(_stack(totals[0], _center(-1, step), step, floor, scale))
    parts = [f"<g>{start}{label(_center(-1, step), floor + 16, 'start', 'middle')}</g>"]
    for g, name in enumerate(names):
        x, n = _center(g, step), int(totals[g + 1].sum())
        share = n / max(int(totals[0].sum()), 1)
        short = f"{100 * share:.0f}%" if share >= 0.01 else "<1%"
        inside = [rect(x - step / 2, TOP - 30, step, RIVER + GAP + FOOT + 72, "hit")]
        inside += _stack(totals[g + 1], x, step, floor, scale)
        inside.append(label(x, floor - n * scale - 5, short, "middle"))
        top = floor + GAP
        for k, count in enumerate(quits[g + 1]):
            high = count / most * FOOT
            inside.append(rect(x - BAR * step / 2, top, BAR * step, high, f"c{k}"))
            top += high
        lower = 16 if crowded and g % 2 else 0
        inside.append(label(x, floor + GAP + FOOT + 18 + lower, name, "middle"))
        title = f"base classifiers {name} in the order of evaluation: {percent(share)} of rows"
        parts.append(
            f'<g class="node" data-group="{g}" tabindex="{0 if g == 0 else -1}" role="button" '
            f'aria-label="{title}">{"".join(inside)}</g>'
        )
    share_quit = percent(most / max(int(totals[0].sum()), 1))
    parts.append(label(2, floor + GAP + 10, "quit"))
    parts.append(label(2, floor + GAP + FOOT, share_quit))
    return parts


def _stack(
    counts: NDArray[np.intp], x: float, step: float, floor: float, scale: float
) -> list[str]:
    """Stack the colors of a column, from below."""
    parts, top = [], floor
    for k, count in enumerate(counts):
        top -= count * scale
        parts.append(rect(x - BAR * step / 2, top, BAR * step, count * scale, f"c{k}"))
    return parts


def _bands(grouping: Grouping, step: float, scale: float) -> list[str]:
    """Draw from each column to the next."""
    parts, floor = [], TOP + RIVER
    for column, k, left, right, n in grouping.bands():
        x1, x2 = _center(column - 1, step) + BAR * step / 2, _center(column, step) - BAR * step / 2
        y1, y2, high = floor - left * scale, floor - right * scale, n * scale
        parts.append(
            f'<path class="band c{k}" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}'
            f'V{y2 - high:.1f}L{x1:.1f} {y1 - high:.1f}Z" />'
        )
    return parts


def _arcs(grouping: Grouping, step: float, scale: float) -> list[str]:
    """Draw jumps over columns."""
    tops = TOP + RIVER - grouping.rows.sum(axis=1) * scale
    parts = []
    for a, b, count in grouping.jumps():
        if a == 0:  # from the start
            continue
        peak = max(min(tops[a : b + 1]) - 12.0 * (b - a), 6.0)
        x1, x2 = _center(a - 1, step), _center(b - 1, step)
        width = max(int(count.sum()) * scale / 2, 1.0)
        parts.append(
            f'<path class="arc c{int(count.argmax())}" stroke-width="{width:.1f}" '
            f'd="M{x1:.1f} {tops[a]:.1f}C{x1:.1f} {peak:.1f} {x2:.1f} {peak:.1f} '
            f'{x2:.1f} {tops[b]:.1f}" />'
        )
    return parts


def _groups(facts: Facts) -> list[dict[str, Any]]:
    """Return what the script shows of each column."""
    grouping, graph = facts.grouping, facts.graph
    quits, uses = grouping.quits.sum(axis=1), graph.uses.sum(axis=1)
    return [
        {
            "name": name,
            "rows": int(grouping.graph.uses[g].sum()),
            "quit": int(quits[g + 1]),
            "all": len(facts.paths),
            "members": [
                {"place": k + 1, "rows": int(uses[k]), **_in_words(facts, int(graph.nodes[k]))}
                for k in range(grouping.first[g], grouping.last[g] + 1)
            ],
        }
        for g, name in enumerate(grouping.names())
    ]


def _in_words(facts: Facts, j: int) -> dict[str, Any]:
    """Name base classifier j, and give the leaves of its trees that have the largest votes."""
    ensemble, tables = facts.ensemble, facts.ensemble.tables
    if ensemble.callables:
        return {"name": f"h_{j}", "trees": []}
    trees = range(int(tables.rounds[j]), int(tables.rounds[j + 1]))
    shown = []
    for t in trees[:MOST_TREES]:
        tree, score = ensemble.tree(t), int(tables.score[t])
        leaves = list(leaf_rules(tree, ensemble.features))
        leaves.sort(key=lambda leaf: -float(np.abs(leaf[1]).max()))
        rules = [
            [text, ", ".join(f"{v:+.3g}" for v in votes)] for text, votes in leaves[:MOST_LEAVES]
        ]
        label = ""
        if facts.classes is not None and ensemble.n_scores > 1 and score >= 0:
            label = one_line(facts.classes.tolist()[score])
        shown.append({"for": label, "rules": rules, "more": tree.n_leaves - len(rules)})
    return {"name": f"h_{j}", "trees": shown, "more": max(len(trees) - MOST_TREES, 0)}


MOST_BARS = 40
QUANTILES = (0.25, 0.5, 0.75, 0.9, 0.99, 0.999)


def evaluations(facts: Facts) -> Section | None:
    """Show how many evaluations rows need; None without rows."""
    if facts.rows is None:
        return None
    names, group = facts.colored
    counts = facts.trace.n_evaluated
    svg = histogram(counts, group, max(len(names), 1))
    caption = "Rows by the number of base classifiers that they evaluate."
    numbers = [
        (f"{100 * q:g} % of rows", f"{n:g}", n)
        for q, n in zip(QUANTILES, np.quantile(counts, QUANTILES, method="higher"), strict=True)
    ]
    numbers.append(("mean", f"{counts.mean():.2f}", counts.mean()))
    numbers.append(("longest", f"{counts.max()}", counts.max()))
    quantiles = table(
        ("", "at most", "of all"),
        [(what, text, percent(n / max(facts.n_classifiers, 1))) for what, text, n in numbers],
        "Evaluations that suffice for a share of rows",
    )
    html = pair(legend(names, facts.colors) + figure(svg, caption), quantiles)
    return Section("evaluations", "Evaluations per row", html)


def histogram(counts: NDArray[np.int64], group: NDArray[np.intp], n_groups: int) -> str:
    """Draw bars of rows, stacked by group."""
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
    """Return the edges of bins of counts: each number alone, or wider and wider."""
    if high - low < MOST_BARS:
        return np.arange(low, high + 2)
    spaced = np.geomspace if is_spread(low, high) else np.linspace  # which may begin at 0
    return np.unique(np.rint(spaced(low, high + 1, MOST_BARS + 1)).astype(np.int64))


def is_spread(low: int, high: int) -> bool:
    """Tell whether counts from low to high are best seen on a logarithmic scale."""
    return low > 0 and high - low >= MOST_BARS


SHARES = {"the shortest path": 0.0, "a path in the middle": 0.5, "longer than 90 %": 0.9,
          "longer than 99 %": 0.99, "the longest path": 1.0}  # fmt: skip
MOST_WRONG = 2


def single_rows(facts: Facts) -> Section | None:
    """Explain some rows; None without rows, or if paths depend on other rows."""
    if facts.rows is None or facts.dag.needs_queries or len(facts.graph.nodes) == 0:
        return None
    column = {
        int(j): g
        for g, (a, b) in enumerate(zip(facts.grouping.first, facts.grouping.last, strict=True))
        for j in facts.graph.nodes[a : b + 1]
    }
    options, panels, paths = [], [], []
    for k, (what, i) in enumerate(chosen(facts).items()):
        one = explain(facts.dag, facts.calibration, facts.columns[[i]])
        name = f"row {i}, {facts.trace.n_evaluated[i]} evaluations"
        if facts.codes is not None and facts.classes is not None:
            name += f", truly {facts.classes[facts.codes[i]]}"
        options.append(f'<option value="{k}">{escape(what)}: {escaped(name)}</option>')
        panels.append(
            f'<div class="instance" data-instance="{k}" hidden>{_scores(one)}'
            f'<pre tabindex="0">{escape(str(one))}</pre></div>'
        )
        path = {column.get(step.classifier, -1) for step in one.steps}  # -1: on no counted path
        paths.append(sorted(path - {-1}))
    html = paragraph(
        "Choose a row to see which rules it met, why it stopped and what would change it.",
        "Its columns are marked in the figure above.",
    )
    html += (
        '<p><label for="follow">Follow </label><select id="follow">'
        f'<option value="">no row</option>{"".join(options)}</select></p>{"".join(panels)}'
    )
    return Section("rows", "Single rows", html, {"paths": paths})


def chosen(facts: Facts) -> dict[str, int]:
    """Choose rows, with a name for each: by the length of their paths, then wrong ones."""
    order = np.argsort(facts.trace.n_evaluated, kind="stable")
    found = {what: int(order[round(q * (len(order) - 1))]) for what, q in SHARES.items()}
    if facts.codes is not None:
        wrong = np.flatnonzero(facts.predicted != facts.codes)[:MOST_WRONG]
        found |= {f"wrong row {k + 1}": int(i) for k, i in enumerate(wrong)}
    if facts.classes is not None and facts.full_predicted is not None:
        other = np.flatnonzero(facts.predicted != facts.full_predicted)[:MOST_WRONG]
        found |= {f"another label than the full model {k + 1}": int(i) for k, i in enumerate(other)}
    return found


def _scores(one: Explanation) -> str:
    """Draw the score after each step."""
    levels = [one.effect(scores) for scores in (one.start, *(s.scores for s in one.steps))]
    at = [0, *(step.step + 1 for step in one.steps)]
    what: Any = reads(one)
    low, high = padded([*levels, 0.0] if one.classes is not None else levels)
    chart = Chart(f"{what} by step", (0.0, float(max(at[-1], 1))), (low, high), "step", what)
    if one.classes is not None:
        chart.rule(0.0, "full")
    points = list(zip(map(float, at), levels, strict=True))
    chart.line(points, "c0", steps=True)
    chart.point(*points[-1], "here", f"stopped: {what} {levels[-1]:.4g}", 6)
    return f'<div class="chart">{chart.svg()}</div>'
