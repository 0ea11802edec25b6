"""PathDisplay: how many base classifiers instances evaluate, and which (Figure 1, b and c).

Left, over two features: the number of base classifiers that each instance evaluates. Right, by
base classifier: the share of each group's instances that evaluate it. Without X only the right
panel is drawn. ``DagDisplay`` shows the order in which they are evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._internal.checks import as_floats, check_is
from mddag.dag.trace import Trace
from mddag.inspection.plotting._axes import (
    LABEL_SIZE,
    WIDE,
    check_axes,
    label_classifiers,
    legend_above,
    pyplot,
)
from mddag.inspection.plotting._palette import colours
from mddag.inspection.plotting.graph import Graph

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_BARS = 40


class PathDisplay:
    """Evaluations per instance and uses per base classifier; made by `from_trace`.

    Parameters
    ----------
    graph : Graph
        The walked DAG, with groups.
    n_evaluated : int (n,)
    X : float64 (n, 2), default None
    names : names of the two columns of X

    Attributes
    ----------
    axes_ : ndarray of the matplotlib axes, the scatter first where there is one
    figure_ : the matplotlib figure
    """

    def __init__(
        self,
        graph: Graph,
        n_evaluated: NDArray[np.int64],
        X: NDArray[np.float64] | None = None,
        names: Sequence[str] = ("$x_1$", "$x_2$"),
    ) -> None:
        check_is("graph", graph, Graph, "a Graph: use PathDisplay.from_trace(trace)")
        self.graph = graph
        self.n_evaluated = n_evaluated
        self.X = X
        self.names = names

    @classmethod
    def from_trace(
        cls,
        trace: Trace,
        *,
        X: Any = None,
        groups: ArrayLike | None = None,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> PathDisplay:
        """Draw a trace; X (n, 2) are two columns of its rows, `groups` (n,) a group per row."""
        graph = Graph.of_trace(trace, groups)
        if X is None:
            return cls(graph, trace.n_evaluated).plot(ax)
        names = [str(name) for name in getattr(X, "columns", ("$x_1$", "$x_2$"))]
        return cls(graph, trace.n_evaluated, _checked_plane(X, len(trace)), names).plot(ax)

    def plot(self, ax: Axes | Sequence[Axes] | None = None) -> PathDisplay:
        """Draw into `ax`, as many axes as there are panels, or into a new figure."""
        for axes in [] if ax is None else np.ravel(np.asarray(ax, object)):
            check_axes(axes)
        n_panels = 1 if self.X is None else 2
        if ax is None:
            size = (5.5 * n_panels, 4)
            _, ax = pyplot().subplots(1, n_panels, figsize=size, layout="constrained")
        self.axes_ = np.atleast_1d(np.asarray(ax, object))
        if self.axes_.shape != (n_panels,):
            raise ValueError(f"ax holds {self.axes_.size} axes; this picture has {n_panels}")
        self.figure_ = self.axes_[0].figure
        if self.X is not None:
            self._draw_plane(self.axes_[0], self.X)
        self._draw_uses(self.axes_[-1])
        return self

    def _draw_plane(self, ax: Axes, X: NDArray[np.float64]) -> None:
        from matplotlib.colors import LogNorm, Normalize

        low, high = int(self.n_evaluated.min()), int(self.n_evaluated.max())
        wide = low > 0 and high > WIDE * low
        order = np.argsort(self.n_evaluated, kind="stable")  # the hard ones on top
        points = ax.scatter(
            X[order, 0],
            X[order, 1],
            c=self.n_evaluated[order],
            s=float(np.clip(8000 / len(X), 4, 20)),
            cmap="viridis",
            norm=LogNorm(low, high) if wide else Normalize(low, high),
            linewidths=0,
        )
        bar = ax.figure.colorbar(points, ax=ax)
        bar.set_label("base classifiers evaluated")
        if high - low < 10:
            bar.set_ticks([*range(low, high + 1)])
        ax.set_xlabel(self.names[0])
        ax.set_ylabel(self.names[1])

    def _draw_uses(self, ax: Axes) -> None:
        nodes, n_groups = self.graph.nodes, len(self.graph.size)
        share = 100 * self.graph.uses / np.maximum(self.graph.size, 1)
        x = np.arange(len(nodes))
        for g, colour in enumerate(colours(len(self.graph.groups))):
            if len(nodes) <= _MOST_BARS:
                shift = (g - (n_groups - 1) / 2) * 0.8 / n_groups
                ax.bar(x + shift, share[:, g], width=0.8 / n_groups, color=colour)
            else:
                ax.step(x, share[:, g], where="mid", color=colour, linewidth=1.2)
                ax.fill_between(x, share[:, g], step="mid", color=colour, alpha=0.15, linewidth=0)
        ax.set_xlim(-0.6, max(len(nodes), 1) - 0.4)
        ax.set_ylim(0, 105)
        label_classifiers(ax, nodes)
        ax.set_xlabel("base classifier that is evaluated")
        of_whom = "of each group" if self.graph.groups else "of instances"
        ax.set_ylabel(f"share {of_whom} (%)")
        ax.tick_params(axis="y", labelsize=LABEL_SIZE)
        ax.spines[["right", "top"]].set_visible(False)
        if self.graph.groups:
            legend_above(ax, self.graph.groups, self.graph.size)


def _checked_plane(X: Any, n_instances: int) -> NDArray[np.float64]:
    plane = as_floats("X", X, "two columns of numbers to draw over")
    if plane.shape != (n_instances, 2):
        raise ValueError(
            f"X has shape {plane.shape}; wanted two columns to draw over for each of the "
            f"{n_instances} instances, ({n_instances}, 2)"
        )
    return plane
