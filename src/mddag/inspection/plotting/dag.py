"""Draw the decision DAG as arcs over a line of base classifiers (Figure 1, lower panel).

Base classifiers stand in the order of evaluation, so every edge leads to the right. The area of a
node and the width of an edge are proportional to the number of rows; the color blends the groups
that pass. Edges of the first group (or without groups) run above the line, of the second below,
by majority. Bars at the foot show where rows quit. Rare edges are hidden, and counted in the
caption. Layout is one-dimensional: for a free one, take ``to_dot`` to Graphviz.

Arcs over hundreds of base classifiers that are evaluated one after the other would show nothing:
neighbors are grouped, and the plot is a river as high as the rows that are left (``draw_flows``).
Bands between neighboring columns are as thick as the rows that go on, arcs over others half as
thick. What leaves the river below quits.
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
    blend,
    colors,
    label_classifiers,
    label_width,
    legend_above,
    new_or_given,
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


class DagDisplay:
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
        given: dict[str, Any] = {"n_classifiers": n_classifiers, "min_share": min_share}
        return cls(graph, **given, grouped=grouped).plot(ax)

    def to_dot(self) -> str:
        """Write what is drawn in the DOT language of Graphviz.

        Returns
        -------
        str
            A digraph, from left to right.
        """
        return self.shown.to_dot()

    def plot(self, ax: Axes | None = None) -> DagDisplay:
        """Draw again.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        DagDisplay
            This one.
        """
        grouping = Grouping.of(self.graph) if self.grouped else None
        n_columns = len(self.shown.nodes) if grouping is None else len(grouping)
        drawn = new_or_given(ax, (float(np.clip(3 + 0.3 * n_columns, 6.5, 13)), 4))
        self.ax_: Any = drawn
        self.figure_: Any = drawn.figure
        if grouping is None:
            top, bottom = self._plot_arcs(drawn)
        else:
            top, bottom = self._plot_flows(drawn, grouping)
        if ax is None:
            self.figure_.set_figheight((top - bottom + _GAP + _MARGINS) / 72)
        return self

    def _plot_arcs(self, ax: Any) -> tuple[float, float]:
        """Draw base classifiers one by one; return the highest and the lowest point."""
        n_nodes = len(self.shown.nodes)
        ax.set_xlim(-1.6, max(n_nodes, 1) - 0.3)
        self._spacing = width_in_points(ax) / (n_nodes + 1.3)
        top, bottom = self._draw_edges(ax)
        self._draw_nodes(ax)
        floor = bottom - _GAP
        self._draw_exits(ax, floor)
        ax.set_ylim(floor - _FOOT - 1, top + _GAP)
        label_classifiers(ax, self.shown.nodes)
        self._dress(ax, "base classifier, in order of evaluation →")
        return top, floor - _FOOT

    def _plot_flows(self, ax: Any, grouping: Grouping) -> tuple[float, float]:
        """Draw all base classifiers in groups; none is too rare."""
        ax.set_xlim(-1.7, max(len(grouping), 1) - 0.3)
        top, bottom = draw_flows(ax, grouping)
        ax.set_ylim(bottom - 1, top + _GAP)
        label_groups(ax, grouping)
        self._dress(ax, "base classifiers, numbered in the order of evaluation →")
        return top, bottom

    def _positions(self) -> dict[int, int]:
        at = {int(j): x for x, j in enumerate(self.shown.nodes)}
        return {**at, START: -1}

    def _draw_edges(self, ax: Axes) -> tuple[float, float]:
        """Draw the arcs, the widest at the back; return the highest and the lowest point."""
        from matplotlib.collections import PathCollection

        shown, at = self.shown, self._positions()
        inner = np.flatnonzero(shown.target != QUIT)
        if len(inner) == 0:
            return 0.0, 0.0
        inner = inner[np.argsort(-shown.count[inner].sum(axis=1), kind="stable")]
        count = shown.count[inner]
        left = np.array([at[int(j)] for j in shown.source[inner]])
        right = np.array([at[int(j)] for j in shown.target[inner]])
        side = np.where(count.argmax(axis=1) % 2 == 0, 1, -1)
        height = side * _arc_heights(right - left, self._spacing)
        share = count.sum(axis=1) / count.sum(axis=1).max()
        arcs = PathCollection(
            [_arc(a, b, h) for a, b, h in zip(left, right, height, strict=True)],
            facecolors="none",
            edgecolors=np.column_stack([blend(count, len(shown.groups)), 0.3 + 0.6 * share**0.5]),
            linewidths=np.maximum(np.clip(0.35 * self._spacing, 2.5, 9.0) * share, 0.5),
            capstyle="butt",
            zorder=1,
        )
        ax.add_collection(arcs, autolim=False)
        return float(height.max(initial=0.0)), float(height.min(initial=0.0))

    def _draw_nodes(self, ax: Axes) -> None:
        shown = self.shown
        uses = shown.uses.sum(axis=1)
        largest = float(np.clip(0.85 * self._spacing, 3.0, 24.0))
        diameter = np.maximum(largest * np.sqrt(uses / max(uses.max(initial=0), 1)), 2.0)
        ax.scatter(
            np.arange(len(uses)),
            np.zeros(len(uses)),
            s=diameter**2,
            c=blend(shown.uses, len(shown.groups)),
            edgecolors="white",
            linewidths=0.4 if self._spacing < 10 else 1.0,
            zorder=3,
        )
        small: dict[str, Any] = {"fontsize": LABEL_SIZE, "va": "center_baseline"}
        for x, (j, width) in enumerate(zip(shown.nodes, diameter, strict=True)):
            if width > label_width(int(j)) + 4:  # the number fits inside
                ax.text(x, 0, str(j), color="white", ha="center", zorder=4, **small)
        ax.scatter([-1], [0], s=min(largest, 9.0) ** 2, marker="s", c="black", zorder=3)
        ax.annotate("start", (-1, 0), (-7, 0), textcoords="offset points", ha="right", **small)

    def _draw_exits(self, ax: Axes, floor: float) -> None:
        """Hang bars from `floor`: the share of all rows that quit after each node."""
        shown, at = self.shown, self._positions()
        quits = np.flatnonzero(shown.target == QUIT)
        most = shown.count[quits].sum(axis=1).max(initial=1)
        x = np.array([at[int(j)] for j in shown.source[quits]])
        top = np.full(len(quits), floor)
        for count, color in zip(shown.count[quits].T, colors(len(shown.groups)), strict=True):
            height = count / most * _FOOT
            width = min(0.7, 18 / self._spacing)
            ax.bar(x, -height, bottom=top, width=width, color=color, zorder=2)
            top = top - height
        ax.axhline(floor, color="0.8", linewidth=0.6, zorder=0)
        share = f"{most / max(shown.n_rows, 1):.0%}"
        ax.set_yticks([floor, floor - _FOOT], ["quit  0", share], fontsize=LABEL_SIZE)

    def _dress(self, ax: Axes, axis: str) -> None:
        """Add the axis of base classifiers with the caption, and the legend."""
        n_letters = max(int(width_in_points(ax) / (0.52 * _CAPTION_SIZE)), 30)
        caption = fill(self.caption(), n_letters)
        ax.set_xlabel(f"{axis}\n{caption}", fontsize=_CAPTION_SIZE)
        ax.spines[["left", "right", "top"]].set_visible(False)
        if self.shown.groups:
            legend_above(ax, self.shown.groups, self.shown.size)

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


def _arc(left: float, right: float, height: float) -> Path:
    """Return half an oval over [left, right] with its top at `height`; a line if that is 0."""
    from matplotlib.path import Path

    control = height * 4 / 3  # a cubic reaches three quarters of its control points' height
    codes = [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
    return Path([(left, 0), (left, control), (right, control), (right, 0)], codes)


_RIVER = 90.0  # points, the height of all rows
_RIVER_FOOT, _RIVER_GAP = 60.0, 30.0  # points, the longest bar of exits, and the gap above
_HALF = 0.32  # of a column's width
_CLEAR = 34.0  # points between two percentages
_ARC = 0.5  # as thick as a band, an arc would hide what is below it


def draw_flows(ax: Axes, grouping: Grouping) -> tuple[float, float]:
    """Draw columns, bands, arcs and exits; return the highest and the lowest point."""
    graph = grouping.graph
    shades = colors(len(graph.groups))
    scale = _RIVER / max(graph.n_rows, 1)
    _draw_columns(ax, grouping, shades, scale)
    _draw_bands(ax, grouping, shades, scale)
    top = _draw_arcs(ax, grouping, scale)
    _draw_shares(ax, grouping, scale)
    _draw_exits(ax, grouping, shades)
    return top, -_RIVER_GAP - _RIVER_FOOT


def label_groups(ax: Axes, grouping: Grouping) -> None:
    """Write the positions of the groups' base classifiers; leave out what would overlap."""
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


