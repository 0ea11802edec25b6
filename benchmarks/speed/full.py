"""Full evaluation of the five shapes: nanoseconds per row, and rivals / mddag.

One thread on float32 rows; two threads on 100 000 rows; float64 rows; models trained and asked with
a tenth of the values missing. To the last the rivals with models of their own are not asked, and
lleaves, which compiles each model and dtype for seconds to minutes, takes part in the last two with
small ensembles alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np

from benchmarks.speed.contest import LLEAVES, OURS, RIVALS, Contest
from benchmarks.speed.models import SHAPES, Shape, prepared
from benchmarks.table import digits, spread

FIELDS = ("model", "rows", "contestant", "ns_per_row", "ratio", "difference", "absent")
SAME_TREES = [rival for rival in RIVALS if rival.same_trees]
SMALL = 8_000  # leaves of an ensemble that lleaves compiles again
HUGE = 30_000  # that it does not compile at all
N_COMPARED = 1000


def measure(quick: bool) -> Iterator[dict[str, object]]:
    """Rows of the table, as they come."""
    n_rows, n_repeats = (2_000, 2) if quick else (20_000, 5)
    shapes = SHAPES[1:3] if quick else SHAPES
    with Contest([OURS, *RIVALS]) as contest:
        for shape in shapes:
            contest.load(prepared(shape), without=huge(shape))
            yield from measured(contest, shape, "float32", n_repeats, n_rows)
            yield from measured(contest, shape, "2 threads", 3, 5 * n_rows, n_jobs=2)
            contest.absent.update(too_large(shape))
            yield from measured(contest, shape, "float64", 3, n_rows, dtype="float64")
    with Contest([OURS, *SAME_TREES]) as contest:
        for shape in shapes:
            contest.load(prepared(shape.with_missing()), without=too_large(shape))
            yield from measured(contest, shape, "10 % missing", 3, n_rows)


def plot(rows: list[dict[str, object]], path: Path) -> None:
    """Nanoseconds per row of all contestants on float32 rows, one thread."""
    plain = [row for row in rows if row["rows"] == "float32"]
    models = list(dict.fromkeys(row["model"] for row in plain))
    names = list(dict.fromkeys(row["contestant"] for row in plain))
    figure, axes = plt.subplots(figsize=(8, 4))
    width = 0.8 / len(names)
    for i, name in enumerate(names):
        bars = [
            (models.index(row["model"]) + i * width, float(row["ns_per_row"]))
            for row in plain
            if row["contestant"] == name and row["ns_per_row"]
        ]
        axes.bar(*np.reshape(bars, (-1, 2)).T, width, label=name)
    axes.set_xticks(np.arange(len(models)) + 0.4 - width / 2, models)
    axes.set(yscale="log", ylabel="ns per row, one thread", title="every base classifier")
    axes.legend(fontsize="small", ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.1))
    figure.savefig(path, dpi=120, bbox_inches="tight")
    plt.close(figure)


def huge(shape: Shape) -> dict[str, str]:
    """64 000 leaves take lleaves more than six minutes; compiled by hand, they take part."""
    compiled = prepared(shape) / "lleaves-float32.o"
    if shape.n_trees * shape.n_leaves <= HUGE or compiled.exists():
        return {}
    return {LLEAVES.name: "not compiled: takes more than 6 minutes"}


def too_large(shape: Shape) -> dict[str, str]:
    if shape.n_trees * shape.n_leaves <= SMALL:
        return {}
    return {LLEAVES.name: "not compiled again: takes minutes"}


def measured(
    contest: Contest, shape: Shape, rows: str, n_repeats: int, n_rows: int, **asked: object
) -> Iterator[dict[str, object]]:
    """A condition: best nanoseconds per row, and the ratios to ours within the repeats."""
    taken = contest.times(n_repeats, "batch", n_rows=n_rows, **asked)
    differences = largest_differences(contest)
    for name in contest.contestants:
        row = dict.fromkeys(FIELDS, "") | {"model": shape.name, "rows": rows, "contestant": name}
        if name in taken:
            row["ns_per_row"] = digits(taken[name].min() / n_rows * 1e9)
            row["ratio"] = spread(taken[name] / taken[OURS.name])
            row["difference"] = differences.get(name, "")
        else:
            row["absent"] = contest.absent[name]
        yield row


def largest_differences(contest: Contest) -> dict[str, str]:
    """Between our raw scores and those of each rival with the same trees, on some rows."""
    scores = {}
    with TemporaryDirectory() as folder:
        for name, contestant in contest.contestants.items():
            path = Path(folder) / f"{contestant.member}.npy"
            if contestant.same_trees and contestant.raw_scores:
                contest.ask(name, "save_scores", n_rows=N_COMPARED, path=str(path))
            if path.exists():
                scores[name] = np.load(path).reshape(N_COMPARED, -1)
    ours = scores.pop(OURS.name)
    return {name: f"{np.abs(theirs - ours).max():.1e}" for name, theirs in scores.items()}
