"""The DAG of many base classifiers as a river: its height is the instances that are still there.

Columns are groups of base classifiers (``grouping``). Bands between neighbours are as thick as the
instances that go on, arcs over others half as thick. What leaves the river below quits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mddag.inspection.plotting._axes import LABEL_SIZE, width_in_points
from mddag.inspection.plotting._palette import blend, colours
from mddag.inspection.plotting.graph import QUIT, START
from mddag.inspection.plotting.grouping import Grouping

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RIVER, FOOT, GAP = 90.0, 60.0, 30.0  # points: all instances; the longest bar of exits; between
_HALF = 0.32  # of a column's width
_CLEAR = 34.0  # points between two percentages
_ARC = 0.5  # as thick as a band, an arc would hide what is below it
_RARE = 0.002  # an arc of fewer instances is not drawn


def draw_flows(ax: Axes, grouping: Grouping) -> tuple[float, float]:
    """Draw columns, bands, arcs and exits; return the highest and the lowest point."""
    graph = grouping.graph
    shades = colours(len(graph.groups))
    scale = RIVER / max(graph.n_instances, 1)
    _draw_columns(ax, grouping, shades, scale)
    _draw_bands(ax, grouping, shades, scale)
    top = _draw_arcs(ax, grouping, scale)
    _draw_shares(ax, grouping, scale)
    _draw_exits(ax, grouping, shades)
    return top, -GAP - FOOT


def label_groups(ax: Axes, grouping: Grouping) -> None:
    """The places of the groups' base classifiers; leave out what would overlap."""
    names = grouping.names()
    low, high = ax.get_xlim()
    spacing = width_in_points(ax) / (high - low)
    half = [0.3 * LABEL_SIZE * len(name) + 2 for name in names]
    ends = len(names) - 1
    ticks: list[int] = []
    free = -np.inf
    for x in range(len(names)):
        room = x == ends or x * spacing + half[x] < ends * spacing - half[-1]  # the last is written
        if room and x * spacing - half[x] > free:
            ticks.append(x)
            free = x * spacing + half[x]
    ax.set_xticks(ticks, [names[x] for x in ticks], fontsize=LABEL_SIZE)


def _totals(grouping: Grouping) -> NDArray[np.intp]:
    """Instances in each column, by group, the start first, (n_groups + 1, n_columns)."""
    return np.vstack([grouping.graph.size, grouping.graph.uses])


def _draw_columns(ax: Axes, grouping: Grouping, shades: Any, scale: float) -> None:
    totals = _totals(grouping)
    bottom = np.zeros(len(totals))
    for count, shade in zip(totals.T, shades, strict=True):
        x = np.arange(-1, len(totals) - 1)
        ax.bar(x, count * scale, bottom=bottom, width=2 * _HALF, color=shade, zorder=3)
        bottom += count * scale
    ax.text(-1, -4, "start", ha="center", va="top", fontsize=LABEL_SIZE)


def _draw_bands(ax: Axes, grouping: Grouping, shades: Any, scale: float) -> None:
    """From each column to the next: as thick at both ends as the instances that go on."""
    graph, totals = grouping.graph, _totals(grouping)
    under = np.cumsum(totals, axis=1) - totals  # where the colours of a column begin
    for source, target, count in zip(graph.source, graph.target, graph.count, strict=True):
        if target != (0 if source == START else source + 1):
            continue
        a, b = int(source) + 1, int(target) + 1
        for g, shade in enumerate(shades):
            if count[g]:
                low = np.array([under[a, g], under[b, g]]) * scale
                _band(ax, (a - 1 + _HALF, b - 1 - _HALF), low, low + count[g] * scale, shade)


def _band(ax: Axes, x: tuple[float, float], low: Any, high: Any, shade: Any) -> None:
    share = np.linspace(0, 1, 12)
    bend = share * share * (3 - 2 * share)
    at = x[0] + (x[1] - x[0]) * share
    lows, highs = (e[0] + (e[1] - e[0]) * bend for e in (low, high))
    ax.fill_between(at, lows, highs, color=shade, alpha=0.35, linewidth=0, zorder=2)


def _draw_arcs(ax: Axes, grouping: Grouping, scale: float) -> float:
    """Jumps over groups, from the top of one column to that of another; the highest point."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    graph, tops = grouping.graph, _totals(grouping).sum(axis=1) * scale
    highest = float(tops.max(initial=0.0))
    for source, target, count in zip(graph.source, graph.target, graph.count, strict=True):
        a, b = int(source) + 1, int(target) + 1
        if target == QUIT or b <= a + 1 or count.sum() < _RARE * graph.n_instances:
            continue
        peak = max(tops[a : b + 1]) + min(6.0 * (b - a), 40.0)
        curve = [(a - 1, tops[a]), (a - 1, peak), (b - 1, peak), (b - 1, tops[b])]
        codes = [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
        (shade,) = blend(count[None], len(graph.groups))
        width = max(float(count.sum()) * scale * _ARC, 0.5)
        ax.add_patch(PathPatch(Path(curve, codes), fc="none", ec=shade, alpha=0.6, lw=width))
        highest = max(highest, peak)
    return highest


def _draw_shares(ax: Axes, grouping: Grouping, scale: float) -> None:
    """The share of instances above columns, as far as they keep clear."""
    spacing = width_in_points(ax) / (len(grouping) + 1.3)
    free = -np.inf
    for x, n in enumerate(grouping.graph.uses.sum(axis=1)):
        if x * spacing >= free:
            share = n / max(grouping.graph.n_instances, 1)
            text = f"{share:.0%}" if share >= 0.01 else f"{share:.1%}"
            ax.text(x, n * scale + 3, text, ha="center", va="bottom", fontsize=LABEL_SIZE, zorder=5)
            free = x * spacing + _CLEAR


def _draw_exits(ax: Axes, grouping: Grouping, shades: Any) -> None:
    """Bars hanging below: the share of all instances that quit in each group."""
    graph = grouping.graph
    quits = np.flatnonzero(graph.target == QUIT)
    most = max(int(graph.count[quits].sum(axis=1).max(initial=1)), 1)
    x, top = graph.source[quits], np.full(len(quits), -GAP)
    for count, shade in zip(graph.count[quits].T, shades, strict=True):
        height = count / most * FOOT
        ax.bar(x, -height, bottom=top, width=2 * _HALF, color=shade, zorder=2)
        top = top - height
    ax.axhline(-GAP, color="0.8", linewidth=0.6, zorder=0)
    share = f"{most / max(graph.n_instances, 1):.0%}"
    ax.set_yticks([-GAP, -GAP - FOOT], ["quit  0", share], fontsize=LABEL_SIZE)
