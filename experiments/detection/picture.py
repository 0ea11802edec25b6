"""The panels of Figure 2: data sets by false positive rates, and one of the DAGs below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np

from experiments.detection.cases import NAMES, TITLES
from experiments.detection.methods import METHODS
from mddag import DagDisplay, DetectionDisplay, Trace

LOWEST = {"vj": 0.5, "cbcl": 0.0, "dped": 0.0}  # of the TPR axis at the first rate


def drawn(lines: list[dict[str, Any]], trace: Trace, y: np.ndarray, rates: Sequence[float]) -> Any:
    """The figure; `lines` are those of curves.csv."""
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    names = [name for name in NAMES if any(line["data"] == name for line in lines)]
    figure = plt.figure(figsize=(max(4.6 * len(names), 9), 11.5), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=(2.4, 1))
    panels = above.subplots(len(rates), len(names), squeeze=False)
    for (i, fpr), (k, name) in ((r, n) for r in enumerate(rates) for n in enumerate(names)):
        ax = panels[i, k]
        panel(ax, [line for line in lines if line["data"] == name and line["fpr"] == fpr], fpr)
        ax.set_title(f"{TITLES[name]}, FPR {100 * fpr:g} %")
        ax.set_ylim(LOWEST[name] if i == 0 else 0.0, None)
        if i < len(rates) - 1:
            ax.set_xlabel("")
        ax.set_ylabel("TPR" if k == 0 else "")
        ax.get_legend().remove()
    named = panels[0, 0].get_legend_handles_labels()
    above.legend(
        *named,
        loc="outside upper center",
        ncols=len(METHODS) if len(names) > 2 else 4,
        frameon=False,
    )
    classes = np.where(y > 0, "object", "background")
    display = DagDisplay.from_trace(trace, color=classes, ax=below.subplots())
    display.ax_.set_title(f"a DAG of MDDAG.I, {TITLES[names[0]]}, test rows", loc="right")
    return figure


def panel(ax: Any, lines: list[dict[str, Any]], fpr: float) -> None:
    bounds = sorted({line["bound"] for line in lines})
    seeds = sorted({line["seed"] for line in lines})
    tprs = {method: np.full((len(seeds), len(bounds)), np.nan) for method in METHODS}
    for line in lines:
        at = seeds.index(line["seed"]), bounds.index(line["bound"])
        tprs[line["method"]][at] = line["test_tpr"]
    DetectionDisplay(tprs, bounds, fpr=fpr, highlight="Rejection").plot(ax)
