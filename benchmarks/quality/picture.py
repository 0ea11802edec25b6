"""The picture: nodes by what they cost in error, a panel for each data set and library.

Each line is a method read at several tolerances, the geometric mean over the seeds; the dotted
lines are the two tolerances of the tables, the cross is the full model.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.quality.curves import TOLERANCES, cost, reading
from benchmarks.quality.ours import SPARSIFY, TRAIN
from benchmarks.quality.rivals import JOINT

LADDER = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 1.4, 2.0]) / 100
UNIT = "nodes"
TICKS = [n * 10**k for k in range(6) for n in (1, 3)]
LINES = {
    "prefix": ("prefix", {"color": "0.75"}),
    "margin": ("margin rule", {"color": "C0", "lw": 1}),
    "smaller model": ("smaller model", {"color": "C2", "lw": 1}),
    JOINT: ("best rival", {"color": "k", "lw": 1.8}),
    SPARSIFY[UNIT]: ("mddag.sparsify", {"color": "C1", "lw": 1.8}),
    TRAIN[UNIT]: ("mddag.train", {"color": "C3", "lw": 2.2}),
}


def picture(solved: list[dict[str, Any]], path: Path) -> None:
    """Draw all problems."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    panels: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for problem in solved:
        panels.setdefault((problem["library"], problem["data"]), []).append(problem)
    columns = min(len(panels), 5)
    rows = -(-len(panels) // columns)
    size = (2.7 * columns, 2.3 * rows + 0.8)
    figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False, sharey=True)
    for axis, (key, seeds) in zip(axes.flat, panels.items(), strict=False):
        panel(axis, key, seeds)
    for axis in axes.flat[len(panels) :]:
        axis.set_axis_off()
    handles = [plt.Line2D([], [], **style) for _, style in LINES.values()]
    names = [name for name, _ in LINES.values()]
    figure.supxlabel("nodes visited per row")
    figure.supylabel("points above the full model's error")
    figure.legend(handles, names, loc="outside upper center", ncols=len(names), fontsize=9)
    figure.set_layout_engine("constrained")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def panel(axis: Any, key: tuple[str, str], seeds: list[dict[str, Any]]) -> None:
    """One data set and library."""
    from matplotlib.ticker import FixedLocator

    for method, (_, style) in LINES.items():
        logs = [read(seed, method) for seed in seeds if method in seed["curves"]]
        if logs:
            axis.semilogx(np.exp(np.mean(logs, axis=0)), 100 * LADDER, **style)
    full = np.exp(np.mean([np.log(cost(seed["full"]["test"], UNIT)) for seed in seeds]))
    axis.plot([full], [0], "x", color="k", ms=5, clip_on=False)
    for tolerance in TOLERANCES:
        axis.axhline(100 * tolerance, color="k", lw=0.5, ls=":")
    axis.set_title(f"{key[1]}, {key[0]}", fontsize=8.5)
    axis.xaxis.set_major_locator(FixedLocator(TICKS))
    axis.xaxis.set_major_formatter("{x:g}")
    axis.xaxis.set_minor_formatter("")
    axis.set_ylim(0, 100 * LADDER[-1])
    axis.tick_params(labelsize=8)


def read(problem: dict[str, Any], method: str) -> list[float]:
    """The logarithm of the cost on each rung of the ladder."""
    full = problem["full"]["test"]
    points = [(cost(p["test"], UNIT), p["test"][0]) for p in problem["curves"][method][UNIT]]
    return [np.log(reading(points, (cost(full, UNIT), full[0]), t)[0]) for t in LADDER]
