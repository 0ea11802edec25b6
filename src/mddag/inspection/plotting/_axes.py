"""Share the import of matplotlib, colors of groups, and the axis of base classifiers.

Colors are Okabe & Ito's, which color-blind readers can tell apart, blue and vermilion first; gray
where there are no groups. An edge or node takes the mean of its groups' colors, weighted by how
many rows of each pass through.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.checks import described

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GREY = "#555555"
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442")


def group_of(
    groups: ArrayLike | None, n_rows: int, name: str
) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """Return the names of the groups and the group of each row; no names if there are none.

    If there are more groups than colors, the smallest are merged into "other", the last.
    """
    if groups is None:
        return (), np.zeros(n_rows, np.intp)
    array: NDArray[Any] = np.asarray(groups)
    if array.shape != (n_rows,):
        raise ValueError(
            f"{name} has shape {array.shape}; wanted one group for each of the {n_rows} "
            f"rows, ({n_rows},)"
        )
    values, group = np.unique(array, return_inverse=True)
    names, group = tuple(str(v) for v in values), group.reshape(-1)
    if len(names) <= len(OKABE_ITO):
        return names, group
    n_own = len(OKABE_ITO) - 1
    own = np.sort(np.argsort(-np.bincount(group), kind="stable")[:n_own])
    place = np.full(len(names), n_own)
    place[own] = np.arange(n_own)
    return (*(names[g] for g in own), "other"), place[group]


def colors(n_groups: int) -> NDArray[np.float64]:
    """Return red, green and blue in 0..1 of each group, (max(n_groups, 1), 3); gray for none."""
    names = OKABE_ITO[:n_groups] if n_groups else (GREY,)
    return np.array([[int(name[i : i + 2], 16) / 255 for i in (1, 3, 5)] for name in names])


def blend(counts: NDArray[np.intp], n_groups: int) -> NDArray[np.float64]:
    """Return the color of each row of counts (n, max(n_groups, 1)), (n, 3)."""
    total = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return np.asarray((counts / total) @ colors(n_groups))


LABEL_SIZE = 8.0  # points
MOST_BETWEEN = 4  # unlabelled numbers get a small tick where at least every fourth is labelled
WIDE = 20.0  # a scale that spans more than this factor is logarithmic


def pyplot() -> Any:
    """matplotlib.pyplot, or an error that says how to get it."""
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError(
            "plots need matplotlib, which is not installed: pip install 'mddag[plot]'"
        ) from error
    return plt


def check_axes(ax: Any) -> None:
    """Reject what nothing can be drawn into; None stands for axes of our own."""
    if ax is not None and not hasattr(ax, "transData"):
        raise TypeError(f"ax is {described(ax)}; wanted matplotlib Axes, or None for a new figure")


class Display:
    """A plot in matplotlib Axes, which a subclass draws.

    `size` are the inches of a new figure, and `n_axes` how many axes it draws into.
    """

    size: tuple[float, float] = (6.5, 4.2)
    n_axes = 1

    def plot(self, ax: Axes | Sequence[Axes] | None = None) -> Self:
        """Draw into axes.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of them, optional
            Where to draw, one for each panel; by default in a new figure.

        Returns
        -------
        Self
            This display, with ``ax_`` or ``axes_``, and ``figure_``.
        """
        drawn: Any = ax
        if ax is None:
            drawn = pyplot().subplots(1, self.n_axes, figsize=self.size, layout="constrained")[1]
        self.axes_: Any = np.atleast_1d(np.asarray(drawn, object))
        for axes in self.axes_.ravel():
            check_axes(axes)
        if self.axes_.size != self.n_axes:
            raise ValueError(f"ax holds {self.axes_.size} axes; this plot has {self.n_axes}")
        self.ax_: Any = self.axes_[0]
        self.figure_: Any = self.ax_.figure
        self._draw(*self.axes_)
        if ax is None:
            self._finish_figure()
        return self

    @abstractmethod
    def _draw(self, *axes: Any) -> None:
        """Draw everything."""

    def _finish_figure(self) -> None:
        """Change what belongs to a whole new figure."""


def width_in_points(ax: Axes) -> float:
    """Return the width of the plotting area."""
    return float(ax.bbox.width * 72 / ax.figure.dpi)


def label_columns(ax: Axes, names: Sequence[str]) -> None:
    """Write names at x = 0, 1, …, the last one included; leave out what would overlap."""
    low, high = ax.get_xlim()
    spacing = width_in_points(ax) / (high - low)
    half = [0.325 * LABEL_SIZE * len(name) + 2 for name in names]
    last, free = len(names) - 1, -np.inf
    ticks: list[int] = []
    for x in range(len(names)):
        fits = x == last or x * spacing + half[x] < last * spacing - half[last]
        if fits and x * spacing - half[x] > free:
            ticks.append(x)
            free = x * spacing + half[x]
    ax.set_xticks(ticks, [names[x] for x in ticks], fontsize=LABEL_SIZE)
    if len(names) <= MOST_BETWEEN * len(ticks):
        ax.set_xticks(np.setdiff1d(np.arange(len(names)), ticks), minor=True)


def numbers(nodes: NDArray[np.intp]) -> list[str]:
    """Return the numbers of base classifiers, which texts and plots count from 1."""
    return [str(j + 1) for j in nodes.tolist()]


def legend_above(ax: Axes, groups: tuple[str, ...], sizes: NDArray[np.intp]) -> None:
    """Write the colors of the groups and how many rows each has, in one line above the axes."""
    from matplotlib.lines import Line2D

    keys = [Line2D([], [], color=c, lw=4) for c in colors(len(groups))]
    names = [f"{group} ({n})" for group, n in zip(groups, sizes, strict=True)]
    ax.legend(
        keys,
        names,
        fontsize=LABEL_SIZE,
        frameon=False,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=len(groups),
    )


def log_if_wide(ax: Axes, x: NDArray[np.float64]) -> None:
    """Make the x axis logarithmic, with plain numbers, if the values `x` span that much.

    Policies that evaluate nothing stand at 0: a short linear piece leads there.
    """
    positive = x[x > 0]
    if len(positive) == 0 or positive.max() <= WIDE * positive.min():
        return
    low, high = positive.min(), positive.max()
    if len(positive) < len(x):
        ax.set_xscale("symlog", linthresh=low)
    else:
        ax.set_xscale("log")
    decades = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    ticks = np.concatenate([[0.0], np.outer(decades, [1, 2, 5]).ravel()])
    ticks = ticks[(ticks >= (x.min() * 0.8)) & (ticks <= high * 1.25)]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.set_xticks([], minor=True)
