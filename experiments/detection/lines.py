"""TPR at a fixed FPR against mean evaluations on negatives: one line for each method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mddag.inspection.plotting._axes import GREY, LABEL_SIZE, OKABE_ITO, log_if_wide

COLORS = (GREY, *OKABE_ITO[:6])  # yellow lines can hardly be seen
MARKERS = "os^vD<>"


def draw_lines(
    ax: Any, tprs: dict[str, np.ndarray], bounds: Sequence[float], fpr: float, highlight: str
) -> None:
    """Draw TPRs (n_seeds, n_bounds) of methods: means with standard errors, where every seed has a
    setting within the bound; the line of one method is thick."""
    others = [name for name in tprs if name != highlight]
    for name, values in tprs.items():
        thick, n_seeds = name == highlight, len(values)
        k = 0 if thick else others.index(name)
        error = values.std(axis=0, ddof=1) / np.sqrt(n_seeds) if n_seeds > 1 else None
        drawn = ax.errorbar(
            bounds,
            values.mean(axis=0),
            error,
            color="black" if thick else COLORS[k % len(COLORS)],
            marker="o" if thick else MARKERS[k % len(MARKERS)],
            ms=5 if thick else 4,
            lw=2.4 if thick else 1.2,
            elinewidth=0.8,
            zorder=3 if thick else 2,
            label=name,
        )
        for bars in drawn.lines[2]:
            bars.set_alpha(0.5)
    log_if_wide(ax, np.asarray(bounds, np.float64))
    ax.set_xlabel("mean base classifiers evaluated on negatives, at most")
    ax.set_ylabel(f"TPR at FPR {100 * fpr:g} %")
    ax.spines[["right", "top"]].set_visible(False)
    ax.grid(axis="y", color="0.92", lw=0.8)
    ax.set_axisbelow(True)
    ax.legend(fontsize=LABEL_SIZE, frameon=False)
