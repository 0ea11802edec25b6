"""The panels of Figure 2, datasets by false positive rates, and below them one of the DAGs."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.ticker import FixedLocator, FormatStrFormatter, NullLocator

from experiments.detection.cases import NAMES, TITLES
from experiments.detection.methods import METHODS
from mddag import DagDisplay, Trace

TIES = {"split": "ties split (usual ROC curve)", "whole": "ties never split"}
PROTOCOL = {
    "paper": "Policies learned on the training rows of AdaBoost",
    "ours": "Policies learned on held-out rows",
}
HIGHLIGHT = {"paper": "MDDAG.I", "ours": "Rejection"}
# Color and marker; methods that are not here are in the files alone, for too many lines hide each
# other
STYLES = {
    "AdaBoost": ("#555555", "o"),
    "VJCascade": ("#0072B2", "s"),
    "SoftCascade": ("#D55E00", "^"),
    "SoftCascade, D >= 0.98": ("#009E73", "v"),
    "FCBoost": ("#CC79A7", "D"),
    "WaldBoost": ("#8B5A2B", "P"),
    "MDDAG.I": ("#56B4E9", "<"),
    "MDDAG.EXP": ("#E69F00", ">"),
    "MDDAG.I, 11 bins": ("#7A3E9D", "X"),
    "Rejection": ("black", "o"),
}
TICKS = (2, 5, 10, 20, 50, 100)

Lines = list[dict[str, Any]]


def draw_figure(
    lines: Lines, protocol: str, ties: str, dag: tuple[Trace, np.ndarray, str] | None
) -> Any:
    """Return the figure of some lines of `figure2.curves`, all of one protocol and kind of ties.

    `dag` has a trace, the labels of its rows and the title of their dataset.
    """
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    known = {line["method"] for line in lines} & set(STYLES)
    methods = [method for method in METHODS[protocol] if method in known]
    names = [name for name in NAMES if any(line["data"] == name for line in lines)]
    rates = sorted({line["fpr"] for line in lines}, reverse=True)
    heights = [2.9 * len(rates)] + [4.0] * (dag is not None)
    size = max(4.6 * len(names), 9), sum(heights)
    figure = plt.figure(figsize=size, layout="constrained")
    parts = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
    panels = parts[0].subplots(len(rates), len(names), squeeze=False, sharex=True)
    for i, fpr in enumerate(rates):
        for ax, name in zip(panels[i], names, strict=True):
            own = [line for line in lines if (line["data"], line["fpr"]) == (name, fpr)]
            draw_panel(ax, own, methods, HIGHLIGHT[protocol])
            ax.set_title(f"{TITLES[name]}, FPR {100 * fpr:g} %", fontsize=10)
        panels[i, 0].set_ylabel("TPR")
    for ax in panels[-1]:
        ax.set_xlabel("base classifiers evaluated per negative, at most")
    parts[0].legend(
        *panels[0, 0].get_legend_handles_labels(),
        loc="outside upper center",
        ncols=5 if len(names) > 2 else 4,
        frameon=False,
    )
    figure.suptitle(f"{PROTOCOL[protocol]}; {TIES[ties]}")
    if dag is not None:
        trace, labels, title = dag
        classes = np.where(labels > 0, "object", "background")
        display = DagDisplay.from_trace(trace, color=classes, ax=parts[1].subplots())
        display.ax_.set_title(f"a DAG of MDDAG.I, {title}, test rows", loc="right", fontsize=10)
    return figure


def draw_panel(ax: Any, lines: Lines, methods: list[str], highlight: str) -> None:
    """Draw TPR within each bound, means of seeds with standard errors, one line per method."""
    bounds, seeds = (sorted({line[name] for line in lines}) for name in ("bound", "seed"))
    for method in methods:
        tprs = np.full((len(seeds), len(bounds)), np.nan)
        for line in (line for line in lines if line["method"] == method):
            tprs[seeds.index(line["seed"]), bounds.index(line["bound"])] = line["test_tpr"]
        color, marker = STYLES[method]
        thick = method == highlight
        drawn = ax.errorbar(
            bounds,
            tprs.mean(axis=0),  # NaN, not drawn, where a seed has no setting within the bound
            tprs.std(axis=0, ddof=1) / np.sqrt(len(seeds)) if len(seeds) > 1 else None,
            color="black" if thick else color,
            marker="o" if thick else marker,
            ms=5 if thick else 4,
            lw=2.4 if thick else 1.2,
            elinewidth=0.8,
            zorder=3 if thick else 2,
            label=method,
        )
        for bars in drawn.lines[2]:
            bars.set_alpha(0.5)
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(FixedLocator(TICKS))
    ax.xaxis.set_major_formatter(FormatStrFormatter("%g"))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.spines[["right", "top"]].set_visible(False)
    ax.grid(axis="y", color="0.92", lw=0.8)
    ax.set_axisbelow(True)
