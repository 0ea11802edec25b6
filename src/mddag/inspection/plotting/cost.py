"""CostDisplay: error against mean feature cost, one line for each method.

A line joins the points that no cheaper point of its method beats; the others are drawn alone. The
first method is ours by custom and drawn thicker.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from mddag._internal.checks import as_floats, check_is
from mddag.inspection.plotting._axes import LABEL_SIZE, check_axes, pyplot
from mddag.inspection.plotting._palette import OKABE_ITO

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class CostDisplay:
    """A picture of what features cost.

    Parameters
    ----------
    curves : dict of (costs, errors)
        For each method by name, mean feature costs and errors, both (n,).

    Attributes
    ----------
    ax_, figure_ : the matplotlib axes and figure
    """

    def __init__(self, curves: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> None:
        check_is("curves", curves, Mapping, "a dict of (costs, errors) by method")
        self.curves = {}
        for name, pair in curves.items():
            if len(pair) != 2 or np.shape(pair[0]) != np.shape(pair[1]) or np.ndim(pair[0]) != 1:
                raise ValueError(
                    f"the curve {name!r} is of shapes {[np.shape(p) for p in pair]}; wanted costs "
                    "and errors, one of each for every point, (n,) and (n,)"
                )
            self.curves[name] = tuple(as_floats(name, p, "numbers") for p in pair)

    def plot(self, ax: Axes | None = None) -> CostDisplay:
        """Draw into `ax`, or into a new figure."""
        check_axes(ax)
        if ax is None:
            _, ax = pyplot().subplots(figsize=(6.5, 4.2), layout="constrained")
        self.ax_: Any = ax
        self.figure_ = self.ax_.figure
        for i, (name, (costs, errors)) in enumerate(self.curves.items()):
            order = np.lexsort((errors, costs))
            best = np.minimum.accumulate(errors[order])
            kept = order[np.diff(best, prepend=np.inf) < 0]
            colour = OKABE_ITO[i % len(OKABE_ITO)]
            style: dict[str, Any] = {"lw": 2.4, "ms": 4} if i == 0 else {"lw": 1.2, "ms": 3}
            style |= {"color": colour, "label": name, "zorder": 5 - i}
            self.ax_.plot(costs[kept], errors[kept], "o-", **style)
        self.ax_.set_xlabel("mean feature cost")
        self.ax_.set_ylabel("error")
        self.ax_.spines[["right", "top"]].set_visible(False)
        self.ax_.legend(fontsize=LABEL_SIZE, frameon=False)
        return self