def _draw_columns(ax: Axes, grouping: Grouping, shades: Any, scale: float) -> None:
    totals = grouping.rows
    bottom = np.zeros(len(totals))
    for count, shade in zip(totals.T, shades, strict=True):
        x = np.arange(-1, len(totals) - 1)
        ax.bar(x, count * scale, bottom=bottom, width=2 * _HALF, color=shade, zorder=3)
        bottom += count * scale
    ax.text(-1, -4, "start", ha="center", va="top", fontsize=LABEL_SIZE)


def _draw_bands(ax: Axes, grouping: Grouping, shades: Any, scale: float) -> None:
    """Draw from each column to the next, at both ends as thick as the rows that go on."""
    for column, k, left, right, n in grouping.bands():
        low = np.array([left, right]) * scale
        _band(ax, (column - 1 + _HALF, column - _HALF), low, low + n * scale, shades[k])


def _band(ax: Axes, x: tuple[float, float], low: Any, high: Any, shade: Any) -> None:
    share = np.linspace(0, 1, 12)
    bend = share * share * (3 - 2 * share)
    at = x[0] + (x[1] - x[0]) * share
    lows, highs = (e[0] + (e[1] - e[0]) * bend for e in (low, high))
    ax.fill_between(at, lows, highs, color=shade, alpha=0.35, linewidth=0, zorder=2)


