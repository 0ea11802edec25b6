"""One row through Python: microseconds of a call, hot and with 4 MB touched before each.

mddag's call is predict_one: a label, of every base classifier or under a policy; rivals' calls are
their fastest on one row of a numpy array. Passes over the same 256 rows, one call each; the best of
the medians of several passes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import mddag
from benchmarks.speed.contest import OURS, RIVALS, Contest, Contestant
from benchmarks.speed.models import A10, A50, B, C, Shape, keep_quitting, prepared
from benchmarks.table import digits, spread

FIELDS = ("model", "contestant", "evaluations", "hot_us", "hot_ratio", "cold_us", "cold_ratio")
SHARES = {A10.name: (), A50.name: (), B.name: (0.02, 0.05), C.name: ()}
N_ROWS = 256


def measure(quick: bool) -> Iterator[dict[str, object]]:
    """Rows of the table, as they come; ratios to the first row of each model."""
    for shape in (B,) if quick else (A10, A50, B, C):
        ours = [*_quitting(shape), replace(OURS, name="mddag, all")]
        with Contest([*ours, *RIVALS]) as contest:
            contest.load(prepared(shape))
            yield from told(contest, shape, ours, 2 if quick else 5)


def told(
    contest: Contest, shape: Shape, ours: list[Contestant], n_repeats: int
) -> Iterator[dict[str, object]]:
    taken = {
        kind: contest.times(n_repeats, "one_row", n_rows=N_ROWS, cold=kind == "cold")
        for kind in ("hot", "cold")
    }
    evaluations = {who.name: _evaluations(shape, who) for who in ours}
    for name in contest.contestants:
        row = dict.fromkeys(FIELDS, "") | {"model": shape.name, "contestant": name}
        row["evaluations"] = evaluations.get(name, "")
        if name in contest.absent:
            yield row | {"hot_us": f"absent: {contest.absent[name]}"}
            continue
        for kind, times in taken.items():
            row[f"{kind}_us"] = digits(times[name].min() * 1e6)
            row[f"{kind}_ratio"] = spread(times[name] / times[ours[0].name])
        yield row


def _quitting(shape: Shape) -> list[Contestant]:
    """Policies for single rows decide at every step."""
    folder, quitting = prepared(shape), []
    for share in SHARES[shape.name]:
        file = f"one-{share}.mddag"
        keep_quitting(folder, file, share, every=1)
        name = f"mddag, quits at {share:.0%}"
        quitting.append(replace(OURS, name=name, changes={"file": file}))
    return quitting


def _evaluations(shape: Shape, who: Contestant) -> str:
    folder = prepared(shape)
    X = np.load(folder / "test.npy", mmap_mode="r")[:N_ROWS]
    predictor = mddag.load(folder / who.changes.get("file", "full.mddag"))
    return digits(predictor.n_evaluated(X).mean())
