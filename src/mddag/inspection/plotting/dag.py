"""DagDisplay: the decision DAG as arcs over a line of base classifiers (Figure 1, lower panel).

Base classifiers stand in the order of evaluation, so every edge leads to the right. The area of a
node and the width of an edge are proportional to the number of instances; the colour blends the
groups that pass. Edges of the first group (or without groups) run above the line, of the second
below, by majority. Bars at the foot show where instances quit. Rare edges are hidden, and counted
in the caption. Layout is one-dimensional: for a free one, take ``to_dot`` to Graphviz.

Of hundreds of base classifiers that are evaluated one after the other, arcs would show nothing:
neighbours are grouped, and the picture is a river of instances (``_flows``).
"""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._internal.checks import check_between, check_is, check_one_of, check_whole
from mddag.dag.trace import Trace
from mddag.inspection.plotting._axes import (
    LABEL_SIZE,
    check_axes,
    label_classifiers,
    label_width,
    legend_above,
    pyplot,
    width_in_points,
)
from mddag.inspection.plotting._flows import draw_flows, label_groups
from mddag.inspection.plotting._palette import blend, colours
from mddag.inspection.plotting.graph import QUIT, START, Graph
from mddag.inspection.plotting.grouping import MOST_GROUPS, Grouping, jump_share

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
    """A picture of a decision DAG; made by `from_trace`.

    Parameters
    ----------
    graph : Graph
        The walked DAG, all edges.
    n_classifiers : int, default None
        Base classifiers in the ensemble, to say in the caption how many are used.
    min_share : float, default 0.005
        Nodes and edges with a smaller share of all instances are not drawn.
    grouped : bool, default None
        Whether neighbours are grouped and drawn as a river of instances. None: if there are more
        than 40 of which few are skipped, or more than 250.

    Attributes
    ----------
    shown : Graph
        What is drawn, before neighbours are grouped.
    ax_, figure_ : the matplotlib axes and figure
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
        check_between("min_share", min_share, 0, 1, "a share of instances, 0 to 1")
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
        """Draw the paths of a trace; `color` (n,) is a group per instance."""
        graph = Graph.of_trace(trace, color, name="color")
        given: dict[str, Any] = {"n_classifiers": n_classifiers, "min_share": min_share}
        return cls(graph, **given, grouped=grouped).plot(ax)

    def to_dot(self) -> str:
        """What is drawn, in the DOT language of Graphviz."""
        return self.shown.to_dot()

    def to_networkx(self) -> Any:
        """The whole graph with all counts, rare edges included, as a networkx.DiGraph."""
        return self.graph.to_networkx()

    def plot(self, ax: Axes | None = None) -> DagDisplay:
        """Draw into `ax`, or into a new figure."""
        check_axes(ax)
        if self.grouped:
            return self._plot_flows(ax)
        n_nodes = len(self.shown.nodes)
        own = None
        if ax is None:
            width = float(np.clip(3 + 0.3 * n_nodes, 6.5, 13))
            own, ax = pyplot().subplots(figsize=(width, 4), layout="constrained")
        self.ax_: Any = ax
        self.figure_ = self.ax_.figure
        ax.set_xlim(-1.6, max(n_nodes, 1) - 0.3)
        self._spacing = width_in_points(ax) / (n_nodes + 1.3)
        top, bottom = self._draw_edges(ax)
        self._draw_nodes(ax)
        floor = bottom - _GAP
        self._draw_exits(ax, floor)
        ax.set_ylim(floor - _FOOT - 1, top + _GAP)
        label_classifiers(ax, self.shown.nodes)
        self._dress(ax, "base classifier, in order of evaluation →")
        if own is not None:
            own.set_figheight((top - floor + _FOOT + _GAP + _MARGINS) / 72)
        return self

    def _plot_flows(self, ax: Axes | None) -> DagDisplay:
        """All base classifiers in groups; none is too rare."""
        grouping, own = Grouping.of(self.graph), None
        if ax is None:
            width = float(np.clip(3 + 0.3 * len(grouping), 6.5, 13))
            own, ax = pyplot().subplots(figsize=(width, 4), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        ax.set_xlim(-1.7, max(len(grouping), 1) - 0.3)
        top, bottom = draw_flows(ax, grouping)
        ax.set_ylim(bottom - 1, top + _GAP)
        label_groups(ax, grouping)
        self._dress(ax, "base classifiers, numbered in the order of evaluation →")
        if own is not None:
            own.set_figheight((top - bottom + _GAP + _MARGINS) / 72)
        return self

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
        """Bars hanging from `floor`: the share of all instances that quit after each node."""
        shown, at = self.shown, self._positions()
        quits = np.flatnonzero(shown.target == QUIT)
        most = shown.count[quits].sum(axis=1).max(initial=1)
        x = np.array([at[int(j)] for j in shown.source[quits]])
        top = np.full(len(quits), floor)
        for count, colour in zip(shown.count[quits].T, colours(len(shown.groups)), strict=True):
            height = count / most * _FOOT
            width = min(0.7, 18 / self._spacing)
            ax.bar(x, -height, bottom=top, width=width, color=colour, zorder=2)
            top = top - height
        ax.axhline(floor, color="0.8", linewidth=0.6, zorder=0)
        share = f"{most / max(shown.n_instances, 1):.0%}"
        ax.set_yticks([floor, floor - _FOOT], ["quit  0", share], fontsize=LABEL_SIZE)

    def _dress(self, ax: Axes, axis: str) -> None:
        """Axis of base classifiers with the caption, legend."""
        n_letters = max(int(width_in_points(ax) / (0.52 * _CAPTION_SIZE)), 30)
        caption = fill(self.caption(), n_letters)
        ax.set_xlabel(f"{axis}\n{caption}", fontsize=_CAPTION_SIZE)
        ax.spines[["left", "right", "top"]].set_visible(False)
        if self.shown.groups:
            legend_above(ax, self.shown.groups, self.shown.size)

    def caption(self) -> str:
        """How much is drawn, and how much is too rare to be drawn."""
        of_all = "" if self.n_classifiers is None else f" of {self.n_classifiers}"
        text = f"{len(self.graph.nodes)}{of_all} base classifiers used by {self.graph.n_instances}"
        text += f" instances, {len(self.graph.source)} edges"
        if self.grouped:
            return f"{text}; neighbours grouped so that groups hold about as many evaluations"
        hidden = len(self.graph.source) - len(self.shown.source)
        if hidden:
            edges = "1 edge" if hidden == 1 else f"{hidden} edges"
            text += f"; {edges} taken by fewer than {self.min_share:.1%} of them not drawn"
        return text


def _is_chain(graph: Graph) -> bool:
    """Whether there are too many base classifiers for arcs, or many with hardly an arc."""
    n = len(graph.nodes)
    return n > _MOST_ARCS or (n > MOST_GROUPS and jump_share(graph) < _FEW_JUMPS)


def _arc_heights(span: NDArray[Any], spacing: float) -> NDArray[np.float64]:
    """In points: 0 for neighbours, about half a circle for short jumps, long ones flattened.

    Dense nodes get steeper arcs, or nothing would rise above the line.
    """
    steepness = float(np.clip(12 / spacing, 0.5, 1.5))
    heights = _HIGHEST * (1 - np.exp(-steepness * span * spacing / _HIGHEST))
    return np.where(span > 1, heights, 0.0)


def _arc(left: float, right: float, height: float) -> Path:
    """Half an oval over [left, right] whose top is at `height`; a line if that is 0."""
    from matplotlib.path import Path

    control = height * 4 / 3  # a cubic reaches three quarters of its control points' height
    codes = [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
    return Path([(left, 0), (left, control), (right, control), (right, 0)], codes)
