"""DetectionDisplay: TPR at a fixed FPR against mean evaluations on negatives (Figure 2).

One line per method. At each bound N on the evaluations it shows the setting k*(N) that the training
rows choose within N (``metrics.best_within``), as its TPR on test rows: so a line may fall where
another setting looks better in training. With several seeds, their mean and its standard error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.checks import check_is, check_one_of, check_positive, described
from mddag.inspection.plotting._axes import (
    GREY,
    LABEL_SIZE,
    OKABE_ITO,
    check_axes,
    log_if_wide,
    pyplot,
)
from mddag.metrics.detection import DetectionRun, best_within, check_rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BOUNDS = (2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)
_THRESHOLDS = {"test": "test_tpr", "held_out": "held_out_tpr"}
_COLOURS = (GREY, *OKABE_ITO[:6])  # yellow lines can hardly be seen
_MARKERS = "os^vD<>"


class DetectionDisplay:
    """Plot detection rates against mean evaluations; see `from_runs`.

    Parameters
    ----------
    tprs : dict of str to array-like of shape (n_seeds, n_bounds)
        By method; NaN where no setting is within the bound.
    bounds : sequence of float
        Mean evaluations on negatives, rising.
    fpr : float
        The rate of false positives at which they were measured.
    highlight : str, default None
        The method whose line is drawn thick.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        What was drawn into.

    Examples
    --------
    >>> from mddag import DetectionDisplay
    >>> tprs = {"ours": [[0.5, 0.7], [0.6, 0.7]], "theirs": [[0.4, 0.6], [0.4, 0.5]]}
    >>> display = DetectionDisplay(tprs, [5, 10], fpr=0.01, highlight="ours").plot()
    >>> display.ax_.get_ylabel()
    'TPR at FPR 1 %'
    """

    def __init__(
        self,
        tprs: Mapping[str, ArrayLike],
        bounds: Sequence[float],
        *,
        fpr: float,
        highlight: str | None = None,
    ) -> None:
        check_is("tprs", tprs, Mapping, "a dict of method names to TPRs (n_seeds, n_bounds)")
        check_rate("fpr", fpr)
        for bound in bounds:
            check_positive("bounds", bound)
        self.tprs = {name: _checked_tprs(name, t, len(bounds)) for name, t in tprs.items()}
        if highlight is not None:
            check_one_of("highlight", highlight, tuple(self.tprs))
        self.bounds = np.asarray(bounds, np.float64)
        self.fpr = fpr
        self.highlight = highlight

    @classmethod
    def from_runs(
        cls,
        runs: Mapping[str, Sequence[Sequence[DetectionRun]]],
        *,
        fpr: float,
        bounds: Sequence[float] = BOUNDS,
        threshold: str = "test",
        highlight: str | None = None,
        ax: Axes | None = None,
    ) -> DetectionDisplay:
        """Draw the runs of methods.

        Parameters
        ----------
        runs : dict of str to list of list of DetectionRun
            By method: for each seed a list with one run for each setting.
        fpr : float
            The rate of false positives at which they were measured.
        bounds : sequence of float, default (2, 3, 5, …, 100)
            Mean evaluations on negatives.
        threshold : {"test", "held_out"}, default "test"
            Whether thresholds are those of the test rows themselves, as in the paper.
        highlight : str, default None
            The method whose line is drawn thick.
        ax : Axes, default None
            Where to draw; None means a new figure.

        Returns
        -------
        DetectionDisplay
            With ``ax_`` and ``figure_``.
        """
        check_is("runs", runs, Mapping, "a dict of method names to lists of runs, one for a seed")
        check_one_of("threshold", threshold, tuple(_THRESHOLDS))
        column = _THRESHOLDS[threshold]
        tprs = {
            name: [
                [np.nan if run is None else getattr(run, column) for run in best_within(of, bounds)]
                for of in seeds
            ]
            for name, seeds in runs.items()
        }
        return cls(tprs, bounds, fpr=fpr, highlight=highlight).plot(ax)

    def plot(self, ax: Axes | None = None) -> DetectionDisplay:
        """Draw the lines.

        Parameters
        ----------
        ax : Axes, default None
            Where to draw; None means a new figure.

        Returns
        -------
        DetectionDisplay
            With ``ax_`` and ``figure_``.
        """
        check_axes(ax)
        if ax is None:
            _, ax = pyplot().subplots(figsize=(6.5, 4.2), layout="constrained")
        self.ax_: Any = ax
        self.figure_ = self.ax_.figure
        others = [name for name in self.tprs if name != self.highlight]
        for name, tprs in self.tprs.items():
            k = others.index(name) if name in others else None
            self._draw(k, name, tprs)
        log_if_wide(self.ax_, self.bounds)
        self.ax_.set_xlabel("mean base classifiers evaluated on negatives, at most")
        self.ax_.set_ylabel(f"TPR at FPR {100 * self.fpr:g} %")
        self.ax_.spines[["right", "top"]].set_visible(False)
        self.ax_.grid(axis="y", color="0.92", lw=0.8)
        self.ax_.set_axisbelow(True)
        self.ax_.legend(fontsize=LABEL_SIZE, frameon=False)
        return self

    def _draw(self, k: int | None, name: str, tprs: NDArray[np.float64]) -> None:
        """Draw a point where every seed has a setting; k is None for the highlighted line."""
        mean, n_seeds, first = tprs.mean(axis=0), len(tprs), k is None
        error = tprs.std(axis=0, ddof=1) / np.sqrt(n_seeds) if n_seeds > 1 else None
        drawn = self.ax_.errorbar(
            self.bounds,
            mean,
            error,
            color="black" if k is None else _COLOURS[k % len(_COLOURS)],
            marker="o" if k is None else _MARKERS[k % len(_MARKERS)],
            ms=5 if first else 4,
            lw=2.4 if first else 1.2,
            elinewidth=0.8,
            zorder=3 if first else 2,
            label=name,
        )
        for bars in drawn.lines[2]:
            bars.set_alpha(0.5)


def _checked_tprs(name: str, tprs: ArrayLike, n_bounds: int) -> NDArray[np.float64]:
    array = np.asarray(tprs, np.float64) if len(np.shape(tprs)) == 2 else np.empty((0, 0))
    if array.shape[0] == 0 or array.shape[1] != n_bounds:
        raise ValueError(
            f"the TPRs of {name!r} are {described(tprs)}; wanted one row for each seed with one "
            f"TPR for each of {n_bounds} bounds"
        )
    return array
