"""The panels of Figure 2: datasets by false positive rates and ties, and one of the DAGs below."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np

from experiments.detection.cases import NAMES, TITLES
from experiments.detection.lines import draw_lines
from experiments.detection.methods import METHODS
from mddag import DagDisplay, Trace

TIES = {"split": "usual ROC curve", "whole": "ties never split"}
# Eight lines can be told from each other; the files have all methods
LEFT_OUT = ("MDDAG.EXP, 128 bins", "MDDAG.I, exact solver", "MDDAG.I, FP x 10, exact")
HIGHLIGHT = {"paper": "MDDAG.I", "ours": "Rejection"}
SAID = {
    "paper": "Policies learned on the rows of AdaBoost",
    "ours": "Policies learned on held-out rows",
}


def drawn(
    lines: list[dict[str, Any]], protocol: str, ties: str, dag: tuple[Trace, np.ndarray] | None
) -> Any:
    """The figure; `lines` are those of curves.csv for one protocol and kind of ties."""
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    known = {line["method"] for line in lines} - set(LEFT_OUT)
    methods = [method for method in METHODS[protocol] if method in known]
    names = [name for name in NAMES if any(line["data"] == name for line in lines)]
    rows = list(dict.fromkeys(line["fpr"] for line in lines))
    height = 2.9 * len(rows)
    n_below = 0 if dag is None else 1
    figure = plt.figure(
        figsize=(max(4.6 * len(names), 9), height + 4 * n_below), layout="constrained"
    )
    parts = figure.subfigures(
        1 + n_below, 1, height_ratios=(height, 4)[: 1 + n_below], squeeze=False
    )
    above = parts[0, 0]
    panels = above.subplots(len(rows), len(names), squeeze=False, sharex=True)
    for i, fpr in enumerate(rows):
        for k, name in enumerate(names):
            ax = panels[i, k]
            own = [line for line in lines if (line["data"], line["fpr"]) == (name, fpr)]
            panel(ax, own, methods, HIGHLIGHT[protocol], fpr)
            ax.set_title(f"{TITLES[name]}, FPR {100 * fpr:g} %", fontsize=10)
            if i < len(rows) - 1:
                ax.set_xlabel("")
            ax.set_ylabel("TPR" if k == 0 else "")
            ax.get_legend().remove()
    above.legend(
        *panels[0, 0].get_legend_handles_labels(),
        loc="outside upper center",
        ncols=len(methods) if len(names) > 2 else 4,
        frameon=False,
    )
    figure.suptitle(f"{SAID[protocol]}; {TIES[ties]}")
    if dag is not None:
        classes = np.where(dag[1] > 0, "object", "background")
        display = DagDisplay.from_trace(dag[0], color=classes, ax=parts[1, 0].subplots())
        display.ax_.set_title(f"a DAG of MDDAG.I, {TITLES[names[0]]}, test rows", loc="right")
    return figure


def panel(
    ax: Any, lines: list[dict[str, Any]], methods: list[str], highlight: str, fpr: float
) -> None:
    bounds = sorted({line["bound"] for line in lines})
    seeds = sorted({line["seed"] for line in lines})
    tprs = {method: np.full((len(seeds), len(bounds)), np.nan) for method in methods}
    for line in (line for line in lines if line["method"] in methods):
        at = seeds.index(line["seed"]), bounds.index(line["bound"])
        tprs[line["method"]][at] = line["test_tpr"]
    draw_lines(ax, tprs, bounds, fpr, highlight)
