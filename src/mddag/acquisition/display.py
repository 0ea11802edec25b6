"""PurchaseDisplay: the groups of features that rows buy, as flows between sets of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.checks import check_is
from mddag.engine.purchases import NEVER, Purchases
from mddag.engine.trace import Trace
from mddag.inspection.plotting._axes import GREY, LABEL_SIZE, OKABE_ITO, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Held = tuple[int, ...]
WIDEST = 12.0  # points, the flow of all rows


class PurchaseDisplay(Display):
    """Plot of the groups of features that rows buy, as flows between sets of them.

    ``from_trace`` makes one. A dot is a set of groups, at its price, and a gray line the rows that
    went from one set to the next.

    Parameters
    ----------
    trace : Trace
        Such as ``model.trace(X)`` gives.
    purchases : Purchases
        Such as ``model.dag_.purchases``.

    Attributes
    ----------
    flows_ : dict of (set, next set) to int
        The number of rows; a set is a tuple of groups.
    last_ : dict of set to int
        The number of rows that quit with it.
    ax_ : matplotlib Axes
        What was drawn into.
    figure_ : matplotlib Figure
        The figure of these axes.

    Examples
    --------
    >>> import mddag
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.ensemble import GradientBoostingClassifier
    >>> X, y = make_classification(2000, 6, random_state=0)
    >>> full = GradientBoostingClassifier(n_estimators=20).fit(X[:1000], y[:1000])
    >>> fast = mddag.sparsify(full, X[1000:], y[1000:], budget=5)
    >>> priced = fast.with_prices(None, {"form": [0, 1, 2], "lab": [3, 4, 5]})
    >>> display = mddag.PurchaseDisplay.from_trace(priced.trace(X), priced.dag_.purchases)
    >>> sum(display.last_.values())
    2000
    """

    size = (7.5, 4.6)

    def __init__(self, trace: Trace, purchases: Purchases) -> None:
        check_is("trace", trace, Trace, "a Trace, such as model.trace(X) gives")
        check_is("purchases", purchases, Purchases, "Purchases, such as model.dag_.purchases")
        self.purchases = purchases
        self.flows_, self.last_ = _flows(purchases.first_uses(trace), purchases.prices.paid)

    @classmethod
    def from_trace(
        cls, trace: Trace, purchases: Purchases, *, ax: Axes | None = None
    ) -> PurchaseDisplay:
        """Draw what the rows of a trace buy.

        Parameters
        ----------
        trace : Trace
            Such as ``model.trace(X)`` gives.
        purchases : Purchases
            Such as ``model.dag_.purchases``.
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        PurchaseDisplay
            With ``ax_`` and ``figure_``.
        """
        return cls(trace, purchases).plot(ax)

    def _draw(self, *axes: Any) -> None:
        (ax,) = axes
        n_rows = sum(self.last_.values())
        place = self._places()
        for (s, t), n in self.flows_.items():
            (x0, y0), (x1, y1) = place[s], place[t]
            ax.plot([x0, x1], [y0, y1], color="0.8", lw=WIDEST * n / n_rows, zorder=1)
        for held, (x, y) in place.items():
            share = self.last_.get(held, 0) / n_rows
            ax.plot([x], [y], "o", color=OKABE_ITO[0], ms=4 + 14 * share, zorder=2)
            self._label(ax, held, (x, y), share)
        ax.set_xlabel("price of the groups bought")
        ax.set_yticks([])
        ax.margins(0.12)
        ax.spines[["left", "right", "top"]].set_visible(False)

    def _places(self) -> dict[Held, tuple[float, float]]:
        """Return where sets are drawn: by price, and those of one price one above the other."""
        costs = self.purchases.prices.costs
        sets = {s for pair in self.flows_ for s in pair} | set(self.last_)
        ordered = sorted(sets, key=lambda held: (float(costs[list(held)].sum()), held))
        heights = [(-1) ** i * ((i + 1) // 2) for i in range(len(ordered))]
        return {
            held: (float(costs[list(held)].sum()), float(heights[i % 5]))
            for i, held in enumerate(ordered)
        }

    def _label(self, ax: Any, held: Held, at: tuple[float, float], share: float) -> None:
        names = self.purchases.prices.names
        come_from = [s for s, t in self.flows_ if t == held]
        known: set[int] = set(come_from[0]) if come_from else set()
        new = ", ".join(str(names[g]) for g in held if g not in known) or "nothing"
        text = f"+ {new}\n{100 * share:.0f} % quit" if come_from else f"{new}\n{100 * share:.0f} %"
        offset = {"xytext": (0, 9), "textcoords": "offset points", "ha": "center"}
        ax.annotate(text, at, fontsize=LABEL_SIZE, color=GREY, **offset)


def _flows(
    first: NDArray[np.int64], paid: NDArray[np.bool_]
) -> tuple[dict[tuple[Held, Held], int], dict[Held, int]]:
    """Count the rows that go from one set to the next, and those that quit with each."""
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
