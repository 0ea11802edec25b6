"""Draw curves: loss against evaluations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mddag._utils.checks import check_is, check_one_of
from mddag.inspection.plotting._axes import (
    GREY,
    LABEL_SIZE,
    OKABE_ITO,
    Display,
    log_if_wide,
)
from mddag.losses import ZeroOne
from mddag.policy.curve import Curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CostUnit = Literal["n_evaluated", "cost"]
_X_LABELS = {"n_evaluated": "mean base classifiers evaluated", "cost": "mean cost"}
_CLEAR = 26.0  # points between two labels


def loss_name(curve: Curve) -> str:
    """Name the loss of a curve: "error" if it is the share of wrong labels."""
    plain = isinstance(curve.loss, ZeroOne) and curve.loss.weights is None
    return "error" if plain else f"{type(curve.loss).__name__} loss"


class TradeoffDisplay(Display):
    """Plot of a Curve: loss against evaluations or cost, one point per beta.

    Points are on the test rows if there are any, else the selection rows, else the training rows.
    The line joins the envelope of the rows that choose, so on test rows it may bend upwards. The
    full ensemble is the star and the dashed line.

    Parameters
    ----------
    curve : Curve
        Such as ``mddag.sweep`` gives.
    x : {"n_evaluated", "cost"}, default "n_evaluated"
        What the x axis shows.

    Attributes
    ----------
    ax_ : matplotlib Axes
        What was drawn into.
    figure_ : matplotlib Figure
        The figure of these axes.

    Examples
    --------
    >>> import mddag
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.ensemble import GradientBoostingClassifier
    >>> X, y = make_classification(2000, random_state=0)
    >>> full = GradientBoostingClassifier(n_estimators=20).fit(X[:1000], y[:1000])
    >>> solver = mddag.solvers.Margin()
    >>> curve = mddag.sweep(full, X[1000:], y[1000:], betas=[0.01, 0.001], solver=solver)
    >>> display = mddag.TradeoffDisplay.from_curve(curve)
    >>> display.figure_.savefig("curve.png")
    """

    def __init__(self, curve: Curve, *, x: CostUnit = "n_evaluated") -> None:
        check_is("curve", curve, Curve, "a Curve, such as mddag.sweep gives")
        check_one_of("x", x, get_args(CostUnit))
        self.curve = curve
        self.x = x

    @classmethod
    def from_curve(
        cls, curve: Curve, *, x: CostUnit = "n_evaluated", ax: Axes | None = None
    ) -> TradeoffDisplay:
        """Draw a curve.

        Parameters
        ----------
        curve : Curve
            Such as ``mddag.sweep`` gives.
        x : {"n_evaluated", "cost"}, default "n_evaluated"
            What the x axis shows.
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        TradeoffDisplay
            With ``ax_`` and ``figure_``.
        """
        return cls(curve, x=x).plot(ax)

    def _draw(self, *axes: Any) -> None:
        (ax,) = axes
        ax.margins(y=0.12)  # room for the labels of the highest and the lowest point
        reported = self.curve.samples[-1]
        self._draw_reported(ax, reported)
        both = [self._points(reported, prefix)[0] for prefix in ("", "full_")]
        log_if_wide(ax, np.concatenate(both))
        ax.set_xlabel(_X_LABELS[self.x])
        ax.set_ylabel(loss_name(self.curve))
        ax.spines[["right", "top"]].set_visible(False)
        ax.legend(fontsize=LABEL_SIZE, frameon=False)
        self._label_betas(ax, reported)

    def _points(
        self, sample: str, prefix: str = ""
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        columns = self.curve.columns
        return columns[f"{prefix}{sample}_{self.x}"], columns[f"{prefix}{sample}_loss"]

    def _draw_reported(self, ax: Axes, sample: str) -> None:
        x, loss = self._points(sample)
        chosen = self.curve.envelope(x=self.x)
        others = np.setdiff1d(np.arange(len(x)), chosen)
        by = "" if sample == self.curve.chooser else f", chosen by {self.curve.chooser} rows"
        blue, vermilion = OKABE_ITO[:2]
        ax.plot(x[chosen], loss[chosen], "o-", color=blue, ms=5, lw=2, label=f"{sample}{by}")
        if len(others):  # below the line, for a point may stand on one that is as good
            hollow: dict[str, Any] = {"color": blue, "mfc": "white", "ms": 5, "zorder": 1.5}
            ax.plot(x[others], loss[others], "o", label="another price is better", **hollow)
        full_x, full_loss = (column[0] for column in self._points(sample, "full_"))
        ax.axhline(full_loss, color=vermilion, lw=1, ls="--", zorder=0)
        label = f"full ensemble ({sample})"
        ax.plot([full_x], [full_loss], "*", color=vermilion, ms=11, label=label)

    def _label_betas(self, ax: Axes, sample: str) -> None:
        """Write beta next to points of the envelope, as far as the labels keep clear."""
        ax.autoscale_view()  # or the places below would be those of an empty plot
        x, loss = self._points(sample)
        written = np.empty((0, 2))
        for row in self.curve.envelope(x=self.x):
            place = ax.transData.transform((x[row], loss[row])) * 72 / ax.figure.dpi
            if (np.abs(written - place) < (2 * _CLEAR, _CLEAR / 2)).all(axis=1).any():
                continue
            written = np.vstack([written, place])
            ax.annotate(
                f"β = {self.curve.beta[row]:.2g}",
                (x[row], loss[row]),
                (5, 5),
                textcoords="offset points",
                fontsize=LABEL_SIZE,
                color=GREY,
                zorder=9,
                bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.5},
            )
