"""Draw the decision DAG as arcs over a line of base classifiers (Figure 1, lower panel).

Edges of the first group (or without groups) run above the line, of the second below, by majority.
Arcs over hundreds of base classifiers that are evaluated one after the other would show nothing:
then neighbors are grouped, and the plot is a river as high as the rows that are left.
"""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.checks import check_between, check_is, check_one_of, check_whole
from mddag.engine.trace import Trace
from mddag.inspection.plotting._axes import (
    LABEL_SIZE,
    Display,
    blend,
    colors,
    label_columns,
    legend_above,
    numbers,
    width_in_points,
)
from mddag.inspection.plotting.graph import MOST_GROUPS, QUIT, START, Graph, Grouping, jump_share

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path

# In points; axes that the user gives may stretch them.
_HIGHEST = 110.0
_FOOT = 45.0
_GAP = 26.0
_MARGINS = 80.0
_CAPTION_SIZE = 9.0
_MOST_ARCS = 250  # base classifiers; more are always grouped
_FEW_JUMPS = 0.1  # of all steps: so few arcs show nothing of many base classifiers


class DagDisplay(Display):
    """Plot of a decision DAG; ``from_trace`` makes one.

    Parameters
    ----------
    graph : Graph
        The walked DAG, all edges.
    n_classifiers : int, optional
        Base classifiers in the ensemble, to say in the caption how many are used.
    min_share : float, default 0.005
        Nodes and edges with a smaller share of all rows are not drawn.
    grouped : bool, optional
        Whether neighbors are grouped and drawn as a river of rows. None: if there are more than 40
        of which few are skipped, or more than 250.

    Attributes
    ----------
    shown : Graph
        What is drawn, before neighbors are grouped.
    ax_ : matplotlib Axes
        What was drawn into.
    figure_ : matplotlib Figure
        The figure of these axes.

    Examples
    --------
    >>> import mddag
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.ensemble import GradientBoostingClassifier
    >>> X, y = make_moons(2000, noise=0.3, random_state=0)
    >>> full = GradientBoostingClassifier(n_estimators=20).fit(X[:1000], y[:1000])
    >>> fast = mddag.sparsify(full, X[1000:], y[1000:], budget=5)
    >>> display = mddag.DagDisplay.from_trace(fast.trace(X), color=y, n_classifiers=20)
    >>> display.figure_.savefig("dag.png")
    """

    def __init__(
        self,
        graph: Graph,
        *,
        n_classifiers: int | None = None,
        min_share: float = 0.005,
        grouped: bool | None = None,
    ) -> None:
        check_is("graph", graph, Graph, "a Graph: use DagDisplay.from_trace(trace)")
        check_between("min_share", min_share, 0, 1, "a share of rows, 0 to 1")
        if n_classifiers is not None:
            check_whole("n_classifiers", n_classifiers, 0)
        largest = int(graph.nodes.max(initial=-1))
        if n_classifiers is not None and n_classifiers <= largest:
            raise ValueError(
                f"n_classifiers is {n_classifiers}, but the trace evaluates base classifier "
                f"{largest}; wanted the number in the ensemble"
            )
        self.graph = graph
        self.n_classifiers = n_classifiers
        self.min_share = min_share
        self.shown = graph.without_rare(min_share)
        check_one_of("grouped", grouped, (True, False, None))
        self.grouped = _is_chain(graph) if grouped is None else grouped
        self.grouping = Grouping.of(graph) if self.grouped else None
        n_columns = len(self.shown.nodes if self.grouping is None else self.grouping)
        self.size = (float(np.clip(3 + 0.3 * n_columns, 6.5, 13)), 4)

    @classmethod
    def from_trace(
        cls,
        trace: Trace,
        *,
        color: ArrayLike | None = None,
        n_classifiers: int | None = None,
        min_share: float = 0.005,
        grouped: bool | None = None,
        ax: Axes | None = None,
    ) -> DagDisplay:
        """Draw the paths of a trace.

        Parameters
        ----------
        trace : Trace
            Such as ``model.trace(X)`` gives.
        color : array-like of shape (n,), optional
            The group of each row, such as its class.
        n_classifiers : int, optional
            Base classifiers in the ensemble, for the caption.
        min_share : float, default 0.005
            Nodes and edges with a smaller share of all rows are not drawn.
        grouped : bool, optional
            Whether neighbors are grouped; by default if there are too many.
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        DagDisplay
            With ``ax_`` and ``figure_``.
        """
        graph = Graph.of_trace(trace, color, name="color")
        display = cls(graph, n_classifiers=n_classifiers, min_share=min_share, grouped=grouped)
        return display.plot(ax)

    def _draw(self, *axes: Any) -> None:
        (ax,) = axes
        if self.grouping is None:
            names, axis = numbers(self.shown.nodes), "base classifier"
            top, bottom = self._draw_arcs(ax)
        else:
            names, axis = self.grouping.names(), "base classifiers, numbered"
            top, bottom = draw_river(ax, self.grouping)
        ax.set_ylim(bottom - 1, top + _GAP)
        self._height = top - bottom + _GAP + _MARGINS
        label_columns(ax, names)
        n_letters = max(int(width_in_points(ax) / (0.52 * _CAPTION_SIZE)), 30)
        caption = fill(self.caption(), n_letters)
        ax.set_xlabel(f"{axis} in the order of evaluation →\n{caption}", fontsize=_CAPTION_SIZE)
        ax.spines[["left", "right", "top"]].set_visible(False)
        if self.shown.groups:
            legend_above(ax, self.shown.groups, self.shown.size)

    def _finish_figure(self) -> None:
        self.figure_.set_figheight(self._height / 72)

    def _draw_arcs(self, ax: Axes) -> tuple[float, float]:
        """Draw base classifiers one by one; return the highest and the lowest point."""
        shown, n_nodes = self.shown, len(self.shown.nodes)
        ax.set_xlim(-1.6, max(n_nodes, 1) - 0.3)
        spacing = width_in_points(ax) / (n_nodes + 1.3)
        at = {START: -1} | {int(j): x for x, j in enumerate(shown.nodes)}
        top, bottom = self._draw_edges(ax, at, spacing)
        self._draw_nodes(ax, spacing)
        floor = bottom - _GAP
        quits = np.flatnonzero(shown.target == QUIT)
        x = np.array([at[int(j)] for j in shown.source[quits]])
        width = min(0.7, 18 / spacing)
        draw_exits(ax, x, shown.count[quits], width, (floor, floor - _FOOT), shown)
        return top, floor - _FOOT

    def _draw_edges(self, ax: Axes, at: dict[int, int], spacing: float) -> tuple[float, float]:
        """Draw the arcs, the widest at the back; return the highest and the lowest point."""
        from matplotlib.collections import PathCollection

        shown = self.shown
        inner = np.flatnonzero(shown.target != QUIT)
        if len(inner) == 0:
            return 0.0, 0.0
        inner = inner[np.argsort(-shown.count[inner].sum(axis=1), kind="stable")]
        count = shown.count[inner]
        left = np.array([at[int(j)] for j in shown.source[inner]])
        right = np.array([at[int(j)] for j in shown.target[inner]])
        side = np.where(count.argmax(axis=1) % 2 == 0, 1, -1)
        height = side * _arc_heights(right - left, spacing)
        share = count.sum(axis=1) / count.sum(axis=1).max()
        # A cubic reaches three quarters of its control points' height.
        arcs = [_curve(a, b, 0, 0, h * 4 / 3) for a, b, h in zip(left, right, height, strict=True)]
        collection = PathCollection(
            arcs,
            facecolors="none",
            edgecolors=np.column_stack([blend(count, len(shown.groups)), 0.3 + 0.6 * share**0.5]),
            linewidths=np.maximum(np.clip(0.35 * spacing, 2.5, 9.0) * share, 0.5),
            capstyle="butt",
            zorder=1,
        )
        ax.add_collection(collection, autolim=False)
        return float(height.max(initial=0.0)), float(height.min(initial=0.0))

    def _draw_nodes(self, ax: Axes, spacing: float) -> None:
        shown = self.shown
        uses = shown.uses.sum(axis=1)
        largest = float(np.clip(0.85 * spacing, 3.0, 24.0))
        diameter = np.maximum(largest * np.sqrt(uses / max(uses.max(initial=0), 1)), 2.0)
        ax.scatter(
            np.arange(len(uses)),
            np.zeros(len(uses)),
            s=diameter**2,
            c=blend(shown.uses, len(shown.groups)),
            edgecolors="white",
            linewidths=0.4 if spacing < 10 else 1.0,
            zorder=3,
        )
        small: dict[str, Any] = {"fontsize": LABEL_SIZE, "va": "center_baseline"}
        for x, (name, width) in enumerate(zip(numbers(shown.nodes), diameter, strict=True)):
            if width > 0.65 * LABEL_SIZE * len(name) + 4:  # the number fits inside
                ax.text(x, 0, name, color="white", ha="center", zorder=4, **small)
        ax.scatter([-1], [0], s=min(largest, 9.0) ** 2, marker="s", c="black", zorder=3)
        ax.annotate("start", (-1, 0), (-7, 0), textcoords="offset points", ha="right", **small)

    def caption(self) -> str:
        """Say how much is drawn, and how much is too rare to be drawn.

        Returns
        -------
        str
            A line of text.
        """
        of_all = "" if self.n_classifiers is None else f" of {self.n_classifiers}"
        text = f"{len(self.graph.nodes)}{of_all} base classifiers used by {self.graph.n_rows}"
        text += f" rows, {len(self.graph.source)} edges"
        if self.grouped:
            return f"{text}; neighbors grouped so that groups hold about as many evaluations"
        hidden = len(self.graph.source) - len(self.shown.source)
        if hidden:
            edges = "1 edge" if hidden == 1 else f"{hidden} edges"
            text += f"; {edges} taken by fewer than {self.min_share:.1%} of them not drawn"
        return text


