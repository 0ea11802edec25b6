"""How long one round of a learner takes: nanoseconds per row, column and class.

Random columns and random signs: the worst case for branch prediction and for caches. Repeats of all
settings are interleaved and the best is kept, so that a busy machine disturbs the ratios less. One
thread is measured in processor time, several in elapsed time, which needs a machine at rest.
The growth curves double rows, columns, classes, leaves; equal numbers mean linear growth.

    python -m benchmarks.parts.learners [--repeats 7] [--out FILE]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.clock import seconds
from benchmarks.places import RESULTS
from benchmarks.table import kept
from mddag.learners import Stump, Tree
from mddag.learners.columns import Columns

FIELDS = ("learner", "group", "n", "d", "n_classes", "max_bins", "n_jobs", "code",
          "milliseconds", "ns_per_entry_and_class")  # fmt: skip


@dataclass
class Setting:
    group: str
    learner: Any
    n: int = 20_000
    d: int = 50
    n_classes: int = 1
    max_bins: int | None = 255
    n_jobs: int = 1
    seconds: float = field(default=np.inf)
    code: str = ""

    def prepare(self) -> None:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(self.n, self.d))
        self._columns = Columns.from_rows(X, max_bins=self.max_bins, n_jobs=self.n_jobs)
        self._targets = rng.choice(np.array([-1, 1], np.int8), (self.n, self.n_classes))
        weights = rng.random((self.n, self.n_classes))
        self._weights = weights / weights.sum()
        self.code = str(self._columns.codes.dtype)

    def run(self) -> None:
        clock = time.process_time if self.n_jobs == 1 else time.perf_counter
        rows = self._columns, self._targets, self._weights
        self.seconds = min(self.seconds, seconds(lambda: self.learner.fit(*rows), clock))

    def row(self) -> dict[str, Any]:
        row = {k: v for k, v in asdict(self).items() if k not in ("learner", "seconds")}
        entries = self.n * self.d * self.n_classes
        nanoseconds = round(self.seconds / entries * 1e9, 3)
        return {
            "learner": repr(self.learner),
            **row,
            "milliseconds": round(self.seconds * 1e3, 3),
            "ns_per_entry_and_class": nanoseconds,
        }


def settings() -> list[Setting]:
    table = [
        Setting("table", learner, n_classes=k, max_bins=bins, n_jobs=threads)
        for learner in (Stump(), Tree(8))
        for k in (1, 10, 26)
        for bins in (255, None)
        for threads in (1, 2)
        if bins == 255 or (k < 26 and threads == 1)
    ]
    rows = [Setting("rows", Stump(), n=2_500 * 2**i) for i in range(8)]
    features = [Setting("columns", Stump(), d=10 * 2**i) for i in range(6)]
    classes = [Setting("classes", Stump(), n_classes=2**i) for i in range(6)]
    leaves = [Setting("leaves", Tree(2**i)) for i in range(1, 7)]
    return table + rows + features + classes + leaves


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--out", type=Path, default=RESULTS / "parts" / "learners.csv")
    arguments = parser.parse_args()
    kept(arguments.out, FIELDS, measured(arguments.repeats))


def measured(n_repeats: int) -> Iterator[dict[str, Any]]:
    """Rows of the table, as they come: the settings of a group take turns."""
    chosen = settings()
    for group in dict.fromkeys(s.group for s in chosen):
        members = [s for s in chosen if s.group == group]
        for setting in members:
            setting.prepare()
        for _ in range(n_repeats):
            for setting in members:
                setting.run()
        yield from (setting.row() for setting in members)


if __name__ == "__main__":
    main()