def _draw_arcs(ax: Axes, grouping: Grouping, scale: float) -> float:
    """Draw jumps from the top of one column to that of another; return the highest point."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    tops = grouping.rows.sum(axis=1) * scale
    highest = float(tops.max(initial=0.0))
    for a, b, count in grouping.jumps():
        peak = max(tops[a : b + 1]) + min(6.0 * (b - a), 40.0)
        curve = [(a - 1, tops[a]), (a - 1, peak), (b - 1, peak), (b - 1, tops[b])]
        codes = [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
        (shade,) = blend(count[None], len(grouping.graph.groups))
        width = max(float(count.sum()) * scale * _ARC, 0.5)
        ax.add_patch(PathPatch(Path(curve, codes), fc="none", ec=shade, alpha=0.6, lw=width))
        highest = max(highest, peak)
    return highest


def _draw_shares(ax: Axes, grouping: Grouping, scale: float) -> None:
    """Write the share of rows above columns, as far as they keep clear."""
    spacing = width_in_points(ax) / (len(grouping) + 1.3)
    free = -np.inf
    for x, n in enumerate(grouping.graph.uses.sum(axis=1)):
        if x * spacing >= free:
            share = n / max(grouping.graph.n_rows, 1)
            text = f"{share:.0%}" if share >= 0.01 else f"{share:.1%}"
            ax.text(x, n * scale + 3, text, ha="center", va="bottom", fontsize=LABEL_SIZE, zorder=5)
            free = x * spacing + _CLEAR


def _draw_exits(ax: Axes, grouping: Grouping, shades: Any) -> None:
    """Hang bars below: the share of all rows that quit in each group."""
    quits = grouping.quits
    most = max(int(quits.sum(axis=1).max(initial=1)), 1)
    x, top = np.arange(-1, len(grouping)), np.full(len(quits), -_RIVER_GAP)
    for count, shade in zip(quits.T, shades, strict=True):
        height = count / most * _RIVER_FOOT
        ax.bar(x, -height, bottom=top, width=2 * _HALF, color=shade, zorder=2)
        top = top - height
    ax.axhline(-_RIVER_GAP, color="0.8", linewidth=0.6, zorder=0)
    share = f"{most / max(grouping.graph.n_rows, 1):.0%}"
    ax.set_yticks([-_RIVER_GAP, -_RIVER_GAP - _RIVER_FOOT], ["quit  0", share], fontsize=LABEL_SIZE)
