"""Draw the paths of many rows (Figure 1, b and c), and of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.checks import as_floats, check_is
from mddag.engine.trace import Trace
from mddag.inspection.explanation.explanation import (
    Explanation,
    headline,
    levels_by_step,
    reads,
)
from mddag.inspection.explanation.rules import one_line
from mddag.inspection.plotting._axes import (
    GREY,
    LABEL_SIZE,
    OKABE_ITO,
    WIDE,
    Display,
    check_axes,
    colors,
    label_columns,
    legend_above,
    numbers,
    pyplot,
)
from mddag.inspection.plotting.graph import Graph

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_BARS = 40


class PathDisplay(Display):
    """Plot of evaluations per row and of the use of each base classifier.

    ``from_trace`` makes one. Over two features it shows how many base classifiers each row
    evaluates, and next to that the share of each group's rows that evaluate each base classifier.

    Parameters
    ----------
    graph : Graph
        The walked DAG, with groups.
    n_evaluated : ndarray of int64, shape (n,)
        Base classifiers that each row evaluates.
    X : ndarray of float64, shape (n, 2), optional
        Two features to draw over; without it there is one panel.
    names : sequence of str, default ("$x_1$", "$x_2$")
        The names of these features.

    Attributes
    ----------
    axes_ : ndarray of matplotlib Axes
        The scatter plot first, if there is one.
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
    >>> display = mddag.PathDisplay.from_trace(fast.trace(X), X=X, groups=y)
    >>> len(display.axes_)
    2
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
        n_panels = 1 if X is None else 2
        self.n_axes, self.size = n_panels, (5.5 * n_panels, 4)

    @classmethod
    def from_trace(
        cls,
        trace: Trace,
        *,
        X: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        ax: Axes | Sequence[Axes] | None = None,
    ) -> PathDisplay:
        """Draw a trace.

        Parameters
        ----------
        trace : Trace
            Such as ``model.trace(X)`` gives.
        X : array-like or DataFrame of shape (n, 2), optional
            Two features of its rows to draw over.
        groups : array-like of shape (n,), optional
            The group of each row, such as its class.
        ax : matplotlib Axes or sequence of them, optional
            Where to draw, one for each panel; by default in a new figure.

        Returns
        -------
        PathDisplay
            With ``axes_`` and ``figure_``.
        """
        graph = Graph.of_trace(trace, groups)
        if X is None:
            return cls(graph, trace.n_evaluated).plot(ax)
        names = [str(name) for name in getattr(X, "columns", ("$x_1$", "$x_2$"))]
        return cls(graph, trace.n_evaluated, _checked_plane(X, len(trace)), names).plot(ax)

    def _draw(self, *axes: Any) -> None:
        if self.X is not None:
            self._draw_plane(axes[0], self.X)
        self._draw_uses(axes[-1])

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
        bar = ax.figure.colorbar(points, ax=ax, format="%g")
        bar.set_label("base classifiers evaluated")
        if high - low < 10:
            bar.set_ticks([*range(low, high + 1)])
        ax.set_xlabel(self.names[0])
        ax.set_ylabel(self.names[1])

    def _draw_uses(self, ax: Axes) -> None:
        nodes, n_groups = self.graph.nodes, len(self.graph.size)
        share = 100 * self.graph.uses / np.maximum(self.graph.size, 1)
        x = np.arange(len(nodes))
        for g, color in enumerate(colors(len(self.graph.groups))):
            if len(nodes) <= _MOST_BARS:
                shift = (g - (n_groups - 1) / 2) * 0.8 / n_groups
                ax.bar(x + shift, share[:, g], width=0.8 / n_groups, color=color)
            else:
                ax.step(x, share[:, g], where="mid", color=color, linewidth=1.2)
                ax.fill_between(x, share[:, g], step="mid", color=color, alpha=0.15, linewidth=0)
        ax.set_xlim(-0.6, max(len(nodes), 1) - 0.4)
        ax.set_ylim(0, 105)
        label_columns(ax, numbers(nodes))
        ax.set_xlabel("base classifier that is evaluated")
        of_whom = "of each group" if self.graph.groups else "of rows"
        ax.set_ylabel(f"share {of_whom} (%)")
        ax.tick_params(axis="y", labelsize=LABEL_SIZE)
        ax.spines[["right", "top"]].set_visible(False)
        if self.graph.groups:
            legend_above(ax, self.graph.groups, self.graph.size)


def _checked_plane(X: Any, n_rows: int) -> NDArray[np.float64]:
    plane = as_floats("X", X, "two columns of numbers to draw over")
    if plane.shape != (n_rows, 2):
        raise ValueError(
            f"X has shape {plane.shape}; wanted two columns to draw over for each of the "
            f"{n_rows} rows, ({n_rows}, 2)"
        )
    return plane


def draw_explanation(one: Explanation, ax: Axes | None) -> Axes:
    """Draw the score after each step, and shade the scores at which the policy quits."""
    check_axes(ax)
    if ax is None:
        ax = pyplot().subplots(figsize=Display.size, layout="constrained")[1]
        ax.figure.suptitle(_plain(headline(one)), fontsize=10)
    at, levels = levels_by_step(one)
    marks = "o-" if len(at) <= 40 else "-"
    how: dict[str, Any] = {"ms": 4, "lw": 1.2, "drawstyle": "steps-post", "zorder": 3}
    ax.plot(at, levels, marks, color=OKABE_ITO[0], **how)
    ax.plot(at[-1:], levels[-1:], "s", color=GREY, ms=7, zorder=4)
    if one.classes is not None:
        ax.axhline(0, color=OKABE_ITO[1], lw=1, ls="--", zorder=1)
    ax.margins(y=0.25)
    last, (low, high) = max(at[-1], 1), ax.get_ylim()
    for segment in one.exit.segments:
        ends = max(segment.low, low), min(segment.high, high)
        if segment.action == "quit" and ends[0] < ends[1]:
            x = [last - 0.02 * last - 0.1, last + 0.02 * last + 0.1]
            ax.fill_between(x, *ends, color=GREY, alpha=0.25, lw=0, zorder=0)
    ax.set_ylim(low, high)
    why = "at the square all steps were decided on"
    if one.exit.reason == "quit":
        why = "at the square it quits, as at all gray scores" if one.exit.segments else "it quits"
    ax.set_title(why, loc="right", fontsize=LABEL_SIZE, color=GREY)
    ax.locator_params(axis="x", integer=True)
    ax.set_xlabel("step of the policy")
    what = reads(one)
    if one.top_two is not None:
        first, second = (
            one.top_two if one.classes is None else [one.classes[k] for k in one.top_two]
        )
        what = f"margin of {one_line(first)} over {one_line(second)}"
    ax.set_ylabel(_plain(what))
    ax.spines[["right", "top"]].set_visible(False)
    ax.tick_params(labelsize=LABEL_SIZE)
    return ax


def _plain(text: str) -> str:
    """Return text without the marks that matplotlib would read as mathematics."""
    return text.replace("$", r"\$")
