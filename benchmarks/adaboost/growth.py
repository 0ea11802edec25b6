"""How training time grows: processor seconds by rows, features and rounds; 255 bins."""

from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.clock import seconds
from mddag import AdaBoostMHClassifier
from mddag.learners import Stump, Tree

FIELDS = ("grows", "size", "learner", "seconds")
START = {"rows": 10_000, "features": 20, "rounds": 50}
GROWTH = {
    "rows": (5_000, 10_000, 20_000, 40_000, 80_000, 160_000),
    "features": (5, 10, 20, 40, 80, 160),
    "rounds": (25, 50, 100, 200, 400, 800),
}


def measure():
    """One row per point: the best of three fits."""
    for grows, sizes in GROWTH.items():
        for size in sizes:
            for learner in (Stump(), Tree(8)):
                best = fastest(learner, **{**START, grows: size})
                cells = (grows, size, repr(learner), f"{best:.3f}")
                yield dict(zip(FIELDS, cells, strict=True))


def fastest(learner, rows, features, rounds):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, features))
    y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=rows) > 0).astype(int)
    model = AdaBoostMHClassifier(learner, n_rounds=rounds, max_bins=255)
    return min(seconds(lambda: model.fit(X, y), process_time) for _ in range(3))


def plot(table, path: Path):
    """Three curves in logarithmic axes, with a line of slope 1 to compare."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), sharey=True, layout="constrained")
    for axis, (grows, sizes) in zip(axes, GROWTH.items(), strict=True):
        for learner in (Stump(), Tree(8)):
            lines = [r for r in table if (r["grows"], r["learner"]) == (grows, repr(learner))]
            x, y = [int(r["size"]) for r in lines], [float(r["seconds"]) for r in lines]
            axis.loglog(x, y, "o-", label=repr(learner))
        straight = y[-1] / 3 * np.array(sizes) / sizes[-1]
        axis.loglog(sizes, straight, "--", color="0.6", label="slope 1")
        fixed = ", ".join(f"{v:,} {k}" for k, v in START.items() if k != grows)
        axis.set(xlabel=grows, title=f"at {fixed}")
        axis.set_xticks(sizes, [f"{s:,}" for s in sizes], rotation=40, fontsize=8)
        axis.minorticks_off()
    axes[0].set_ylabel("processor seconds to fit")
    axes[0].legend()
    figure.savefig(path, dpi=150)