def _is_chain(graph: Graph) -> bool:
    """Tell whether there are too many base classifiers for arcs, or many with hardly an arc."""
    n = len(graph.nodes)
    return n > _MOST_ARCS or (n > MOST_GROUPS and jump_share(graph) < _FEW_JUMPS)


def _arc_heights(span: NDArray[Any], spacing: float) -> NDArray[np.float64]:
    """Return heights in points: 0 for neighbors, half a circle for short jumps, less for long.

    Dense nodes get steeper arcs, or nothing would rise above the line.
    """
    steepness = float(np.clip(12 / spacing, 0.5, 1.5))
    heights = _HIGHEST * (1 - np.exp(-steepness * span * spacing / _HIGHEST))
    return np.where(span > 1, heights, 0.0)


def _curve(left: float, right: float, start: float, end: float, control: float) -> Path:
    """Return the cubic from (left, start) to (right, end) whose control points have one height."""
    from matplotlib.path import Path

    codes = [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
    return Path([(left, start), (left, control), (right, control), (right, end)], codes)


def draw_exits(
    ax: Axes,
    x: NDArray[np.intp],
    counts: NDArray[np.intp],
    width: float,
    ends: tuple[float, float],
    graph: Graph,
) -> None:
    """Hang bars between two heights: the share of all rows that quit at each x, by color."""
    floor, lowest = ends
    most = max(int(counts.sum(axis=1).max(initial=1)), 1)
    top = np.full(len(x), floor)
    for count, color in zip(counts.T, colors(len(graph.groups)), strict=True):
        height = count / most * (floor - lowest)
        ax.bar(x, -height, bottom=top, width=width, color=color, zorder=2)
        top = top - height
    ax.axhline(floor, color="0.8", linewidth=0.6, zorder=0)
    share = f"{most / max(graph.n_rows, 1):.0%}"
    ax.set_yticks([floor, lowest], ["quit  0", share], fontsize=LABEL_SIZE)


_RIVER = 90.0  # points, the height of all rows
_RIVER_FOOT, _RIVER_GAP = 60.0, 30.0  # points, the longest bar of exits, and the gap above
_HALF = 0.32  # of a column's width
_CLEAR = 34.0  # points between two percentages
_ARC = 0.5  # as thick as a band, an arc would hide what is below it


def draw_river(ax: Axes, grouping: Grouping) -> tuple[float, float]:
    """Draw columns, bands, arcs and exits; return the highest and the lowest point."""
    from matplotlib.patches import PathPatch

    graph, totals, n_columns = grouping.graph, grouping.rows, len(grouping)
    ax.set_xlim(-1.7, max(n_columns, 1) - 0.3)
    shades = colors(len(graph.groups))
    scale = _RIVER / max(graph.n_rows, 1)
    x = np.arange(-1, n_columns)
    bottom = np.zeros(len(x))
    for count, shade in zip(totals.T, shades, strict=True):
        ax.bar(x, count * scale, bottom=bottom, width=2 * _HALF, color=shade, zorder=3)
        bottom += count * scale
    ax.text(-1, -4, "start", ha="center", va="top", fontsize=LABEL_SIZE)
    for column, k, left, right, n in grouping.bands():
        ends = (column - 1 + _HALF, column - _HALF)
        _draw_band(ax, ends, (left * scale, right * scale), n * scale, shades[k])
    tops = totals.sum(axis=1) * scale
    highest = float(tops.max(initial=0.0))
    for a, b, count in grouping.jumps():
        peak = max(tops[a : b + 1]) + min(6.0 * (b - a), 40.0)
        (shade,) = blend(count[None], len(graph.groups))
        width = max(float(count.sum()) * scale * _ARC, 0.5)
        curve = _curve(a - 1, b - 1, tops[a], tops[b], peak)
        ax.add_patch(PathPatch(curve, fc="none", ec=shade, alpha=0.6, lw=width))
        highest = max(highest, peak)
    every = max(1, int(np.ceil(_CLEAR * (n_columns + 1.3) / width_in_points(ax))))
    for column in range(0, n_columns, every):
        share = tops[column + 1] / _RIVER
        text = f"{share:.0%}" if share >= 0.01 else f"{share:.1%}"
        above = (column, tops[column + 1] + 3)
        ax.text(*above, text, ha="center", va="bottom", fontsize=LABEL_SIZE, zorder=5)
    foot = (-_RIVER_GAP, -_RIVER_GAP - _RIVER_FOOT)
    draw_exits(ax, x, grouping.quits, 2 * _HALF, foot, graph)
    return highest, foot[1]


def _draw_band(
    ax: Axes, x: tuple[float, float], lows: tuple[float, float], height: float, shade: Any
) -> None:
    """Draw from one column to the next, at both ends as thick as the rows that go on."""
    share = np.linspace(0, 1, 12)
    bend = share * share * (3 - 2 * share)
    low = lows[0] + (lows[1] - lows[0]) * bend
    at = x[0] + (x[1] - x[0]) * share
    ax.fill_between(at, low, low + height, color=shade, alpha=0.35, linewidth=0, zorder=2)
