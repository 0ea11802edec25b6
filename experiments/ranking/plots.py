"""The panels of Figure 3: MeanNDCG by labels for the paper's way and for LambdaMART, and below what
exits lose against the full order of LambdaMART. A column for each data set."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np

from experiments.ranking.cases import NAMES, TITLES

PAPER = {
    "paper, AdaBoost.MH": {"color": "#777777", "lw": 1.2},
    "paper, MDDAG.I": {"color": "#D55E00", "lw": 1.8, "marker": "s"},
    "paper, MDDAG.EXP": {"color": "#CC79A7", "lw": 1.8, "marker": "D"},
    "paper, MDDAG.I, exact solver": {"color": "#0072B2", "lw": 1.8, "marker": "^"},
    "paper, MDDAG.EXP, exact solver": {"color": "#56B4E9", "lw": 1.8, "marker": "v"},
}
ALONE = {
    "AdaBoost.MH": {"color": "#777777", "lw": 1.2},
    "AdaBoost.MH, best prefix": {"color": "#000000", "lw": 1.2, "marker": "o"},
    "MDDAG, Sarsa": {"color": "#D55E00", "lw": 1.8, "marker": "s"},
    "MDDAG, Portfolio": {"color": "#0072B2", "lw": 1.8, "marker": "^"},
}
QUERIES = {
    "LambdaMART": {"color": "#777777", "lw": 1.2},
    "PrefixExits": {"color": "#000000", "lw": 1.2},
    "QueryExits": {"color": "#E69F00", "lw": 1.2},
    "ScoreExits": {"color": "#CC79A7", "lw": 1.2},
    "CapacityExits": {"color": "#8B5A2B", "lw": 1.2},
    "RankExits": {"color": "#56B4E9", "lw": 1.2},
    "ProximityExits": {"color": "#009E73", "lw": 1.2},
    "LEAR, classifier free": {"color": "#7A3E9D", "lw": 1.2},
    "LEAR, classifier counted": {"color": "#7A3E9D", "lw": 1.2, "ls": "--"},
    "UrgencyExits": {"color": "#D55E00", "lw": 2.2},
}
SAID = {"PrefixExits": "prefix, new order", "LambdaMART": "LambdaMART, first trees"}
SAID |= {method: method.removeprefix("paper, ") for method in PAPER}
LABELS = "MeanNDCG (LETOR 4.0)"
LEAST_LOST = 5e-4
NOTE = {"mq2007": "MQ2007 has 85 % of its documents here"}

Lines = list[dict[str, Any]]


def draw_figure(lines: Lines, n_folds: int) -> Any:
    """The figure; `lines` are those of curves.csv."""
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    names = [name for name in NAMES if any(line["data"] == name for line in lines)]
    known = {line["method"] for line in lines}
    rows = {what: panel for what, panel in PANELS.items() if known & set(panel[1])}
    size = max(6.2 * len(names), 8), 4.4 * len(rows)
    figure, panels = plt.subplots(
        len(rows), len(names), figsize=size, layout="constrained", squeeze=False
    )
    for row, (what, (draw, styles)) in zip(panels, rows.items(), strict=True):
        for ax, name in zip(row, names, strict=True):
            own = [line for line in lines if line["data"] == name]
            if not any(line["method"] in styles for line in own):
                ax.set_axis_off()  # not run on this dataset
                continue
            draw(ax, own, styles)
            ax.set_title(f"{TITLES[name]}: {what}")
            finished(ax)
        for ax in row[1:] if row[0].axison else ():
            ax.set_ylabel("")
        row[-1].legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    notes = [NOTE[name] for name in names if name in NOTE]
    figure.suptitle("; ".join([f"{n_folds} official folds of LETOR 4.0", *notes]))
    return figure


def alone_panel(ax: Any, lines: Lines, styles: dict[str, Any]) -> None:
    by_labels(ax, lines, styles)
    full = [line for line in lines if line["method"] == "LambdaMART"][-1]["mean_ndcg"]
    ax.axhline(full, color="#009E73", ls=":", lw=1.4, label="LambdaMART, all trees")
    banded(ax, lines, "AdaBoost.MH")
    ax.set_ylim(top=max(ax.get_ylim()[1], full + 0.004))


def paper_panel(ax: Any, lines: Lines, styles: dict[str, Any]) -> None:
    by_labels(ax, lines, styles)
    banded(ax, lines, "paper, AdaBoost.MH")


def query_panel(ax: Any, lines: Lines, styles: dict[str, Any]) -> None:
    by_labels(ax, lines, styles)
    banded(ax, lines, "UrgencyExits")


def by_labels(ax: Any, lines: Lines, styles: dict[str, Any]) -> None:
    for method, style in styles.items():
        if not any(line["method"] == method for line in lines):
            continue  # no setting is within any bound in all folds
        x, y = curve(lines, method, "mean_ndcg")
        ax.plot(x, y, ms=4, label=SAID.get(method, method), **style)
    ax.set_xscale("log")
    ax.set_ylabel(LABELS)
    seen = [line["mean_ndcg"] for line in lines if line["method"] in styles]
    low, high = np.quantile(seen, 0.06), max(seen)
    ax.set_ylim(low - 0.1 * (high - low), high + 0.15 * (high - low))


def lost_panel(ax: Any, lines: Lines, styles: dict[str, Any]) -> None:
    for method, style in styles.items():
        x, y = curve(lines, method, "lost")
        seen = y >= LEAST_LOST
        ax.plot(x[seen], y[seen], label=SAID.get(method, method), **style)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_ylim(LEAST_LOST, 0.1)
    ax.set_ylabel("MeanNDCG lost against the full order")


def curve(lines: Lines, method: str, column: str) -> tuple[np.ndarray, np.ndarray]:
    """Points by evaluations."""
    own = sorted((ln["evaluations"], ln[column]) for ln in lines if ln["method"] == method)
    points = np.array(own)
    return points[:, 0], points[:, 1]


def banded(ax: Any, lines: Lines, method: str) -> None:
    """Two standard errors of the difference from the full model, about the curve."""
    x, y = curve(lines, method, "mean_ndcg")
    _, error = curve(lines, method, "minus_full_error")
    ax.fill_between(
        x, y - 2 * error, y + 2 * error, color="#999999", alpha=0.2, lw=0, label="± 2 paired errors"
    )


def finished(ax: Any) -> None:
    from matplotlib.ticker import FixedLocator, FormatStrFormatter, NullFormatter

    ax.set_xlabel("evaluations per document")
    ax.set_xlim(1, max(line.get_xdata()[-1] for line in ax.lines))
    ax.xaxis.set_major_locator(FixedLocator([1, 2, 5, 10, 20, 50, 100, 200, 500]))
    ax.xaxis.set_major_formatter(FormatStrFormatter("%g"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.grid(alpha=0.25, which="both", lw=0.5)


PANELS: dict[str, tuple[Any, dict[str, Any]]] = {
    "the paper's protocol": (paper_panel, PAPER),
    "AdaBoost.MH, documents alone, by labels": (alone_panel, ALONE),
    "LambdaMART, by labels": (query_panel, QUERIES),
    "LambdaMART, against its own order": (lost_panel, QUERIES),
}
