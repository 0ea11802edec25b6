"""The plan of the packages, drawn from the import statements of src/mddag: ``make docs``.

Writes architecture.json, which package imports which, and architecture.png. An arrow is an import;
one that also follows from a path of other arrows is left out of the drawing, not of the file.
Layers and the reading of imports are those of tests/test_architecture.py. A package that is new
needs a line in PLACES.
"""

import json
from pathlib import Path

from tests.test_architecture import BELOW_ALL, LAYERS, MODULES, imported, room

DOCS = Path(__file__).parent

# Column of each package in its layer, and what it is.
PLACES = {
    "detection": (0, "objects in images:\nDetector, cascades, Haar"),
    "acquisition": (1, "costly features:\nacquire"),
    "ranking": (2, "queries: exits,\nMDDAGRanker"),
    "integrations": (4, "Dask, Spark, Ray;\nMLflow"),
    "cli": (3, "the program mddag"),
    "tuning": (1, "one target → one policy:\nsparsify, train, sweep"),
    "estimators": (1, "the scikit-learn face:\nfit, predict, trace"),
    "inspection": (2.7, "plots, explained rows,\nthe report"),
    "serving": (3.6, "without scikit-learn:\nPredictor, files, export"),
    "boosting": (0, "rounds of AdaBoost.MH"),
    "solvers": (1, "MDP → Policy: descent,\nexits, SARSA, portfolio"),
    "engine": (2.2, "runs a policy:\nDag, Trace, executors"),
    "learners": (0, "base learners:\nStump, Tree"),
    "policy": (1.8, "Section 2: MDP, grid,\npolicy, calibration"),
    "adapters": (3.7, "models of other\nlibraries → Ensemble"),
    "ensemble": (1.2, "H = (h_1 … h_N):\ntrees, votes, tasks"),
    "metrics": (3.2, "scores and labels\n→ one number"),
    "losses": (2.2, "L of Eq. (6)"),
    "datasets": (0, "two clusters,\nfolds of LETOR"),
}
WIDE, HIGH, ROW = 0.92, 0.62, 1.0  # of a box, and from layer to layer
COLORS = [
    "#f3efe6",
    "#e8f0e4",
    "#e0eef0",
    "#e3e8f4",
    "#ece4f3",
    "#f5e4ec",
    "#f8e6dd",
    "#f8efd2",
]


def graph() -> dict:
    """Layers from below, and the packages that the files of each package import."""
    names = [sorted(layer - {"__init__"}) for layer in LAYERS]
    imports: dict[str, set[str]] = {name: set() for layer in names for name in layer}
    for path in MODULES:
        if room(path) in imports:
            imports[room(path)] |= {name.split(".")[0] for name in imported(path)} - {room(path)}
    return {"layers": names, "imports": {name: sorted(imports[name]) for name in sorted(imports)}}


def arrows(imports: dict[str, list[str]]) -> list[tuple[str, str]]:
    """The imports that no path of other imports implies."""
    drawn = {name: set(targets) - BELOW_ALL for name, targets in imports.items()}
    below = {}
    for layer in LAYERS:  # from below, so that targets are ready
        for name in layer & drawn.keys():
            below[name] = drawn[name].union(*(below[target] for target in drawn[name]))
    return [
        (name, target)
        for name, targets in sorted(drawn.items())
        for target in sorted(targets)
        if not any(target in below[other] for other in targets)
    ]


def draw(plan: dict, path: Path) -> None:
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(15, 10.8))
    row = {name: i * ROW for i, layer in enumerate(plan["layers"]) for name in layer}
    for i, layer in enumerate(plan["layers"]):
        ax.text(-0.62, i * ROW, str(i), ha="center", va="center", color="#999999", fontsize=11)
        for name in layer:
            box(ax, PLACES[name][0], i * ROW, name, PLACES[name][1], COLORS[i])
    for name, target in arrows(plan["imports"]):
        arrow(ax, (PLACES[name][0], row[name]), (PLACES[target][0], row[target]))
    below = "checks, read-only arrays, parameters; the native core. Any package may import them."
    box(ax, 2, -0.85 * ROW, "_utils, _core", below, "#eeeeee", wide=4 + WIDE)
    ax.set(xlim=(-0.75, 4.55), ylim=(-1.3 * ROW, (len(plan["layers"]) - 0.6) * ROW))
    ax.axis("off")
    figure.savefig(path, dpi=100, bbox_inches="tight", metadata={"Software": None})
    plt.close(figure)


def box(ax, x, y, name, caption, color, wide=WIDE):
    from matplotlib.patches import FancyBboxPatch

    corner = (x - wide / 2, y - HIGH / 2)
    style = "round,pad=0,rounding_size=0.06"
    ax.add_patch(FancyBboxPatch(corner, wide, HIGH, boxstyle=style, fc=color, ec="#666666", lw=1))
    ax.text(x, y + 0.18, name, ha="center", va="center", fontsize=14, fontweight="bold")
    ax.text(x, y - 0.1, caption, ha="center", va="center", fontsize=10.5, linespacing=1.1)


def arrow(ax, start, end):
    """From the foot of one box to the head of another, nearer to each other than their centers."""
    lean = max(-0.3, min(0.3, (end[0] - start[0]) / 3)) * WIDE
    foot, head = (start[0] + lean, start[1] - HIGH / 2), (end[0] - lean, end[1] + HIGH / 2)
    style = {"arrowstyle": "-|>", "color": "#33557a", "lw": 1.3, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", head, foot, arrowprops=style, zorder=0)


def main() -> None:
    plan = graph()
    (DOCS / "architecture.json").write_text(json.dumps(plan, indent=1) + "\n")
    draw(plan, DOCS / "architecture.png")


if __name__ == "__main__":
    main()
