"""The picture: evaluations by what they cost in error, a panel per data set and ensemble.

Each line is a method read at several tolerances, the geometric mean over the seeds; the dotted
lines are the two tolerances of the tables.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.quality_fixed.curves import TOLERANCES, Point, by_method, reading

LADDER = np.array([0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 1.4, 2.0]) / 100
LINES = {
    "default": {"color": "C3", "lw": 2.2},
    "prefix": {"color": "0.65"},
    "smaller model": {"color": "C2"},
    "margin": {"color": "C0"},
    "pred_early_stop": {"color": "C0", "ls": ":"},
    "QWYC": {"color": "C1"},
    "QWYC, own order": {"color": "C1", "ls": "--"},
    "Prefix + order": {"color": "0.65", "ls": "--"},
    "Sarsa": {"color": "C4", "ls": "-."},
}


def picture(solved: list[dict[str, Any]], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    panels: dict[tuple[str, str], list[dict[str, list[Point]]]] = {}
    for problem in solved:
        panels.setdefault((problem["ensemble"], problem["data"]), []).append(by_method(problem))
    columns = min(len(panels), 4)
    rows = -(-len(panels) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(3.4 * columns, 2.7 * rows + 0.5), squeeze=False, sharey=True
    )
    for axis, (key, seeds) in zip(axes.flat, panels.items(), strict=False):
        panel(axis, key, seeds)
    for axis in axes.flat[len(panels) :]:
        axis.set_axis_off()
    handles = [plt.Line2D([], [], **style) for style in LINES.values()]
    figure.supxlabel("mean evaluations")
    figure.supylabel("points above the full error")
    figure.legend(handles, LINES, loc="outside upper center", ncols=5, fontsize=9)
    figure.set_layout_engine("constrained")
    figure.savefig(path, dpi=130)
    plt.close(figure)


def panel(axis: Any, key: tuple[str, str], seeds: list[dict[str, list[Point]]]) -> None:
    for method, style in LINES.items():
        if method in seeds[0]:
            logs = [
                [np.log(reading(curves[method], curves["full"][0], t)) for t in LADDER]
                for curves in seeds
            ]
            axis.semilogx(np.exp(np.mean(logs, axis=0)), 100 * LADDER, **style)
    for tolerance in TOLERANCES:
        axis.axhline(100 * tolerance, color="k", lw=0.5, ls=":")
    axis.set_title(f"{key[1]}, {key[0]}", fontsize=9)
    axis.set_ylim(0, 100 * LADDER[-1])
    axis.xaxis.set_major_formatter("{x:g}")
    axis.xaxis.set_minor_formatter("")
