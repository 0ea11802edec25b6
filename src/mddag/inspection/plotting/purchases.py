"""PurchaseDisplay: which groups of features rows buy, as flows between sets of groups.

A dot is a set of groups that some rows had at some time, a grey line the rows that went from one
set to the next, as wide as they are many. Sets stand from left to right by their price. Beside a
dot are the groups that are new there, and the share of the rows that quit with it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_is
from mddag.dag.purchases import NEVER, Purchases
from mddag.dag.trace import Trace
from mddag.inspection.plotting._axes import LABEL_SIZE, check_axes, pyplot
from mddag.inspection.plotting._palette import GREY, OKABE_ITO

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Held = tuple[int, ...]
WIDEST = 12.0  # points, the flow of all rows


class PurchaseDisplay:
    """A picture of purchases; made by `from_trace`.

    Attributes
    ----------
    flows_ : dict of (set, next set) to the number of rows; a set is a tuple of groups
    last_ : dict of set to the number of rows that quit with it
    ax_, figure_ : the matplotlib axes and figure
    """

    def __init__(self, trace: Trace, purchases: Purchases) -> None:
        check_is("trace", trace, Trace, "a Trace, such as model.trace(X) gives")
        check_is("purchases", purchases, Purchases, "Purchases, such as model.dag_.purchases")
        self.purchases = purchases
        self.flows_, self.last_ = _flows(purchases.first_uses(trace), purchases.prices.paid)

    @classmethod
    def from_trace(
        cls, trace: Trace, purchases: Purchases, *, ax: Axes | None = None
    ) -> PurchaseDisplay:
        """Draw what the rows of a trace buy."""
        return cls(trace, purchases).plot(ax)

    def plot(self, ax: Axes | None = None) -> PurchaseDisplay:
        """Draw into `ax`, or into a new figure."""
        check_axes(ax)
        if ax is None:
            _, ax = pyplot().subplots(figsize=(7.5, 4.6), layout="constrained")
        self.ax_: Any = ax
        self.figure_ = self.ax_.figure
        n_rows = sum(self.last_.values())
        place = self._places()
        for (s, t), n in self.flows_.items():
            (x0, y0), (x1, y1) = place[s], place[t]
            self.ax_.plot([x0, x1], [y0, y1], color="0.8", lw=WIDEST * n / n_rows, zorder=1)
        for held, (x, y) in place.items():
            share = self.last_.get(held, 0) / n_rows
            self.ax_.plot([x], [y], "o", color=OKABE_ITO[0], ms=4 + 14 * share, zorder=2)
            self._label(held, (x, y), share)
        self.ax_.set_xlabel("price of the groups bought")
        self.ax_.set_yticks([])
        self.ax_.margins(0.12)
        self.ax_.spines[["left", "right", "top"]].set_visible(False)
        return self

    def _places(self) -> dict[Held, tuple[float, float]]:
        """Where sets are drawn: by price, and those of one price one above the other."""
        costs = self.purchases.prices.costs
        sets = {s for pair in self.flows_ for s in pair} | set(self.last_)
        ordered = sorted(sets, key=lambda held: (float(costs[list(held)].sum()), held))
        heights = [(-1) ** i * ((i + 1) // 2) for i in range(len(ordered))]
        return {
            held: (float(costs[list(held)].sum()), float(heights[i % 5]))
            for i, held in enumerate(ordered)
        }

    def _label(self, held: Held, at: tuple[float, float], share: float) -> None:
        names = self.purchases.prices.names
        come_from = [s for s, t in self.flows_ if t == held]
        known: set[int] = set(come_from[0]) if come_from else set()
        new = ", ".join(str(names[g]) for g in held if g not in known) or "nothing"
        text = f"+ {new}\n{100 * share:.0f} % quit" if come_from else f"{new}\n{100 * share:.0f} %"
        offset = {"xytext": (0, 9), "textcoords": "offset points", "ha": "center"}
        self.ax_.annotate(text, at, fontsize=LABEL_SIZE, color=GREY, **offset)


def _flows(
    first: NDArray[np.int64], paid: NDArray[np.bool_]
) -> tuple[dict[tuple[Held, Held], int], dict[Held, int]]:
    """How many rows go from one set to the next, and with which sets they quit."""
    flows: Counter[tuple[Held, Held]] = Counter()
    last: Counter[Held] = Counter()
    for row in first:
        held: Held = ()
        bought = paid & (row < NEVER)
        for place in np.unique(row[bought]):
            more = tuple(np.flatnonzero(bought & (row <= place)).tolist())
            flows[held, more] += 1
            held = more
        last[held] += 1
    return dict(flows), dict(last)
