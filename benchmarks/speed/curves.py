"""Cost per row against evaluations, base classifiers, classes, leaves and rows in a batch.

One thread, float32 rows, 1000 trees of 8 leaves unless the curve says otherwise; LightGBM on the
same trees compared with mddag. Curves over classes and leaves are of 100 and 200 rounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import lightgbm as lgb
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import NullFormatter

from benchmarks.speed.contest import LIGHTGBM, OURS, Contest
from benchmarks.speed.models import CACHE, B, Shape, keep_full, keep_quitting, prepared
from benchmarks.table import digits

FIELDS = ("curve", "x", "contestant", "ns_per_row")
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
ROUNDS = (10, 30, 100, 300, 1000)
CLASSES = (2, 3, 5, 10, 26)
LEAVES = (2, 4, 8, 16, 32, 64, 128, 256)
ROWS = (1, 4, 16, 32, 64, 256, 1024, 4096, 16384, 100_000)
EVERY = (1, 16)
COLOURS = {
    "LightGBM": "grey",
    "mddag": "C0",
    "mddag, all": "C0",
    "mddag, every=1": "C1",
    "mddag, every=16": "C2",
}
SOME = slice(None, None, 3)  # of the points, where it must be quick


def measure(quick: bool) -> Iterator[dict[str, object]]:
    """Rows of the table, as they come."""
    few = SOME if quick else slice(None)
    n_rows, n_repeats = (1_000, 2) if quick else (10_000, 3)
    yield from against_evaluations(SHARES[few], n_rows, n_repeats)
    with Contest([OURS, LIGHTGBM]) as contest:
        for n_rounds in ROUNDS[few]:
            yield from point(contest, "trees", n_rounds, prefix(n_rounds), n_rows, n_repeats)
        for shape in [of_classes(k) for k in CLASSES[few]]:
            yield from point(
                contest, "classes", shape.n_classes, prepared(shape), n_rows, n_repeats
            )
        for shape in [of_leaves(n) for n in LEAVES[few]]:
            yield from point(contest, "leaves", shape.n_leaves, prepared(shape), n_rows, n_repeats)
        for n in ROWS[few]:
            yield from point(contest, "rows", n, prepared(B), n, n_repeats)


def against_evaluations(shares, n_rows: int, n_repeats: int) -> Iterator[dict[str, object]]:
    """Policies that quit at shares, and evaluating everything next to each of them."""
    folder, names = prepared(B), [f"mddag, every={every}" for every in EVERY]
    rows = np.load(folder / "test.npy", mmap_mode="r")[:n_rows]
    quitting = [replace(OURS, name=name, changes={"file": f"{name}.mddag"}) for name in names]
    with Contest([*quitting, replace(OURS, name="mddag, all")]) as contest:
        for share in shares:
            dags = [
                keep_quitting(folder, f"{name}.mddag", share, every)
                for name, every in zip(names, EVERY, strict=True)
            ]
            contest.load(folder)
            taken = contest.times(n_repeats, "batch", n_rows=n_rows)
            evaluations = [dag.run(rows).n_evaluated.mean() for dag in dags]
            for x, (name, times) in zip(
                [*evaluations, share * B.n_rounds], taken.items(), strict=True
            ):
                yield _row("evaluations", digits(x), name, times.min() / n_rows)


def point(
    contest: Contest, curve: str, x: int, folder: Path, n_rows: int, n_repeats: int
) -> Iterator[dict[str, object]]:
    contest.load(folder)
    for name, times in contest.times(n_repeats, "batch", n_rows=n_rows).items():
        yield _row(curve, x, name, times.min() / n_rows)


def prefix(n_rounds: int) -> Path:
    """The folder of the first rounds of B."""
    if n_rounds == B.n_rounds:
        return prepared(B)
    source, folder = prepared(B), CACHE / f"B-{n_rounds}"
    folder.mkdir(exist_ok=True)
    booster = lgb.Booster(model_file=source / "lightgbm.txt")
    booster.save_model(folder / "lightgbm.txt", num_iteration=n_rounds)
    (folder / "shape.json").write_text((source / "shape.json").read_text())
    np.save(folder / "test.npy", np.load(source / "test.npy", mmap_mode="r")[:10_000])
    keep_full(folder)
    return folder


def of_classes(n_classes: int) -> Shape:
    name = f"classes-{n_classes}"
    return Shape(name, 50, n_rounds=100, n_classes=n_classes, n_train=5_000)


def of_leaves(n_leaves: int) -> Shape:
    return Shape(f"leaves-{n_leaves}", 50, n_rounds=200, n_leaves=n_leaves, n_train=10_000)


def plot(rows: list[dict[str, object]], path: Path) -> None:
    """One panel per curve, both axes logarithmic."""
    curves = list(dict.fromkeys(row["curve"] for row in rows))
    figure, panels = plt.subplots(1, len(curves), figsize=(4 * len(curves), 3.6), sharey=True)
    for curve, axes in zip(curves, panels, strict=True):
        points = [row for row in rows if row["curve"] == curve]
        for name in dict.fromkeys(row["contestant"] for row in points):
            x, y = np.array(
                [(r["x"], r["ns_per_row"]) for r in points if r["contestant"] == name], float
            ).T
            axes.plot(x, y, "o-", markersize=3, label=name, color=COLOURS.get(name))
        axes.set(xscale="log", yscale="log", xlabel=curve)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.legend(fontsize="small")
    panels[0].set_ylabel("ns per row")
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    plt.close(figure)


def _row(curve: str, x: object, name: str, seconds: float) -> dict[str, object]:
    return dict(zip(FIELDS, (curve, x, name, digits(seconds * 1e9)), strict=True))
